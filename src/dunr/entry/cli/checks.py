"""What must hold of a whole database: it is the original, its ledger balances, and nobody has rewritten the audit log."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dunr.adoption import WHY, is_stopped_as_copy
from dunr.core import keys
from dunr.core.terms import CaseState

if TYPE_CHECKING:
    from dunr.application import Application
    from dunr.core.model import Case
    from dunr.ports import Reports

PAGE = 200
PAGES_MAX = 100_000
ENTRIES_MAX = 100_000


def problems_of(application: "Application") -> Iterator[str]:
    """Everything that is not as it must be, in words."""
    if is_stopped_as_copy(application.rulebook):
        yield f"Nothing is sent: {WHY}."
    for state in CaseState:
        for case in _cases(application.reports, state):
            yield from _ledger_problems(application.reports, case)
            yield from _audit_problems(application.reports, case)


def _cases(reports: "Reports", state: CaseState) -> "Iterator[Case]":
    after: str | None = None
    for _ in range(PAGES_MAX):
        page = reports.cases(state=state, text=None, limit=PAGE, after=after)
        yield from page
        if len(page) < PAGE:
            return
        after = page[-1].id


def _ledger_problems(reports: "Reports", case: "Case") -> Iterator[str]:
    for posting in reports.postings(case.id, ENTRIES_MAX):
        off_minor = sum(amount for _, amount in posting.lines)
        if off_minor:
            yield f"{case.id}: the posting {posting.id} is off by {off_minor} {posting.currency}."


def _audit_problems(reports: "Reports", case: "Case") -> Iterator[str]:
    """Each entry names the hash of the one before it, and the case names the last."""
    previous = ""
    entries = reports.audit(case.id, ENTRIES_MAX)
    for entry in entries:
        parts = (case.id, str(entry.number), entry.at.isoformat(), entry.actor, entry.what, *entry.why)
        if entry.previous_hash != previous or entry.hash != keys.audit_hash(previous, *parts):
            yield f"{case.id}: the audit entry {entry.number} is not as it was written, or does not follow the one before it."
        previous = entry.hash
    if previous != case.audit_head or len(entries) != case.audit_count:
        yield f"{case.id}: the audit log does not end where the case says."
