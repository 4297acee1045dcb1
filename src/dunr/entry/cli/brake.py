"""`dunr stop`, `dunr resume` and `dunr adopt`: what holds everywhere, from the next send on."""

from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, application_of, say

if TYPE_CHECKING:
    from dunr.application import Application

RECORD_SHOWN = 50
Charges = Annotated[bool, typer.Option("--charges", help="Charges only.")]
Pauses = Annotated[bool, typer.Option("--pauses", help="Pauses only.")]
Mail = Annotated[bool, typer.Option("--mail", help="Mail only.")]
Account = Annotated[str | None, typer.Option(help="One account only, as processor:account; left out: everywhere.")]


def add_to(app: typer.Typer) -> None:
    """Hang the commands on the command line."""
    app.command("stop")(stop)
    app.command("resume")(resume)
    app.command("adopt")(adopt)


def stop(
    context: typer.Context,
    charges: Charges = False,
    pauses: Pauses = False,
    mail: Mail = False,
    account: Account = None,
    why: Annotated[str, typer.Option(help="Shown wherever something is held back.")] = "stopped by an operator",
    show: Annotated[bool, typer.Option("--show", help="Change nothing: show what holds, and who changed it.")] = False,
    as_json: Json = False,
) -> None:
    """Put the brake on: nothing is charged, paused or mailed. What is under way is not called back."""
    from dunr.rulebook import EVERYWHERE

    with application_of(context) as application:
        for kind in () if show else _kinds(charges, pauses, mail):
            application.brakes.stop(kind, account or EVERYWHERE, why, "dunr stop")
        _tell(application, as_json, with_record=show)


def resume(
    context: typer.Context,
    charges: Charges = False,
    pauses: Pauses = False,
    mail: Mail = False,
    account: Account = None,
    brakes: Annotated[bool, typer.Option("--brakes", help="Let go of what holds by itself, instead.")] = False,
    why: Annotated[str, typer.Option(help="Kept on record.")] = "",
    as_json: Json = False,
) -> None:
    """Take the brake off. A copied database stays stopped until `dunr adopt`."""
    from dunr.rulebook import COPIED, EVERYWHERE, IMPORTED, MOVED

    with application_of(context) as application:
        if brakes:
            for one in application.brakes.held():
                if account in (None, one.account):
                    application.brakes.lift(one, why, "dunr resume")
        for kind in () if brakes else _kinds(charges, pauses, mail):
            application.brakes.resume(kind, account or EVERYWHERE, why, "dunr resume")
        left = application.rulebook.all_stops()
        _tell(application, as_json)
        if not as_json and account is None:
            for scope in sorted({stop.scope for stop in left} - {EVERYWHERE, COPIED, IMPORTED, MOVED}):
                say(f"What is stopped for one account only, `dunr resume --account {scope}` takes off.")
        if any(stop.scope == IMPORTED for stop in left) and not as_json:
            say("An import waits for `dunr import --agree`.")
        if any(stop.scope == COPIED for stop in left):
            raise Failed(
                "This database is a copy and stays stopped; `dunr adopt` says that it is the one to go on with."
            )


def adopt(context: typer.Context, as_json: Json = False) -> None:
    """Go on with this copy of the database. Make sure first that the original runs nowhere."""
    from dunr.adoption import adopt as adopt_store
    from dunr.adoption import identified

    with application_of(context) as application:
        store = identified(application.store)
        if store is None:
            raise Failed("A store in memory has no identity and is never a copy.")
        adopted = adopt_store(application, store)
        if as_json:
            answer(adopted)
        for case_id, why in adopted.unreadable:
            typer.echo(f"{case_id}: {why}", err=True)
        if not adopted.is_done:
            raise Failed("Not every open case could be looked at, so nothing is sent yet. Run `dunr adopt` again.")
        if not as_json:
            say(f"Adopted: epoch {adopted.epoch}, {adopted.looked_at_count} open cases looked at. Sending goes on.")


def _kinds(charges: bool, pauses: bool, mail: bool) -> tuple[str, ...]:
    """What was named; all of it where nothing was."""
    named = tuple(kind for kind, is_named in (("charges", charges), ("pauses", pauses), ("mail", mail)) if is_named)
    return named or ("charges", "pauses", "mail")


def _tell(application: "Application", as_json: bool, *, with_record: bool = False) -> None:
    """What holds now: put up by people, and by itself."""
    stops, brakes = application.rulebook.all_stops(), application.brakes.held()
    record = application.brakes.record(RECORD_SHOWN)
    if as_json:
        answer({"stops": stops, "brakes": brakes, "record": record})
        return
    if not stops and not brakes:
        say("Nothing is stopped.")
    for stop in stops:
        everywhere = stop.scope in ("*", "copy", "import", "move")
        say(f"Stopped: {stop.kind} ({'everywhere' if everywhere else stop.scope}): {stop.why}")
    for brake in brakes:
        say(f"Holds by itself ({brake.account}) until {brake.until_at:%Y-%m-%d %H:%M} UTC: {brake.why}")
    if brakes:
        say("`dunr resume --brakes` lets go of what holds by itself.")
    for act in record if with_record else ():
        say(f"{act.at:%Y-%m-%d %H:%M} UTC, {act.actor} {act.what}{f': {act.why}' if act.why else ''}")
