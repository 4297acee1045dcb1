"""The charges and disputes in a snapshot: what each signal of a decline becomes, and money that is shown whole or not at all."""

from datetime import timedelta

import pytest

from dunr.adapters.processors.stripe.processor import StripeProcessor
from dunr.core.snapshot import ChargeSnapshot, RawDecline
from dunr.core.terms import (
    ChargeStatus,
    DisputeStatus,
    InvoiceStatus,
)
from dunr.ports import SnapshotUnavailable
from tests.adapters.stripe.bodies import ACCOUNT, AT, SECOND
from tests.adapters.stripe.objects import charge, intent, invoice, listed, method, payment
from tests.adapters.stripe.strangers import Reply, Stranger, http_date, look

ERROR = {
    "type": "card_error",
    "code": "card_declined",
    "decline_code": "do_not_honor",
    "advice_code": "do_not_try_again",
    "network_decline_code": "05",
    "network_advice_code": "01",
    "charge": "ch_1",
}


def test_every_signal_of_a_decline_is_there(stranger: Stranger, processor: StripeProcessor) -> None:
    older = charge("ch_0", created=SECOND - 3600)
    told = look(stranger, processor, invoice(payment(intent(last_payment_error=ERROR))), charge(), older)
    first, latest = told.charges
    assert latest.decline == RawDecline(
        "card_declined", "do_not_honor", "do_not_try_again", "05", "01", "insufficient_funds", "visa"
    )
    # Of the one before only its own outcome is left, whose reason is the issuer's code.
    assert first.decline == RawDecline(
        "card_declined", "insufficient_funds", "try_again_later", "51", "03", "insufficient_funds", "visa"
    )


def test_a_block_of_stripes_own_rules_is_no_word_of_the_issuer(stranger: Stranger, processor: StripeProcessor) -> None:
    blocked = charge(outcome={"type": "blocked", "reason": "highest_risk_level"})
    told = look(stranger, processor, invoice(), blocked)
    decline = told.charges[0].decline
    assert decline is not None
    assert (decline.decline_code, decline.outcome_reason) == (None, "highest_risk_level")


def test_a_first_try_with_nothing_to_charge_failed_when_the_invoice_was_finalized(
    stranger: Stranger, processor: StripeProcessor
) -> None:
    told = look(stranger, processor, invoice(payment(intent(latest_charge=None))), methods=())
    assert (told.charges, told.methods) == ((), ())
    assert told.invoice.first_failed_at == AT - timedelta(hours=1)


def test_a_bank_that_wants_the_customer_leaves_no_charge_and_is_still_a_decline(
    stranger: Stranger, processor: StripeProcessor
) -> None:
    told = look(stranger, processor, invoice(payment(intent("requires_action", latest_charge=None))))
    wanted = RawDecline("authentication_required", "authentication_required")
    assert told.charges == (
        ChargeSnapshot(
            processor_charge_id="pi_1",
            key=None,
            amount_minor=4900,
            status=ChargeStatus.DECLINED,
            at=AT - timedelta(hours=1),
            decline=wanted,
            processor_intent_id="pi_1",
        ),
    )


def test_only_an_intent_that_waits_for_the_customer_is_named(stranger: Stranger, processor: StripeProcessor) -> None:
    assert look(stranger, processor, invoice(), charge()).charges[0].processor_intent_id is None
    waiting = look(stranger, processor, invoice(payment(intent("requires_action"))), charge())
    assert waiting.charges[0].processor_intent_id == "pi_1"


def test_money_that_moved_and_money_that_is_on_its_way(stranger: Stranger, processor: StripeProcessor) -> None:
    paid = invoice(payment(intent("succeeded"), "paid"), status="paid", amount_paid=4900, amount_remaining=0)
    told = look(stranger, processor, paid, charge(status="succeeded", amount_refunded=900))
    only = told.charges[0]
    assert (only.status, only.amount_minor, only.refunded_minor) == (ChargeStatus.SUCCEEDED, 4900, 900)
    debit = charge(status="pending", captured=True)
    told = look(stranger, processor, invoice(payment(intent("processing"))), debit)
    assert told.charges[0].status is ChargeStatus.PENDING
    assert told.invoice.first_failed_at is None


def test_charges_of_other_invoices_are_not_this_ones(stranger: Stranger, processor: StripeProcessor) -> None:
    other = charge("ch_other", "succeeded", payment_intent="pi_other")
    assert [one.processor_charge_id for one in look(stranger, processor, invoice(), charge(), other).charges] == [
        "ch_1"
    ]


