"""All cases and all ledger entries, a page at a time, so that a million of them never lie in memory together."""

from collections.abc import Iterator

from dunr.core.decision import Posting
from dunr.core.model import Case
from dunr.ports import Reports

PAGE = 500


def all_cases(reports: Reports, state: str | None = None) -> Iterator[Case]:
    """Every case, newest first, or those in one state. One that opens meanwhile may be left out."""
    after: str | None = None
    while page := reports.cases(state=state, text=None, limit=PAGE, after=after):
        yield from page
        after = page[-1].id


def all_postings(reports: Reports) -> Iterator[Posting]:
    """Every ledger entry, first posted first. One that is posted meanwhile is included."""
    after: str | None = None
    while page := reports.postings(None, PAGE, after):
        yield from page
        after = page[-1].id
