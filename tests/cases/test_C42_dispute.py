"""C42: a card whose payment is disputed is left alone, the disputed invoice is not charged again, and the ledger shows each turn once."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases.rehearsal import Json, Rehearsal, payer, rehearse

ENDS: dict[str, Json] = {
    "lost": {"status": "lost"},
    "inquiry": {"status": "warning_closed"},
    "won": {"status": "won", "reinstated": True},
    "returned": {"status": "lost", "reinstated": True},  # lost first, and the funds come back later all the same
    "midway": {"status": "won"},  # the renewal had failed before the dispute came
}
DECLINED = "decline:insufficient_funds"


def renewal_fails(world: Rehearsal, invoice: str, name: str) -> None:
    world.fail(invoice, subscription=f"sub_{name}", card=f"card_{name}", customer=payer(name))


def disputed(world: Rehearsal, name: str) -> str:
    """The payment that recovered the first invoice is disputed."""
    (paid,) = [one for one in world.requests(f"in_5_{name}") if one["captured"]]
    return str(world.tell(f"/sandbox/charges/{paid['charge']}/dispute")["dispute"]["id"])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Recovered by retry 2, disputed on day 12, the renewal fails on day 14, the dispute ends on day 60. Every event comes twice."""
    with rehearse(tmp_path_factory.mktemp("played")) as world:
        world.set(duplicate_webhooks=1)
        for name in ENDS:
            world.script(f"card_{name}", DECLINED, "succeed", DECLINED, "succeed")
            renewal_fails(world, f"in_5_{name}", name)
        world.advance("2026-07-03T12:00:00Z")
        renewal_fails(world, "in_6_midway", "midway")
        world.advance("2026-07-05T12:00:00Z")
        disputes = {name: disputed(world, name) for name in ENDS}
        world.advance("2026-07-07T12:00:00Z")
        for name in ENDS.keys() - {"midway"}:
            renewal_fails(world, f"in_6_{name}", name)
        world.advance("2026-08-22T11:00:00Z")
        held = {name: (world.case(f"in_6_{name}"), world.mails_to(f"{name}@example.com")) for name in ENDS}
        requests_while_held = {name: world.requests(f"in_6_{name}") for name in ENDS}
        access_while_held = {name: world.access(f"sub_{name}") for name in ENDS}
        world.tell(f"/sandbox/disputes/{disputes['returned']}/close", {"status": "lost"})
        world.advance("2026-08-22T12:00:00Z")
        for name, end in ENDS.items():
            world.tell(f"/sandbox/disputes/{disputes[name]}/close", end)
        world.advance("2026-08-30T00:00:00Z")
        yield {"world": world, "held": held, "requests": requests_while_held, "access": access_while_held}


def test_while_a_dispute_stands_its_card_is_left_alone_and_a_person_is_told(played: dict[str, Any]) -> None:
    told = {alert["case"].split(":")[2] for alert in played["world"].alerts("disputed")}
    about_the_first_invoice = ["first", "reminder", "receipt"]
    for name in ENDS:
        case, mails = played["held"][name]
        assert played["requests"][name] == [], name
        assert case["shown"] == "held", name
        assert mails == [*about_the_first_invoice, *(["first"] if name == "midway" else [])], name
        assert played["access"][name] == "grace", name
        assert {f"in_5_{name}", f"in_6_{name}"} <= told, name


def test_each_end_has_its_consequence_and_the_disputed_invoice_is_never_charged_again(played: dict[str, Any]) -> None:
    world = played["world"]
    for name in ENDS:
        assert [one["captured"] for one in world.requests(f"in_5_{name}")] == [False, True], name
        assert world.case(f"in_5_{name}")["state"] == "recovered", name
    for name in ("inquiry", "won", "midway"):
        assert world.captures(f"in_6_{name}") == 1, name
        assert world.case(f"in_6_{name}")["state"] == "recovered", name
        assert world.access(f"sub_{name}") == "granted", name
    # A lost dispute keeps its card for a person.
    assert world.requests("in_6_lost") == []
    assert world.case("in_6_lost")["shown"] == "held"
    assert world.access("sub_lost") == "grace"


def test_the_ledger_shows_each_turn_once(played: dict[str, Any]) -> None:
    for name, left in {"lost": 0, "inquiry": 4900, "won": 4900, "returned": 4900}.items():
        kinds = [posting["kind"] for posting in played["world"].postings(f"in_5_{name}")]
        assert kinds.count("disputed") == 1, name
        assert kinds.count("reinstated") == (1 if left else 0), name
        assert played["world"].balance(f"in_5_{name}")["processor"] == left, name
