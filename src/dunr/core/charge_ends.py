"""What the merchant's billing system hears of a charge that it left to us: how it ended, each time that this changes."""

from datetime import datetime
from typing import assert_never

from dunr.core import keys
from dunr.core.effects import PublishCharge
from dunr.core.model import Case
from dunr.core.terms import CaseState, ChargeEnd


def charge_end(case: Case | None) -> ChargeEnd | None:
    """How the case's charge has ended; None where it has not, or where the processor made the first charge and knows by itself.

    A charge for which only the customer can do something is not paid, as far as the merchant is concerned, though late money is taken in.
    """
    if case is None or case.charge_due_at is None:
        return None
    match case.state:
        case CaseState.SCHEDULED:
            return None
        case CaseState.AWAITING_CUSTOMER:
            return ChargeEnd.NOT_PAID if case.has_failed and case.in_flight is None else None
        case CaseState.EXHAUSTED:
            return ChargeEnd.NOT_PAID
        case CaseState.RECOVERED:
            return ChargeEnd.PAID
        case CaseState.CLOSED:
            return ChargeEnd.CLOSED
        case unreachable:
            assert_never(unreachable)


def told_of_end(before: Case | None, case: Case, now: datetime) -> PublishCharge | None:
    """What the merchant is told now; None where the end has not changed."""
    end = charge_end(case)
    if end is None or end is charge_end(before):
        return None
    last = case.attempts[-1] if case.attempts else None
    return PublishCharge(
        key=keys.charge_end(case.id, case.audit_count + 1),
        case_id=case.id,
        processor_invoice_id=case.processor_invoice_id,
        end=end,
        amount_due_minor=case.amount_due_minor,
        currency=case.currency,
        reason=last.reason if last is not None else None,
        raw_code=last.raw_code if last is not None else None,
        at=now,
    )
