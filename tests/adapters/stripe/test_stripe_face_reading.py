"""The adapter against a Stripe that keeps books: what a look, a list and a link show."""

from datetime import timedelta

import pytest

from dunr.adapters.processors.stripe.processor import StripeProcessor
from dunr.core.answers import (
    Paid,
    Refused,
    RefusedKind,
)
from dunr.core.reconcile import not_ours_because
from dunr.core.terms import ChargeStatus, DisputeStatus, InvoiceStatus
from dunr.ports import ObjectMissing, SnapshotUnavailable, Subject
from tests.adapters.stripe.faces import ACCOUNT, START_AT, StripeFace, account, adapter_of, request

LATER_AT = START_AT + timedelta(hours=1)
LATER = "2026-06-23T11:00:00Z"


def fail(face: StripeFace, invoice: str = "in_1", **more: object) -> None:
    """A renewal of 49.00 fails at ten, and an hour passes."""
    face.fail(invoice, amount_minor=4900, **more)
    face.to(LATER)


def test_a_failed_renewal_is_seen_whole(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face, decline="insufficient_funds")
    told = at_face.snapshot(ACCOUNT, "in_1")
    assert (told.taken_at, told.live, told.processor_next_attempt_at) == (LATER_AT, False, None)
    assert (told.invoice.status, told.invoice.amount_due_minor) == (InvoiceStatus.OPEN, 4900)
    assert told.invoice.first_failed_at == START_AT
    (failed,) = told.charges
    assert (failed.status, failed.at, failed.key) == (ChargeStatus.DECLINED, START_AT, None)
    assert failed.decline is not None
    assert failed.decline.decline_code == "insufficient_funds"
    assert told.default_method is not None
    assert told.default_method.card_key == failed.card_key
    assert not_ours_because(told) is None


def test_a_new_card_that_became_the_default_after_the_failure_goes_first(
    face: StripeFace, at_face: StripeProcessor
) -> None:
    fail(face)
    face.control("POST", "/customers/cus_1/card", id="pm_2", network="mastercard", last4="4444", fingerprint="fp_2")
    methods = at_face.snapshot(ACCOUNT, "in_1").methods
    assert methods[0].processor_method_id == "pm_2"
    assert (methods[0].card_key, methods[0].network, methods[0].last4) == ("fp_2", "mastercard", "4444")


def test_objects_that_were_deleted_meanwhile(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face)
    face.control("DELETE", "/customers/cus_1")
    told = at_face.snapshot(ACCOUNT, "in_1")
    assert told.customer is not None
    assert (told.customer.deleted, told.methods) == (True, ())
    with pytest.raises(ObjectMissing):
        at_face.snapshot(ACCOUNT, "in_nobody")
    assert at_face.invoices_of(ACCOUNT, Subject(None, "sub_nobody")) == ()


def test_a_dispute_is_seen_with_the_card_that_it_is_about(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face)
    face.script("succeed")
    paid = at_face.charge(request())
    assert isinstance(paid, Paid)
    face.control("POST", f"/charges/{paid.processor_charge_id}/dispute").raise_for_status()
    told = at_face.snapshot(ACCOUNT, "in_1")
    (dispute,) = told.disputes
    assert (dispute.status, dispute.processor_invoice_id) == (DisputeStatus.OPEN, "in_1")
    assert dispute.card_key == told.methods[0].card_key


def test_a_debit_that_the_bank_took_back_is_a_return(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face, card={"id": "pm_1", "rail": "ach"})
    face.script("succeed")
    paid = at_face.charge(request())
    assert isinstance(paid, Paid)
    face.control("POST", f"/charges/{paid.processor_charge_id}/return", code="R01").raise_for_status()
    back = next(
        one for one in at_face.snapshot(ACCOUNT, "in_1").charges if one.processor_charge_id == paid.processor_charge_id
    )
    assert (back.status, back.return_code) == (ChargeStatus.RETURNED, "insufficient_funds")


def test_invoices_are_listed_open_ones_first_and_the_changed_ones_once(
    face: StripeFace, at_face: StripeProcessor
) -> None:
    for number in range(1, 4):
        owner = {"id": f"cus_{number}"}
        fail(face, f"in_{number}", subscription=f"sub_{number}", customer=owner, card={"id": f"pm_{number}"})
    face.script("succeed", card="pm_2")
    assert isinstance(at_face.charge(request(invoice="in_2", card="pm_2")), Paid)
    assert [one.processor_invoice_id for one in at_face.list_invoices(ACCOUNT, START_AT)] == ["in_3", "in_1", "in_2"]
    assert at_face.invoices_of(ACCOUNT, Subject(None, "sub_3")) == ("in_3",)
    assert at_face.invoices_of(ACCOUNT, Subject(None, None, "cus_3")) == ("in_3",)


def test_a_customer_gets_a_fresh_page_at_each_click(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face)
    first, second = (at_face.update_link(ACCOUNT, "cus_1", "in_1") for _ in range(2))
    assert first != second
    assert first.startswith(face.url)
    asked = face.asked("billing_portal.sessions.create")[0]["parameters"]
    assert asked == {"customer": "cus_1", "flow_data": {"type": "payment_method_update"}}


def test_stripes_clock_is_the_one_of_its_answers(face: StripeFace, at_face: StripeProcessor) -> None:
    assert at_face.now(ACCOUNT) == START_AT
    face.to(LATER)
    assert at_face.now(ACCOUNT) == LATER_AT
    assert at_face.now("acct_other") is None


def test_the_key_of_the_other_mode_sees_nothing(face: StripeFace) -> None:
    fail(face)
    live = adapter_of(face, key="sk_live_sandbox", of=account(live=True))
    with pytest.raises(ObjectMissing):
        live.snapshot(ACCOUNT, "in_1")
    assert live.charge(request()) == Refused(RefusedKind.NOT_FOUND, "resource_missing")
    live.close()
    mixed = adapter_of(face, of=account(live=True))
    with pytest.raises(SnapshotUnavailable, match="other mode"):
        mixed.snapshot(ACCOUNT, "in_1")
    mixed.close()
