"""C25, C38, C39, C42, C44 and C48 at Stripe: whose invoice it is to collect, and with which card."""

import json

import pytest

from tests.cases.rehearsal import Json, payer, signature
from tests.cases.running import SECRET
from tests.cases.stripe.rehearsal import StripeRehearsal

NOT_OURS: dict[str, Json] = {
    "checkout": {"first_invoice": True, "subscription_status": "incomplete"},
    "by_mail": {"collection_method": "send_invoice"},
}


@pytest.mark.parametrize("why", list(NOT_OURS))
def test_what_is_not_ours_to_dun_opens_nothing(stripe: StripeRehearsal, why: str) -> None:
    stripe.fail("in_1", **NOT_OURS[why])
    stripe.advance(to="2026-06-30T00:00:00Z")
    assert (stripe.cases(), stripe.requests("in_1"), stripe.mails()) == ([], [], [])


def test_stripes_own_retries_are_left_to_stripe(stripe: StripeRehearsal) -> None:
    """As long as Stripe plans a try of its own, nothing of ours goes out beside it."""
    stripe.set(retries_by_itself=True)
    stripe.fail("in_1")
    stripe.script("card_1", "decline:insufficient_funds")
    stripe.advance(to="2026-06-24T12:00:00Z")
    assert stripe.requests("in_1") == []


def test_a_new_default_card_pays_at_once_although_webhooks_name_no_invoice(stripe: StripeRehearsal) -> None:
    stripe.fail("in_1")
    stripe.advance(to="2026-06-23T12:00:00Z")
    stripe.add_card("cus_1", "card_2")
    assert [(one["card"], one["captured"]) for one in stripe.requests("in_1")] == [("card_2", True)]
    assert stripe.case("in_1")["state"] == "recovered"


def test_an_end_a_void_and_a_deletion_each_close_the_case(stripe: StripeRehearsal) -> None:
    for name in ("void", "ended", "gone"):
        stripe.fail(f"in_{name}", card=f"card_{name}", customer=payer(name))
    stripe.tell("/sandbox/invoices/in_void/void")
    stripe.tell("/sandbox/subscriptions/sub_in_ended/cancel")
    stripe.tell("/sandbox/customers/cus_gone", method="DELETE")
    for name in ("void", "ended", "gone"):
        assert stripe.case(f"in_{name}")["state"] == "closed", name
    assert stripe.access("sub_in_ended") == "ended"
    stripe.advance(to="2026-07-20T00:00:00Z")
    assert [stripe.requests(f"in_{name}") for name in ("void", "ended", "gone")] == [[], [], []]


def test_a_dispute_whose_event_names_nobody_holds_what_its_card_owes(stripe: StripeRehearsal) -> None:
    stripe.fail("in_1", subscription="sub_1")
    stripe.script("card_1", "succeed")
    stripe.advance(to="2026-06-24T09:30:00Z")
    stripe.fail("in_2", subscription="sub_1")
    (paid,) = stripe.requests("in_1")
    stripe.tell(f"/sandbox/charges/{paid['charge']}/dispute")
    assert stripe.case("in_2")["shown"] == "held"
    stripe.advance(to="2026-07-20T00:00:00Z")
    assert stripe.requests("in_2") == []


def test_an_event_of_live_mode_is_taken_and_never_applied(stripe: StripeRehearsal) -> None:
    stripe.fail("in_1")
    before = stripe.case("in_1")
    told = {"id": "evt_live", "object": "event", "type": "invoice.voided", "livemode": True}
    body = json.dumps(told | {"data": {"object": {"id": "in_1"}}}).encode()
    assert stripe.deliver(body, signature(body, stripe.now(), SECRET)).status_code == 200
    assert stripe.deliver(body + b" ", signature(body, stripe.now(), SECRET)).status_code == 400
    stripe.settle()
    assert stripe.case("in_1") == before
