"""The ledger as a table: one row a line, for a spreadsheet or a warehouse.

A text cell that a spreadsheet would take for a formula is quoted with an apostrophe, since ids come from outside.
"""

import csv
from collections.abc import Iterable, Iterator
from io import StringIO

from dunr.core.decision import Posting
from dunr.facts.currencies import units

COLUMNS = ("posting", "case", "at", "kind", "account", "amount", "currency", "amount_minor")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_lines(postings: Iterable[Posting]) -> Iterator[str]:
    """The lines of a CSV file, the heading first, each with its line end. Debits are positive; `amount` is in whole units."""
    yield csv_line(COLUMNS)
    for posting in postings:
        processor = posting.case_id.partition(":")[0]
        for account, amount_minor in posting.lines:
            amount = f"{units(processor, amount_minor, posting.currency):f}"
            texts = (plain(posting.id), plain(posting.case_id), posting.at.isoformat(), posting.kind, account)
            yield csv_line((*texts, amount, posting.currency.upper(), str(amount_minor)))


def plain(text: str) -> str:
    """A text that no spreadsheet computes."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def csv_line(cells: Iterable[str]) -> str:
    """One line of a CSV file, with its line end."""
    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)  # named, so that either of the two is quoted in a cell
    return out.getvalue().removesuffix("\r\n") + "\n"
