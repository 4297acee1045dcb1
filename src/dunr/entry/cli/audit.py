"""`dunr audit`: who did what, when and why, and the proof that nobody has rewritten it."""

from typing import Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, application_of, say

app = typer.Typer(help="Who did what, when and why.", no_args_is_help=True)


@app.command()
def verify(context: typer.Context, as_json: Json = False) -> None:
    """Recompute the audit chain of every case, the balance of the ledger and the daily record; fail where anything was rewritten."""
    from dunr.accounting.proof import problems_of_books
    from dunr.daily_record import problems_of_days

    with application_of(context) as application:
        problems = [*problems_of_books(application.reports), *problems_of_days(application.store, application.reports)]
    if as_json:
        answer({"verified": not problems, "problems": problems})
    for problem in () if as_json else problems:
        say(problem)
    if problems:
        raise Failed(f"{len(problems)} problems were found: the books are not as they were written.")
    if not as_json:
        say("Every entry is as it was written.")


@app.command()
def show(
    context: typer.Context,
    case: Annotated[str, typer.Argument(help="The case, by its id or its invoice.")],
    as_json: Json = False,
) -> None:
    """Show the audit log of one case, from its start."""
    from dunr.accounting.proof import ENTRIES_MAX
    from dunr.entry.cli.cases import case_named

    with application_of(context) as application:
        entries = application.reports.audit(case_named(application, case).id, ENTRIES_MAX)
    if as_json:
        answer({"audit": entries})
        return
    for entry in entries:
        say(f"{entry.number:>4}  {entry.at:%Y-%m-%d %H:%M:%S}  {entry.actor}: {entry.what}")
        for why in entry.why:
            say(f"      {why}")