def test_half_of_a_payment_is_never_shown(stranger: Stranger, processor: StripeProcessor) -> None:
    """The charge succeeded between the two readings: both are read again until they agree."""
    paid = invoice(payment(intent("succeeded"), "paid"), status="paid", amount_paid=4900, amount_remaining=0)
    stranger.tell("/v1/invoices/in_1", Reply(body=invoice()), Reply(body=paid, headers={"date": http_date(7)}))
    stranger.tell("/v1/charges", listed(charge(status="succeeded")))
    stranger.tell("/v1/customers/cus_1/payment_methods", listed(method()))
    told = processor.snapshot(ACCOUNT, "in_1")
    assert (told.invoice.status, told.taken_at) == (InvoiceStatus.PAID, AT + timedelta(seconds=7))
    stranger.tell("/v1/invoices/in_1", invoice())
    with pytest.raises(SnapshotUnavailable, match="being paid at this moment"):
        processor.snapshot(ACCOUNT, "in_1")


def test_a_customer_with_many_charges_is_asked_about_by_intent(stranger: Stranger, processor: StripeProcessor) -> None:
    def charges(asked: object) -> Reply:
        by_intent = "payment_intent" in getattr(asked, "parameters", {})
        return Reply(
            body=listed(charge()) if by_intent else listed(charge("ch_x", payment_intent="pi_x"), has_more=True)
        )

    stranger.tell("/v1/invoices/in_1", invoice())
    stranger.replies["/v1/charges"] = charges
    stranger.tell("/v1/customers/cus_1/payment_methods", listed(method()))
    assert [one.processor_charge_id for one in processor.snapshot(ACCOUNT, "in_1").charges] == ["ch_1"]


@pytest.mark.parametrize(
    ("status", "ours"),
    [
        ("needs_response", DisputeStatus.OPEN),
        ("warning_needs_response", DisputeStatus.OPEN),
        ("warning_closed", DisputeStatus.WARNING_CLOSED),
        ("won", DisputeStatus.WON),
        ("lost", DisputeStatus.LOST),
        ("a later word", DisputeStatus.OPEN),
    ],
)
def test_a_dispute_on_another_invoice_of_the_card_is_seen(
    stranger: Stranger, processor: StripeProcessor, status: str, ours: DisputeStatus
) -> None:
    disputed = charge("ch_old", "succeeded", payment_intent="pi_old", disputed=True)
    moved = [{"amount": -4900}, {"amount": 4900}] if status == "won" else [{"amount": -4900}]
    dispute = {"id": "dp_1", "amount": 4900, "status": status, "charge": "ch_old", "reason": "fraudulent"}
    stranger.tell("/v1/disputes", listed(dispute | {"balance_transactions": moved}))
    told = look(stranger, processor, invoice(), charge(), disputed).disputes[0]
    assert (told.status, told.card_key, told.processor_charge_id) == (ours, "fp_1", "ch_old")
    assert (told.processor_invoice_id, told.reinstated) == (None, status == "won")


def test_a_bank_debit_that_came_back_is_a_return_and_no_dispute(stranger: Stranger, processor: StripeProcessor) -> None:
    paid = invoice(payment(intent("succeeded"), "paid"), status="paid", amount_paid=4900, amount_remaining=0)
    bank = {"type": "us_bank_account", "us_bank_account": {"fingerprint": "fp_bank"}}
    debit = charge(status="succeeded", disputed=True, payment_method_details=bank)
    dispute = {"id": "dp_1", "amount": 4900, "status": "lost", "charge": "ch_1", "reason": "insufficient_funds"}
    stranger.tell("/v1/disputes", listed(dispute))
    told = look(stranger, processor, paid, debit)
    assert told.disputes == ()
    assert (told.charges[0].status, told.charges[0].return_code) == (ChargeStatus.RETURNED, "insufficient_funds")


def test_a_decline_that_comes_after_the_money_is_a_decline(stranger: Stranger, processor: StripeProcessor) -> None:
    """A failed charge never becomes money, however paid the invoice is by then."""
    paid = invoice(payment(intent("succeeded", latest_charge="ch_late"), "paid"), status="paid", amount_remaining=0)
    told = look(stranger, processor, paid, charge(status="succeeded"), charge("ch_late", created=SECOND))
    assert [one.status for one in told.charges] == [ChargeStatus.SUCCEEDED, ChargeStatus.DECLINED]
