"""What a list says of an invoice, and whether a case has anything to learn from it.

A list is read a hundred invoices at a time, and tells less than a look: what the invoice, its subscription and its payer are now, but neither cards nor charges. Where
all of that is known, a look would come to nothing and is left out. In doubt the answer is to look, so that a glance never decides anything but that.
"""

from dunr.core.decision import Dossier
from dunr.core.model import Case
from dunr.core.reconcile import not_ours_because, statements_in
from dunr.core.snapshot import Snapshot
from dunr.core.terms import CaseState
from dunr.core.value import Value, replace


class Glance(Value):
    """`told` is as much of a snapshot as the list tells, without methods, charges and disputes.

    `default_method_id` is what the processor would charge now, `charge_ids` are the payer's that are known to have come lately, on whichever invoice. `is_touched`:
    something of the payer changed lately that a list does not show, such as a card or a dispute.
    """

    told: Snapshot
    default_method_id: str | None = None
    charge_ids: tuple[str, ...] = ()
    is_touched: bool = False


class Listing(Value):
    """An invoice that a list names; without a glance it tells no more than that."""

    processor_invoice_id: str
    glance: Glance | None = None


def why_no_case(glance: Glance) -> str | None:
    """Why an invoice without a case gets none, or None where a look has to say."""
    return not_ours_because(glance.told)


def has_news(dossier: Dossier, glance: Glance) -> bool:
    """Whether a look may have something to say that the case does not know. The dossier is read without a snapshot."""
    case = dossier.case
    if case is None:
        return why_no_case(glance) is None
    if glance.is_touched or case.in_flight is not None or case.look_failing_since_at is not None:
        return True
    told = replace(dossier, snapshot=glance.told)
    return (
        any(statements_in(told, case, glance.told))
        or not _known_charges(case).issuperset(glance.charge_ids)
        or (case.is_open and _may_have_another_method(dossier, case, glance))
    )


def _known_charges(case: Case) -> frozenset[str]:
    return frozenset(one.processor_charge_id for one in case.attempts if one.processor_charge_id).union(
        case.foreign_charge_ids
    )


def _may_have_another_method(dossier: Dossier, case: Case, glance: Glance) -> bool:
    """Whether another method than those that were tried would be charged now, or one of several cases waits for its turn."""
    run = dossier.customer.run if dossier.customer is not None else None
    if (run is not None and not run.stopped) or case.method_notes.pending_refresh is not None:
        return True
    if glance.default_method_id is None:
        return case.state is CaseState.SCHEDULED
    used = [*(one.method for one in case.attempts), case.waiting_method]
    return glance.default_method_id not in {one.processor_method_id for one in used if one is not None}
