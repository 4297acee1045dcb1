"""`dunr import`: take in what was past due before dunr came, and let it go on once a person agrees."""

from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.reconcile import progress
from dunr.entry.cli.terminal import Failed, Json, answer, application_of, say, show_table

if TYPE_CHECKING:
    from dunr.first_import import TakenIn

UNREADABLE_SHOWN_MAX = 20


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("import")(first_import)


def first_import(
    context: typer.Context,
    source: Annotated[
        str | None, typer.Argument(metavar="PROCESSOR", help="Which one; left out: the one in the settings.")
    ] = None,
    agreed: Annotated[
        bool, typer.Option("--agree", help="Let what was taken in go on: charges, mails, pauses.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take in every invoice that is past due at the processor, with the brake on: nobody is charged, mailed or paused before you agree."""
    from dunr.first_import import agree, take_in

    with application_of(context) as application:
        configured = application.settings.processor
        if source not in (None, configured):
            raise typer.BadParameter(
                f"The settings name the processor {configured!r}: set `processor` first.", param_hint="PROCESSOR"
            )
        if agreed:
            count = agree(application)
            _tell_agreed(count, as_json)
            return
        with progress("Taking in") as told:
            taken = take_in(application, told)
    if as_json:
        answer(taken)
    else:
        _tell(taken, configured)
    if taken.unreadable:
        raise Failed(f"{len(taken.unreadable)} invoices could not be read. Run `dunr import` again before you agree.")


def _tell_agreed(count: int, as_json: bool) -> None:
    if as_json:
        answer({"agreed": True, "open_count": count})
    else:
        say(f"Agreed: {count} open cases go on.")


def _tell(taken: "TakenIn", processor: str) -> None:
    from dunr.facts.currencies import units

    owed = [f"{units(processor, minor, currency)} {currency}" for currency, minor in taken.amounts_minor.items()]
    say(
        f"{taken.listed_count} open invoices listed, {taken.opened_count} taken in now; {taken.open_count} cases are open."
    )
    if taken.oldest_failed_at is not None:
        say(f"Owed: {', '.join(owed)}. The oldest has failed since {taken.oldest_failed_at:%Y-%m-%d}.")
    for why, count in sorted(taken.left_alone.items()):
        say(f"Left alone: {count}, since {why}.")
    rows = [(f"{day.on}", day.attempts_count, day.own_tries_count, day.pauses_count) for day in taken.coming]
    show_table("What comes next, if you agree now", ("On", "Attempts", "Processor's own", "Pauses"), rows)
    for case_id, why in taken.unreadable[:UNREADABLE_SHOWN_MAX]:
        typer.echo(f"{case_id}: {why}", err=True)
    say("Nothing is charged, mailed or paused before `dunr import --agree`.")
