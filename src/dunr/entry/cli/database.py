"""`dunr db`: bring the database up to this release, see whether all is well with it, and carry it somewhere else."""

import typer

from dunr.entry.cli import backups
from dunr.entry.cli.terminal import Failed, Json, answer, application_of, say

app = typer.Typer(help="The database.", no_args_is_help=True)
backups.add_to(app)


@app.command()
def migrate(context: typer.Context, as_json: Json = False) -> None:
    """Create the tables, or bring them up to this release. Every other command does so too; this one does nothing else."""
    with application_of(context) as application:
        store = application.settings.store_shown
    if as_json:
        answer({"store": store, "migrated": True})
    else:
        say(f"{store} is up to date.")


@app.command()
def finish(context: typer.Context, as_json: Json = False) -> None:
    """Take away what only the release before needed, once none of its processes runs any more; from then on none can start."""
    with application_of(context) as application:
        if application.finish_migration is None:
            raise Failed("This store keeps nothing for a release before.")
        application.finish_migration()
    if as_json:
        answer({"finished": True})
    else:
        say("Nothing is left of the release before.")


@app.command()
def check(context: typer.Context, as_json: Json = False) -> None:
    """Check the identity, the balance of the ledger and the audit chain of every case."""
    from dunr.accounting.proof import problems_of_books
    from dunr.adoption import WHY, is_stopped_as_copy

    with application_of(context) as application:
        copied = [f"Nothing is sent: {WHY}."] if is_stopped_as_copy(application.rulebook) else []
        problems = [*copied, *problems_of_books(application.reports)]
    if as_json:
        answer({"problems": problems})
    for problem in () if as_json else problems:
        say(problem)
    if problems:
        raise Failed(f"{len(problems)} problems were found.")
    if not as_json:
        say("All is well.")
