"""A snapshot of an invoice at Stripe: what each of its words becomes, and what must not be shown at all."""

from datetime import timedelta

import pytest

from dunr.adapters.processors.stripe.processor import StripeProcessor
from dunr.core.reconcile import not_ours_because
from dunr.core.terms import (
    CollectionMethod,
    InvoiceStatus,
    Rail,
    SubscriptionStatus,
)
from dunr.ports import KeyRefused, ObjectMissing, SnapshotUnavailable
from tests.adapters.stripe.bodies import ACCOUNT, AT, SECOND, Json
from tests.adapters.stripe.objects import (
    charge,
    customer,
    intent,
    invoice,
    listed,
    method,
    payment,
    refusal,
    subscription,
)
from tests.adapters.stripe.strangers import Reply, Stranger, adapter, look

ERROR = {
    "type": "card_error",
    "code": "card_declined",
    "decline_code": "do_not_honor",
    "advice_code": "do_not_try_again",
    "network_decline_code": "05",
    "network_advice_code": "01",
    "charge": "ch_1",
}


def test_a_failed_renewal_is_read_whole(stranger: Stranger, processor: StripeProcessor) -> None:
    told = look(stranger, processor, invoice(payment(intent(last_payment_error=ERROR))), charge())
    assert (told.taken_at, told.live) == (AT, False)
    bill = told.invoice
    assert (bill.status, bill.amount_total_minor, bill.amount_due_minor) == (InvoiceStatus.OPEN, 4900, 4900)
    assert (bill.currency, bill.minimum_minor, bill.is_first) == ("usd", 50, False)
    assert bill.first_failed_at == AT - timedelta(seconds=3500)
    assert (bill.products, bill.tags) == (("prod_1",), ("tier=gold",))
    assert told.subscription is not None
    assert (told.subscription.status, told.subscription.period_end_at) == (
        SubscriptionStatus.PAST_DUE,
        AT + timedelta(hours=1),  # the earliest of its items
    )
    assert told.customer is not None
    assert (told.customer.email, told.customer.locale, told.customer.country) == ("ada@example.com", "de-AT", "AT")
    assert told.default_method is not None
    assert (told.default_method.credential, told.default_method.rail) == ("fp_1/2027-03", Rail.CARD)
    assert not_ours_because(told) is None


@pytest.mark.parametrize(
    ("status", "ours"),
    [
        ("active", SubscriptionStatus.ACTIVE),
        ("trialing", SubscriptionStatus.TRIALING),
        ("past_due", SubscriptionStatus.PAST_DUE),
        ("incomplete", SubscriptionStatus.INCOMPLETE),
        ("incomplete_expired", SubscriptionStatus.ENDED),
        ("paused", SubscriptionStatus.PAUSED),
        ("unpaid", SubscriptionStatus.UNPAID),
        ("canceled", SubscriptionStatus.ENDED),
    ],
)
def test_each_state_of_a_subscription_has_a_word(
    stranger: Stranger, processor: StripeProcessor, status: str, ours: SubscriptionStatus
) -> None:
    told = look(stranger, processor, invoice(of=subscription(status=status)), charge())
    assert told.subscription is not None
    assert told.subscription.status is ours


def test_a_word_that_is_not_known_decides_nothing(stranger: Stranger, processor: StripeProcessor) -> None:
    with pytest.raises(SnapshotUnavailable, match="does not know"):
        look(stranger, processor, invoice(of=subscription(status="hibernating")), charge())
    with pytest.raises(SnapshotUnavailable, match="does not know"):
        look(stranger, processor, invoice(status="half_open"), charge())


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"status": "draft"}, InvoiceStatus.DRAFT),
        ({"status": "void"}, InvoiceStatus.VOID),
        ({"status": "uncollectible"}, InvoiceStatus.WRITTEN_OFF),
        ({"status": "open", "billing_reason": "subscription_create"}, InvoiceStatus.OPEN),
        ({"status": "open", "collection_method": "send_invoice"}, InvoiceStatus.OPEN),
        ({"status": "open", "amount_remaining": 0, "amount_due": 0}, InvoiceStatus.OPEN),
        ({"status": "open", "customer": {"id": "cus_1", "object": "customer", "deleted": True}}, InvoiceStatus.OPEN),
    ],
)
def test_what_is_not_ours_to_dun_is_seen_to_be_so(
    stranger: Stranger, processor: StripeProcessor, more: Json, status: InvoiceStatus
) -> None:
    told = look(stranger, processor, invoice(**more), charge())
    assert told.invoice.status is status
    assert not_ours_because(told) is not None


