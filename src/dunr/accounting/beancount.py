"""The ledger as Beancount text, which `bean-check` accepts: plain-text double-entry accounting that an accountant can read, query and keep under version control."""

from collections.abc import Iterable, Iterator
from datetime import date

from dunr.core import ledger
from dunr.core.decision import Posting
from dunr.facts.currencies import exponent, units

ACCOUNTS = {
    ledger.RECEIVABLE: "Assets:Dunr:Receivable",
    ledger.DELINQUENT: "Assets:Dunr:Receivable:Delinquent",
    ledger.PROCESSOR: "Assets:Dunr:Processor",
    ledger.DISPUTES: "Assets:Dunr:Disputed",
    ledger.OVERPAYMENTS: "Liabilities:Dunr:Overpayments",
    ledger.BILLED: "Income:Dunr:Billed",
    ledger.CREDITS: "Expenses:Dunr:Credits",
    ledger.VOIDS: "Expenses:Dunr:Voids",
    ledger.WRITE_OFFS: "Expenses:Dunr:WriteOffs",
    ledger.REFUNDS: "Expenses:Dunr:Refunds",
}


def beancount_lines(postings: Iterable[Posting], opened_on: date) -> Iterator[str]:
    """The lines of a Beancount file, each with its line end. `opened_on` is not later than the first posting; dates are UTC days."""
    yield 'option "title" "dunr"\n'
    for name in ACCOUNTS.values():
        yield f"{opened_on.isoformat()} open {name}\n"
    for posting in postings:
        yield from _transaction(posting)


def _transaction(posting: Posting) -> Iterator[str]:
    processor, _, invoice_id = posting.case_id.split(":", 2)
    yield "\n"
    yield f'{posting.at.date().isoformat()} * "{_text(invoice_id)}" "{_text(posting.kind)}"\n'
    yield f'  posting: "{_text(posting.id)}"\n'
    digits = exponent(processor, posting.currency)
    for account, amount_minor in posting.lines:
        amount = units(processor, amount_minor, posting.currency)
        yield f"  {ACCOUNTS[account]}  {amount:.{digits}f} {posting.currency.upper()}\n"


def _text(text: str) -> str:
    """A text between quotation marks, on one line."""
    return " ".join(text.replace("\\", "\\\\").replace('"', '\\"').splitlines())
