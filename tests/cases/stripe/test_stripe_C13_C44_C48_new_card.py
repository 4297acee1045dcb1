"""C13, C44 and C48 at Stripe: a new card pays every open invoice at once and by name, whatever told of it, unless it came to start something else."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases.rehearsal import described, payer, signature
from tests.cases.running import SECRET
from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe

NOON = "2026-06-25T12:00"
RETRY = "2026-06-24T09:00"
ENDPOINT = "/sandbox/stripe/webhook_endpoints/we_sandbox"
Told = tuple[StripeRehearsal, dict[str, Any]]


def fails(stripe: StripeRehearsal, name: str, invoice: str | None = None, **more: object) -> None:
    stripe.fail(f"in_{invoice or name}", card=f"card_{name}", customer=payer(name), **more)


def tell_of_subscription(stripe: StripeRehearsal, name: str, event: str, **before: object) -> None:
    """One of Stripe's two events about the same change of a subscription."""
    about = {"id": f"sub_in_{name}", "object": "subscription", "customer": f"cus_{name}", "status": "active"}
    head = {"id": event, "object": "event", "type": "customer.subscription.updated", "livemode": False}
    body = json.dumps(head | {"created": 1, "data": {"object": about, "previous_attributes": before}}).encode()
    assert stripe.deliver(body, signature(body, stripe.now(), SECRET)).status_code == 200
    stripe.settle()


def new_cards_come(stripe: StripeRehearsal) -> None:
    """What each customer does two days after the first failure."""
    stripe.add_card("cus_ada", "card_ada_new")
    # ben's subscription has its own default, which Stripe would go on charging.
    stripe.tell("/sandbox/subscriptions/sub_in_ben", {"default_card": "card_ben"}, method="PATCH")
    stripe.add_card("cus_ben", "card_ben_new")
    for name, version in (("cleo", "2026-10-28.endive"), ("dora", "2020-03-02")):
        assert stripe.psp.patch(ENDPOINT, json={"api_version": version}).is_success
        stripe.tell(f"/sandbox/cards/card_{name}/update")
    assert stripe.psp.patch(ENDPOINT, json={"api_version": "2026-10-28.endive"}).is_success
    stripe.add_card("cus_finn", "card_finn_second", make_default=False)
    assert stripe.times("in_finn") == [RETRY], "a card that is only put on file is nobody's wish"
    stripe.tell("/sandbox/customers/cus_finn", {"default_card": "card_finn_second"}, method="PATCH")
    stripe.script("card_eve_poor", "decline:insufficient_funds", "succeed")
    stripe.add_card("cus_eve", "card_eve_poor")
    for name in ("gil", "hugo"):
        anew = described({"id": f"card_{name}_new", "came_with_subscription": f"sub_{name}_new"})
        first = {"invoice": f"in_{name}_new", "subscription": f"sub_{name}_new", "customer": payer(name)}
        stripe.tell("/sandbox/invoices", first | {"card": None, "first_invoice": True, "status": "paid"})
        stripe.tell(f"/sandbox/customers/cus_{name}/card", anew)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """New cards on Thursday 25 June at noon, in every way in which they come; paul's comes after the pause."""
    with rehearse_at_stripe(tmp_path_factory.mktemp("cards")) as stripe:
        for name in ("ada", "ben", "cleo", "dora", "eve", "finn", "gil", "hugo", "paul"):
            fails(stripe, name)
        fails(stripe, "ada", "ada_later", currency="eur")
        stripe.advance(f"{NOON}:00Z")
        before = stripe.case("in_eve")
        new_cards_come(stripe)
        seen: dict[str, Any] = {"eve": (before, stripe.case("in_eve"))}
        for event, changed in (("evt_a", {"default_payment_method": "card_ada"}), ("evt_b", {"status": "past_due"})):
            tell_of_subscription(stripe, "ada", event, **changed)
            tell_of_subscription(stripe, "ada", f"{event}_again", **changed)
        stripe.advance("2026-06-29T12:00:00Z")
        assert stripe.pay_now("in_hugo").status_code == 202
        stripe.advance("2026-07-10T12:00:00Z")
        seen["paul"] = stripe.access("sub_in_paul")
        stripe.add_card("cus_paul", "card_paul_new")
        stripe.advance("2026-07-20T00:00:00Z")
        yield stripe, seen


def tried(stripe: StripeRehearsal, invoice: str) -> list[tuple[str, str, bool]]:
    return [(one["at"][:16], one["card"], one["captured"]) for one in stripe.requests(f"in_{invoice}")]


