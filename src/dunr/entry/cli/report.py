"""`dunr report`: a month in figures, as a page, a table or JSON."""

from pathlib import Path
from typing import Annotated

import typer

from dunr.entry.cli.ledger import write
from dunr.entry.cli.terminal import answer, application_of

FORMATS = ("html", "csv", "json")


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("report")(report)


def report(
    context: typer.Context,
    month: Annotated[str, typer.Option(help="The month, such as 2026-06.")],
    form: Annotated[str, typer.Option("--format", help="html, csv or json.")] = "html",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; left out: to the terminal.")
    ] = None,
) -> None:
    """Show what failed, came in and was given up in a month, and which attempts brought it."""
    from dunr.accounting.month import month_of
    from dunr.accounting.month import report as figures
    from dunr.accounting.pages import all_cases, all_postings
    from dunr.accounting.sheet import csv_rows, html_page
    from dunr.accounting.table import csv_line
    from dunr.prose_costs import prose_costs

    if form not in FORMATS:
        raise typer.BadParameter(f"Write one of {', '.join(FORMATS)}.", param_hint="--format")
    try:
        begins_on, until = month_of(month)
    except ValueError as error:
        raise typer.BadParameter("Write a month as 2026-06.", param_hint="--month") from error
    with application_of(context) as application:
        reports, prose = application.reports, prose_costs(application.store)
        found = figures(begins_on, until, all_postings(reports), all_cases(reports), prose)
    if form == "json":
        answer(found)
    elif form == "csv":
        write((csv_line(row) for row in csv_rows(found)), output)
    else:
        write((html_page(found),), output)