def test_an_invoice_that_is_sent_says_so(stranger: Stranger, processor: StripeProcessor) -> None:
    told = look(stranger, processor, invoice(collection_method="send_invoice", attempted=False))
    assert told.invoice.collection_method is CollectionMethod.SEND_INVOICE
    assert told.invoice.first_failed_at is None


def test_an_invoice_without_a_subscription_is_read_too(stranger: Stranger, processor: StripeProcessor) -> None:
    told = look(stranger, processor, invoice(parent=None, billing_reason="manual"), charge())
    assert told.subscription is None
    assert not_ours_because(told) is None


def test_a_customer_who_was_deleted_meanwhile_has_no_methods(stranger: Stranger, processor: StripeProcessor) -> None:
    gone = {"id": "cus_1", "object": "customer", "deleted": True}
    told = look(stranger, processor, invoice(customer=gone), charge())
    assert told.customer is not None
    assert (told.customer.deleted, told.customer.email, told.methods) == (True, None, ())
    assert "/v1/customers/cus_1/payment_methods" not in stranger.paths()


def test_the_next_try_that_stripe_plans_is_told_while_the_invoice_is_open(
    stranger: Stranger, processor: StripeProcessor
) -> None:
    planned: Json = {"next_payment_attempt": SECOND + 86400}
    told = look(stranger, processor, invoice(**planned), charge())
    assert told.processor_next_attempt_at == AT + timedelta(days=1)
    draft = look(stranger, processor, invoice(status="draft", **planned))
    assert draft.processor_next_attempt_at is None


def test_credits_and_part_payments_add_up(stranger: Stranger, processor: StripeProcessor) -> None:
    parts: Json = {"amount_due": 7500, "amount_paid": 4000, "amount_remaining": 3500}
    told = look(stranger, processor, invoice(**parts, pre_payment_credit_notes_amount=2500), charge())
    bill = told.invoice
    assert (bill.amount_total_minor, bill.credited_minor, bill.amount_due_minor) == (10000, 2500, 3500)


@pytest.mark.parametrize(("currency", "minimum"), [("gbp", 30), ("jpy", 50), ("huf", 17500), ("xaf", 0)])
def test_the_least_that_stripe_charges_is_known(
    stranger: Stranger, processor: StripeProcessor, currency: str, minimum: int
) -> None:
    assert look(stranger, processor, invoice(currency=currency), charge()).invoice.minimum_minor == minimum


def test_whatever_cannot_be_read_is_no_snapshot(stranger: Stranger, processor: StripeProcessor) -> None:
    with pytest.raises(ObjectMissing):
        processor.snapshot(ACCOUNT, "in_1")
    for status, kind in ((401, KeyRefused), (403, KeyRefused), (400, SnapshotUnavailable)):
        stranger.tell("/v1/invoices/in_1", Reply(status, refusal(None)))
        with pytest.raises(kind):
            processor.snapshot(ACCOUNT, "in_1")
    for body in (b"", b"[]", b"null", b"<html>", b"\xff\xfe", b"{" * 100_000, {"id": "in_1"}):
        stranger.tell("/v1/invoices/in_1", Reply(200, body))
        with pytest.raises(SnapshotUnavailable):
            processor.snapshot(ACCOUNT, "in_1")


def test_an_invoice_of_the_other_mode_is_no_reading(stranger: Stranger, processor: StripeProcessor) -> None:
    with pytest.raises(SnapshotUnavailable, match="other mode"):
        look(stranger, processor, invoice(livemode=True), charge())


def test_every_reading_is_in_one_version_and_for_one_account(stranger: Stranger) -> None:
    platform = adapter(stranger.url, connected=("acct_theirs",))
    stranger.tell("/v1/invoices/in_1", invoice())
    stranger.tell("/v1/charges", listed(charge()))
    stranger.tell("/v1/customers/cus_1/payment_methods", listed(method()))
    platform.snapshot(ACCOUNT, "in_1")
    assert {asked.headers["stripe-version"] for asked in stranger.asked} == {"2026-10-28.endive"}
    assert {asked.headers.get("stripe-account") for asked in stranger.asked} == {None}
    stranger.asked.clear()
    platform.snapshot("acct_theirs", "in_1")
    assert {asked.headers.get("stripe-account") for asked in stranger.asked} == {"acct_theirs"}
    with pytest.raises(SnapshotUnavailable, match="DUNR_STRIPE_CONNECTED_ACCOUNTS"):
        platform.snapshot("acct_stranger", "in_1")
    platform.close()


def test_who_gave_no_address_is_paid_when_people_where_the_card_is_from_are(
    stranger: Stranger, processor: StripeProcessor
) -> None:
    told = look(stranger, processor, invoice(customer=customer(address=None)), charge())
    assert told.customer is not None
    assert told.customer.country == "US"
