"""A charge of the book as the snapshot that the engine looks at.

The book says what is to be charged and what the merchant has taken back; our own case says what we have collected; and the billing system is asked only what became of
a charge that it still works on, or that may come back.
"""

from datetime import datetime

from dunr.charge_book import LeftCharge, LeftStatus
from dunr.core.attempt import Attempt
from dunr.core.snapshot import (
    ChargeSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    MethodSnapshot,
    RawDecline,
    Snapshot,
    SubscriptionSnapshot,
)
from dunr.core.terms import ChargeStatus, CollectionMethod, InvoiceStatus, Outcome, SubscriptionStatus

STATUSES = {LeftStatus.VOID: InvoiceStatus.VOID, LeftStatus.WRITTEN_OFF: InvoiceStatus.WRITTEN_OFF}


def collected(attempt: Attempt) -> ChargeSnapshot | None:
    """A charge of ours that is known to have succeeded."""
    if attempt.outcome is not Outcome.SUCCEEDED or attempt.processor_charge_id is None:
        return None
    at = attempt.settled_at or attempt.begun_at
    return ChargeSnapshot(attempt.processor_charge_id, attempt.key, attempt.captured_minor, ChargeStatus.SUCCEEDED, at)


def came_back(attempt: Attempt, returned_charge_ids: tuple[str, ...]) -> ChargeSnapshot | None:
    """A charge of ours that is known to have been taken back, whatever the billing system can say of it just now: it is never shown as paid again."""
    if attempt.processor_charge_id is None or attempt.processor_charge_id not in returned_charge_ids:
        return None
    at = attempt.settled_at or attempt.begun_at
    return ChargeSnapshot(attempt.processor_charge_id, attempt.key, attempt.captured_minor, ChargeStatus.RETURNED, at)


def snapshot_of(charge: LeftCharge, ours: tuple[ChargeSnapshot, ...], now: datetime, *, live: bool) -> Snapshot:
    """What is known of a charge now. `ours` are the charges that our attempts made."""
    outside = tuple(
        ChargeSnapshot(one.id, None, one.amount_minor, ChargeStatus.SUCCEEDED, one.at) for one in charge.paid_outside
    )
    failed = (charge.failed, *charge.failed_outside) if charge.failed is not None else charge.failed_outside
    declined = tuple(
        ChargeSnapshot(one.id, None, charge.amount_minor, ChargeStatus.DECLINED, one.at, RawDecline(one.reason_code))
        for one in failed
    )
    charges = (*ours, *outside, *declined)
    paid_minor = sum(one.amount_minor - one.refunded_minor for one in charges if one.status is ChargeStatus.SUCCEEDED)
    due_minor = max(0, charge.amount_minor - paid_minor)
    status = STATUSES.get(charge.status) or (InvoiceStatus.OPEN if due_minor else InvoiceStatus.PAID)
    instrument, payer = charge.instrument, charge.payer
    return Snapshot(
        taken_at=now,
        live=live,
        invoice=InvoiceSnapshot(
            processor_invoice_id=charge.id,
            status=status,
            amount_total_minor=charge.amount_minor,
            amount_due_minor=due_minor,
            credited_minor=0,
            currency=charge.currency,
            first_failed_at=charge.failed.at if charge.failed is not None else None,
            collection_method=CollectionMethod.CHARGE_AUTOMATICALLY,
            is_first=False,
            products=charge.products,
            tags=charge.tags,
            charge_due_at=charge.due_at,
        ),
        subscription=SubscriptionSnapshot(charge.subscription_id, SubscriptionStatus.ACTIVE, charge.period_end_at)
        if charge.subscription_id is not None
        else None,
        customer=CustomerSnapshot(
            charge.customer_id, False, payer.email, payer.name, payer.locale, payer.timezone, payer.country
        ),
        methods=(
            MethodSnapshot(
                instrument.id,
                None,
                instrument.rail,
                instrument.network,
                expires_on=instrument.expires_on,
                country=instrument.country,
            ),
        ),
        charges=charges,
    )
