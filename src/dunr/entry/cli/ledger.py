"""`dunr ledger`: what was owed, collected and given back, for accountants and their programs."""

import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, application_of, say, show_table

if TYPE_CHECKING:
    from dunr.core.decision import Posting

app = typer.Typer(help="What was owed, collected and given back.", no_args_is_help=True)

FORMATS = ("csv", "beancount")
COLUMNS = ("processor", "currency", "account", "amount_minor")


@app.command()
def export(
    context: typer.Context,
    form: Annotated[str, typer.Option("--format", help="csv, or beancount.")] = "csv",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; left out: to the terminal.")
    ] = None,
) -> None:
    """Write the whole ledger, first entry first."""
    from dunr.accounting.beancount import beancount_lines
    from dunr.accounting.pages import all_postings
    from dunr.accounting.table import csv_lines

    if form not in FORMATS:
        raise typer.BadParameter(f"Write one of {', '.join(FORMATS)}.", param_hint="--format")
    with application_of(context) as application:
        if form == "csv":
            write(csv_lines(all_postings(application.reports)), output)
            return
        opened_on = min((posting.at.date() for posting in all_postings(application.reports)), default=None)
        today = application.clock.now().date()
        write(beancount_lines(all_postings(application.reports), opened_on or today), output)


@app.command()
def balance(context: typer.Context, as_json: Json = False) -> None:
    """Show what stands in each account, in each currency; each currency comes to nothing."""
    from dunr.accounting.pages import all_postings
    from dunr.facts.currencies import units

    with application_of(context) as application:
        sums = sorted(_sums(all_postings(application.reports)).items())
    if as_json:
        rows = [(*name, amount_minor) for name, amount_minor in sums]
        answer({"balance": [dict(zip(COLUMNS, row, strict=True)) for row in rows]})
        return
    table = [
        (account, f"{units(processor, amount_minor, currency)} {currency.upper()}")
        for (processor, currency, account), amount_minor in sums
    ]
    show_table("", ("Account", "Balance"), table)


def _sums(postings: "Iterable[Posting]") -> dict[tuple[str, str, str], int]:
    sums: dict[tuple[str, str, str], int] = {}
    for posting in postings:
        for account, amount_minor in posting.lines:
            name = (posting.case_id.partition(":")[0], posting.currency, account)
            sums[name] = sums.get(name, 0) + amount_minor
    return sums


def write(lines: Iterable[str], output: Path | None) -> None:
    """To a file, whole or not at all, or to the terminal as they come. Raises `Failed` where there can be no such file."""
    if output is None:
        sys.stdout.writelines(lines)
        return
    unfinished = output.with_name(f"{output.name}.unfinished")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
        unfinished.replace(output)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise Failed(f"{output} cannot be written ({error.strerror}): name a file in a folder that is there") from error
    say(f"Written to {output}.")
