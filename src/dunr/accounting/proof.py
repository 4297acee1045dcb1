"""Proof that the books are as they were written: each entry balances, each case owes what its entries say, and each audit chain runs unbroken to its head."""

from collections import defaultdict
from collections.abc import Iterator

from dunr.accounting.pages import all_cases
from dunr.core import keys
from dunr.core.decision import Posting
from dunr.core.ledger import DELINQUENT, RECEIVABLE
from dunr.core.model import Case
from dunr.ports import Reports

ENTRIES_MAX = 100_000  # of one case


def problems_of_books(reports: Reports) -> Iterator[str]:
    """Everything that is not as it must be, in words."""
    for case in all_cases(reports):
        yield from ledger_problems(case, reports)
        yield from audit_problems(case, reports)


def ledger_problems(case: Case, reports: Reports) -> Iterator[str]:
    """Whether the entries of a case balance, in its own currency, and come to what it still owes."""
    balance: dict[str, int] = defaultdict(int)
    for posting in reports.postings(case.id, ENTRIES_MAX):
        yield from _posting_problems(case, posting)
        for account, amount_minor in posting.lines:
            balance[account] += amount_minor
    owed_minor = balance[RECEIVABLE] + balance[DELINQUENT]
    if owed_minor != case.amount_due_minor:
        yield f"{case.id}: the ledger says that {owed_minor} {case.currency} are owed, and the case {case.amount_due_minor}."


def _posting_problems(case: Case, posting: Posting) -> Iterator[str]:
    off_minor = sum(amount for _, amount in posting.lines)
    if off_minor:
        yield f"{case.id}: the posting {posting.id} is off by {off_minor} {posting.currency}."
    if posting.currency != case.currency:
        yield f"{case.id}: the posting {posting.id} is in {posting.currency}, and the case in {case.currency}."


def audit_problems(case: Case, reports: Reports) -> Iterator[str]:
    """Whether each entry names the hash of the one before it, and the case the last one's."""
    previous = ""
    entries = reports.audit(case.id, ENTRIES_MAX)
    for number, entry in enumerate(entries, start=1):
        parts = (case.id, str(entry.number), entry.at.isoformat(), entry.actor, entry.what, *entry.why)
        written = entry.hash == keys.audit_hash(previous, *parts)
        if entry.number != number or entry.previous_hash != previous or not written:
            yield f"{case.id}: the audit entry {entry.number} is not as it was written, or does not follow the one before it."
        previous = entry.hash
    if previous != case.audit_head or len(entries) != case.audit_count:
        yield f"{case.id}: the audit log does not end where the case says."
