"""`dunr notices`: what became of mails that could not leave or came back, and another chance for them."""

import mailbox
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, application_of, say, show_table

REPORT_BYTES_MAX = 5_000_000
app = typer.Typer(
    help="Notices that did not leave or came back, and addresses that are written to no more.", no_args_is_help=True
)


@app.command()
def bounce(
    context: typer.Context,
    mbox: Annotated[
        Path | None,
        typer.Option(
            help="A mailbox file of reports; left out: one report on the standard input.", exists=True, dir_okay=False
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Take in bounces and complaints (RFC 3464, RFC 5965, and odd ones). Taking one in twice is harmless."""
    from dunr.entry.feedback import FeedbackTaker
    from dunr.mail.reports import read_report
    from dunr.mailroom import return_paths

    with application_of(context) as application:
        taker = FeedbackTaker(application.engine, return_paths(application.settings))
        results = []
        for raw in _reports(mbox):
            feedback = read_report(raw)
            results.append("ignored: it is no report" if feedback is None else taker.take(feedback))
    if as_json:
        answer({"reports": results})
    for result in results if not as_json else ():
        say(result)


def _reports(mbox: Path | None) -> Iterator[bytes]:
    if mbox is None:
        yield sys.stdin.buffer.read(REPORT_BYTES_MAX)
        return
    box = mailbox.mbox(mbox, create=False)
    try:
        for message in box:
            yield message.as_bytes()
    finally:
        box.close()


@app.command()
def allow(
    context: typer.Context,
    address: Annotated[str, typer.Argument(help="A mail address that is to be written to again.")],
) -> None:
    """Write to an address again that mail came back from."""
    from dunr.suppressions import Suppressions

    with application_of(context) as application:
        if not Suppressions(application.store).lift(address, application.clock.now()):
            raise Failed("That address is written to; nothing was changed.")
    say("It is written to again from the next notice on.")


@app.command("dead")
def list_dead(
    context: typer.Context, limit: Annotated[int, typer.Option(min=1, max=1000)] = 50, as_json: Json = False
) -> None:
    """List notices that were given up, newest first."""
    from dunr.dead_notices import dead_notices

    with application_of(context) as application:
        rows = dead_notices(application.reports, limit)
    if as_json:
        answer({"notices": rows})
    else:
        cells = [(row.key, row.kind, row.case, row.given_up_at, row.note) for row in rows]
        show_table("", ("Key", "Kind", "Case", "Given up", "Why"), cells)


@app.command()
def redrive(
    context: typer.Context, key: Annotated[str, typer.Argument(help="The notice's key, as `dead` shows it.")]
) -> None:
    """Give a notice another chance. It leaves only if it is still true."""
    from dunr.dead_notices import redrive as try_again

    with application_of(context) as application:
        if not try_again(application.store, key, application.clock.now()):
            raise Failed(f"There is no notice {key!r} that was given up; `dunr notices dead` shows them.")
        if application.settings.clock == "manual":
            application.runner.run_until_quiet()
    say(f"{key} is tried again.")