def test_c48_a_good_new_card_pays_every_open_invoice_at_once_the_oldest_first(told: Told) -> None:
    stripe, _ = told
    for invoice in ("ada", "ada_later"):
        assert tried(stripe, invoice) == [(RETRY, "card_ada", False), (NOON, "card_ada_new", True)]
        case = stripe.case(f"in_{invoice}")
        assert (case["state"], case["steps_spent_count"], case["next_attempt_at"]) == ("recovered", 1, None)
        assert stripe.access(f"sub_in_{invoice}") == "granted"
    order = [one["invoice"] for one in stripe.psp.get("/sandbox/charges").json() if one["card"] == "card_ada_new"]
    assert order == ["in_ada", "in_ada_later"]


def test_c13_one_recovery_and_one_mail_however_many_events_tell_of_the_change(told: Told) -> None:
    stripe, _ = told
    assert stripe.mails_to("ada@example.com") == ["first", "first", "reminder", "receipt", "receipt"], (
        "what is due at one time for two invoices of one person is one mail"
    )
    for invoice in ("in_ada", "in_ada_later"):
        assert stripe.captures(invoice) == 1
        case = stripe.case(invoice)
        assert [posting["kind"] for posting in case["postings"]] == ["opened", "recovered"]
        assert len([why for entry in case["audit"] for why in entry["because"] if why.startswith("recovered")]) == 1


def test_c48_the_new_default_is_named_although_the_subscription_keeps_its_own_old_one(told: Told) -> None:
    stripe, _ = told
    assert tried(stripe, "ben") == [(RETRY, "card_ben", False), (NOON, "card_ben_new", True)]
    named = [one["parameters"]["payment_method"] for one in stripe.asked("invoices.pay")]
    assert "card_ben_new" in named
    assert stripe.case("in_ben")["state"] == "recovered"


@pytest.mark.parametrize("name", ["cleo", "dora"])
def test_c48_a_card_that_the_network_renewed_is_tried_at_once_under_both_names_of_the_event(
    told: Told, name: str
) -> None:
    stripe, _ = told
    assert tried(stripe, name) == [(RETRY, f"card_{name}", False), (NOON, f"card_{name}", True)]
    assert stripe.case(f"in_{name}")["state"] == "recovered"
    heard = {one["type"] for one in stripe.psp.get("/sandbox/webhooks").json() if f'"card_{name}"' in one["body"]}
    kind = "automatically_updated" if name == "cleo" else "card_automatically_updated"
    assert f"payment_method.{kind}" in heard


def test_c48_a_second_card_is_tried_once_it_is_made_the_default(told: Told) -> None:
    stripe, _ = told
    assert tried(stripe, "finn") == [(RETRY, "card_finn", False), (NOON, "card_finn_second", True)]


def test_c48_a_new_card_that_declines_too_leaves_the_schedule_as_it_was_and_is_charged_next(told: Told) -> None:
    stripe, seen = told
    before, after = seen["eve"]
    for fact in ("state", "steps_spent_count", "next_attempt_at", "pause_at"):
        assert after[fact] == before[fact], fact
    assert tried(stripe, "eve") == [
        (RETRY, "card_eve", False),
        (NOON, "card_eve_poor", False),
        ("2026-06-29T09:00", "card_eve_poor", True),
    ]
    assert stripe.mails_to("eve@example.com") == ["first", "reminder", "receipt"]


def test_c48_a_paused_customer_is_back_with_the_money(told: Told) -> None:
    stripe, seen = told
    assert seen["paul"] == "paused"
    assert tried(stripe, "paul")[4:] == [("2026-07-10T12:00", "card_paul_new", True)]
    assert stripe.access("sub_in_paul") == "granted"


def test_c44_a_card_that_came_to_start_another_subscription_is_not_charged_for_the_old_debt_unasked(told: Told) -> None:
    stripe, _ = told
    assert tried(stripe, "gil") == [(RETRY, "card_gil", False)]
    assert len([one for one in stripe.alerts("resubscribed") if one["case"].endswith(":in_gil")]) == 1
    assert stripe.case("in_gil")["state"] == "exhausted"
    assert (stripe.access("sub_in_gil"), stripe.access("sub_gil_new")) == ("paused", "granted")
    # hugo said on our page that it may pay for both.
    assert tried(stripe, "hugo")[-1] == ("2026-06-29T12:00", "card_hugo_new", True)
    assert stripe.case("in_hugo")["state"] == "recovered"
