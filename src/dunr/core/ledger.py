"""Every way that money, or the right to it, moves: balanced lines under ids that make a repeat harmless.

Debits are positive. `receivable` is what the customer owes; an exhausted case moves it to `receivable:delinquent`. The accountant's question is always the
same: for each invoice, opened = credited + recovered + written off + voided + what is still owed.
"""

from datetime import datetime

from dunr.core import keys
from dunr.core.decision import Posting
from dunr.core.model import Case
from dunr.core.terms import CloseReason

RECEIVABLE = "receivable"
DELINQUENT = "receivable:delinquent"
PROCESSOR = "processor"  # what the processor holds for us
BILLED = "billed"
CREDITS = "credits"
VOIDS = "voids"
WRITE_OFFS = "write_offs"
OVERPAYMENTS = "overpayments"  # owed back to the customer
DISPUTES = "disputes"
REFUNDS = "refunds"


def receivable(case: Case) -> str:
    """The account in which what is owed stands now; of a debt that was given up, the loss."""
    if case.closed_because is CloseReason.WRITTEN_OFF:
        return WRITE_OFFS
    return DELINQUENT if case.is_delinquent else RECEIVABLE


def _entry(case: Case, kind: str, ref: str, at: datetime, debit: str, credit: str, amount_minor: int) -> Posting:
    """One balanced pair of lines."""
    lines = ((debit, amount_minor), (credit, -amount_minor))
    return Posting(keys.posting(case.id, kind, ref), case.id, kind, at, case.currency, lines)


def opened(case: Case, amount_minor: int, at: datetime) -> Posting:
    """The debt as it stood when the case opened."""
    return _entry(case, "opened", f"r{case.round}", at, RECEIVABLE, BILLED, amount_minor)


def credited(case: Case, amount_minor: int, at: datetime) -> Posting:
    """Part of the debt was forgiven (or, negative, added); named by the place of the decision in the case's audit chain."""
    return _entry(case, "credited", f"n{case.audit_count + 1}", at, CREDITS, receivable(case), amount_minor)


def credited_late(case: Case, amount_minor: int, at: datetime) -> Posting:
    """A credit met money that had paid the debt already: that much was paid too much."""
    return _entry(case, "credited_late", f"n{case.audit_count + 1}", at, CREDITS, OVERPAYMENTS, amount_minor)


def collected(case: Case, charge_ref: str, owed_minor: int, overpaid_minor: int, at: datetime) -> tuple[Posting, ...]:
    """Money arrived by one charge: the part that was owed, and the part that was not. `charged`: nothing had failed, so that nothing was recovered."""
    entries = []
    if owed_minor:
        kind = "charged" if not case.has_failed else "recovered" if owed_minor >= case.amount_due_minor else "part_paid"
        entries.append(_entry(case, kind, charge_ref, at, PROCESSOR, receivable(case), owed_minor))
    if overpaid_minor:
        entries.append(_entry(case, "overpaid", charge_ref, at, PROCESSOR, OVERPAYMENTS, overpaid_minor))
    return tuple(entries)


def refunded(
    case: Case, charge_ref: str, total_minor: int, from_overpaid_minor: int, from_debt_minor: int, at: datetime
) -> tuple[Posting, ...]:
    """Money went back: first what was paid too much, then what had paid the debt. Named by the charge and the total refunded so far."""
    entries = []
    ref = f"{charge_ref}@{total_minor}"
    if from_overpaid_minor:
        entries.append(_entry(case, "refunded_overpayment", ref, at, OVERPAYMENTS, PROCESSOR, from_overpaid_minor))
    if from_debt_minor:
        entries.append(_entry(case, "refunded", ref, at, REFUNDS, PROCESSOR, from_debt_minor))
    return tuple(entries)


def reversed_(
    case: Case, charge_ref: str, from_overpaid_minor: int, from_debt_minor: int, at: datetime
) -> tuple[Posting, ...]:
    """A bank debit came back: first what was paid too much, then what had paid the debt, which stands again."""
    entries = []
    if from_overpaid_minor:
        entries.append(
            _entry(case, "reversed_overpayment", charge_ref, at, OVERPAYMENTS, PROCESSOR, from_overpaid_minor)
        )
    if from_debt_minor:
        entries.append(_entry(case, "reversed", charge_ref, at, receivable(case), PROCESSOR, from_debt_minor))
    return tuple(entries)


def disputed(case: Case, dispute_ref: str, amount_minor: int, at: datetime) -> Posting:
    """The processor took the disputed amount back."""
    return _entry(case, "disputed", dispute_ref, at, DISPUTES, PROCESSOR, amount_minor)


def reinstated(case: Case, dispute_ref: str, amount_minor: int, at: datetime) -> Posting:
    """The disputed amount came back to us."""
    return _entry(case, "reinstated", dispute_ref, at, PROCESSOR, DISPUTES, amount_minor)


def delinquent(case: Case, amount_minor: int, at: datetime) -> Posting:
    """The steps are spent; the debt is still payable, in another account."""
    return _entry(case, "delinquent", f"r{case.round}", at, DELINQUENT, RECEIVABLE, amount_minor)


def voided(case: Case, amount_minor: int, at: datetime) -> Posting:
    """The processor voided the invoice: nothing is owed."""
    return _entry(case, "voided", f"r{case.round}", at, VOIDS, receivable(case), amount_minor)


def written_off(case: Case, amount_minor: int, at: datetime) -> Posting:
    """The debt was given up."""
    return _entry(case, "written_off", f"r{case.round}", at, WRITE_OFFS, receivable(case), amount_minor)
