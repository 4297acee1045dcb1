"""C42: a card whose payment is disputed is left alone, the disputed invoice is not charged again, and the ledger shows each turn once."""

import pytest

from tests.cases.rehearsal import Json, Rehearsal, payer

NAMES = ("lost", "inquiry", "back")


def disputed(world: Rehearsal, name: str) -> Json:
    """The payment that recovered the first invoice is disputed."""
    (paid,) = [one for one in world.requests(f"in_5_{name}") if one["captured"]]
    dispute: Json = world.tell(f"/sandbox/charges/{paid['charge']}/dispute")["dispute"]
    return dispute


def renewal_fails(world: Rehearsal, invoice: str, name: str) -> None:
    world.fail(invoice, subscription=f"sub_{name}", card=f"card_{name}", customer=payer(name))


def test_a_disputed_card_is_not_retried_and_each_end_of_the_dispute_has_its_consequence(world: Rehearsal) -> None:
    for name in NAMES:
        world.script(f"card_{name}", "decline:insufficient_funds", "succeed", "decline:insufficient_funds", "succeed")
        renewal_fails(world, f"in_5_{name}", name)
    world.advance("2026-07-05T12:00:00Z")  # day 12: recovered by retry 2 on the 29th
    assert {world.case(f"in_5_{name}")["state"] for name in NAMES} == {"recovered"}
    disputes = {name: disputed(world, name) for name in NAMES}
    world.advance("2026-07-07T12:00:00Z")  # day 14
    mails_before = {name: world.mails_to(f"{name}@example.com") for name in NAMES}
    for name in NAMES:
        renewal_fails(world, f"in_6_{name}", name)
    world.advance("2026-07-20T00:00:00Z")

    for name in NAMES:
        assert world.captures(f"in_5_{name}") == 1
        assert world.requests(f"in_6_{name}") == []
        case = world.case(f"in_6_{name}")
        assert (case["shown"], case["next_attempt_at"]) == ("held", None)
        assert world.mails_to(f"{name}@example.com") == mails_before[name]
        assert world.access(f"sub_{name}") == "grace"
        assert world.case(f"in_5_{name}")["state"] == "recovered"
        about = {alert["case"].split(":")[2] for alert in world.alerts("disputed")}
        assert {f"in_5_{name}", f"in_6_{name}"} <= about

    ends: dict[str, Json] = {
        "lost": {"status": "lost"},
        "inquiry": {"status": "warning_closed"},
        "back": {"status": "won", "reinstated": True},
    }
    world.advance("2026-08-22T12:00:00Z")  # day 60
    for name in NAMES:
        world.tell(f"/sandbox/disputes/{disputes[name]['id']}/close", ends[name])
    world.advance("2026-09-30T00:00:00Z")

    assert world.posted("in_5_lost", "disputed") == 4900
    assert world.posted("in_5_lost", "reinstated") == 0
    assert world.requests("in_6_lost") == []
    assert world.case("in_6_lost")["shown"] == "held"
    for name in ("inquiry", "back"):
        assert world.captures(f"in_6_{name}") == 1, name
        assert world.case(f"in_6_{name}")["state"] == "recovered", name
    for name in NAMES:
        assert world.captures(f"in_5_{name}") == 1
        assert [one["captured"] for one in world.requests(f"in_5_{name}")] == [False, True]
    processor = {name: world.balance(f"in_5_{name}")["processor"] for name in NAMES}
    assert processor == {"lost": 0, "inquiry": 4900, "back": 4900}
    kinds = [posting["kind"] for posting in world.postings("in_5_back")]
    assert (kinds.count("disputed"), kinds.count("reinstated")) == (1, 1)


@pytest.mark.parametrize("again", [3])
def test_a_dispute_told_again_and_again_is_booked_once(world: Rehearsal, again: int) -> None:
    world.set(duplicate_webhooks=again)
    world.script("card_twice", "succeed")
    renewal_fails(world, "in_5_twice", "twice")
    world.advance("2026-06-25T00:00:00Z")
    dispute = disputed(world, "twice")
    world.tell(f"/sandbox/disputes/{dispute['id']}/close", {"status": "lost"})
    world.tell(f"/sandbox/disputes/{dispute['id']}/close", {"status": "lost", "reinstated": True})
    world.advance("2026-06-28T00:00:00Z")
    kinds = [posting["kind"] for posting in world.postings("in_5_twice")]
    assert (kinds.count("disputed"), kinds.count("reinstated")) == (1, 1)
    assert world.balance("in_5_twice")["processor"] == 4900
