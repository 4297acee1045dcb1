"""C42 at Stripe: a card whose payment is disputed is left alone, the disputed invoice is not charged again, and the ledger shows each turn once."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases.rehearsal import Json, payer
from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe

ENDS: dict[str, Json] = {
    "lost": {"status": "lost"},
    "inquiry": {"status": "warning_closed"},
    "won": {"status": "won", "reinstated": True},
    "returned": {"status": "lost", "reinstated": True},  # lost first, and the funds come back later all the same
}
DECLINED = "decline:insufficient_funds"
Told = tuple[StripeRehearsal, dict[str, Any]]


def renewal_fails(stripe: StripeRehearsal, number: int, name: str) -> None:
    stripe.fail(f"in_{number}_{name}", subscription=f"sub_{name}", card=f"card_{name}", customer=payer(name))


def disputed(stripe: StripeRehearsal, name: str) -> str:
    """The payment that recovered the first invoice is disputed. Stripe's event names neither payer nor invoice."""
    (paid,) = [one for one in stripe.requests(f"in_5_{name}") if one["captured"]]
    return str(stripe.tell(f"/sandbox/charges/{paid['charge']}/dispute")["dispute"]["id"])


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """Recovered by retry 2, disputed on day 12, the renewal fails on day 14, the dispute ends three weeks later. Every event comes twice."""
    with rehearse_at_stripe(tmp_path_factory.mktemp("disputes")) as stripe:
        stripe.set(duplicate_webhooks=1)
        for name in ENDS:
            stripe.script(f"card_{name}", DECLINED, "succeed", "succeed")
            renewal_fails(stripe, 5, name)
        stripe.advance("2026-07-05T12:00:00Z")
        disputes = {name: disputed(stripe, name) for name in ENDS}
        stripe.advance("2026-07-07T12:00:00Z")
        for name in ENDS:
            renewal_fails(stripe, 6, name)
        stripe.advance("2026-07-24T11:00:00Z")
        seen: dict[str, Any] = {name: stripe.case(f"in_6_{name}") for name in ENDS}
        seen["requests"] = [request for name in ENDS for request in stripe.requests(f"in_6_{name}")]
        seen["access"] = {stripe.access(f"sub_{name}") for name in ENDS}
        seen["mails"] = {name: stripe.mails_to(f"{name}@example.com") for name in ENDS}
        stripe.tell(f"/sandbox/disputes/{disputes['returned']}/close", {"status": "lost"})
        stripe.advance("2026-07-24T12:00:00Z")
        seen["processor_before"] = stripe.balance("in_5_returned")["processor"]
        for name, end in ENDS.items():
            stripe.tell(f"/sandbox/disputes/{disputes[name]}/close", end)
        stripe.advance("2026-07-30T00:00:00Z")
        yield stripe, seen


def test_c42_while_a_dispute_stands_its_card_is_left_alone_and_a_person_is_told(told: Told) -> None:
    stripe, seen = told
    alerted = {alert["case"].split(":")[2] for alert in stripe.alerts("disputed")}
    assert (seen["requests"], seen["access"]) == ([], {"grace"})
    for name in ENDS:
        assert seen[name]["shown"] == "held", name
        assert seen["mails"][name] == ["first", "reminder", "receipt"], name
        assert {f"in_5_{name}", f"in_6_{name}"} <= alerted, name


@pytest.mark.parametrize("name", list(ENDS))
def test_c42_the_disputed_invoice_is_never_charged_again(told: Told, name: str) -> None:
    stripe, _ = told
    assert [one["captured"] for one in stripe.requests(f"in_5_{name}")] == [False, True]
    assert stripe.case(f"in_5_{name}")["state"] == "recovered"


@pytest.mark.parametrize("name", ["inquiry", "won"])
def test_c42_an_inquiry_closed_without_loss_and_a_won_dispute_let_the_card_go(told: Told, name: str) -> None:
    stripe, _ = told
    assert stripe.captures(f"in_6_{name}") == 1
    assert stripe.case(f"in_6_{name}")["state"] == "recovered"
    assert stripe.access(f"sub_{name}") == "granted"


@pytest.mark.parametrize("name", ["lost", "returned"])
def test_c42_a_lost_dispute_keeps_its_card_for_a_person(told: Told, name: str) -> None:
    stripe, _ = told
    assert stripe.requests(f"in_6_{name}") == []
    assert stripe.case(f"in_6_{name}")["shown"] == "held"
    assert stripe.access(f"sub_{name}") == "grace"


@pytest.mark.parametrize(("name", "left"), [("lost", 0), ("inquiry", 4900), ("won", 4900), ("returned", 4900)])
def test_c42_the_ledger_shows_each_turn_once(told: Told, name: str, left: int) -> None:
    stripe, seen = told
    kinds = [posting["kind"] for posting in stripe.postings(f"in_5_{name}")]
    assert kinds.count("disputed") == 1
    assert kinds.count("reinstated") == (1 if left else 0)
    assert stripe.balance(f"in_5_{name}")["processor"] == left
    assert seen["processor_before"] == 0
