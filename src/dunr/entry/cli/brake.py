"""`dunr stop`, `dunr resume` and `dunr adopt`: what holds everywhere, from the next send on."""

from typing import Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, application_of, say

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
    as_json: Json = False,
) -> None:
    """Put the brake on: nothing is charged, paused or mailed. What is under way is not called back."""
    from dunr.rulebook import EVERYWHERE

    with application_of(context) as application:
        for kind in _kinds(charges, pauses, mail):
            application.rulebook.stop(kind, account or EVERYWHERE, why)
        _tell(application.rulebook.all_stops(), as_json)


def resume(
    context: typer.Context,
    charges: Charges = False,
    pauses: Pauses = False,
    mail: Mail = False,
    account: Account = None,
    as_json: Json = False,
) -> None:
    """Take the brake off. A copied database stays stopped until `dunr adopt`."""
    from dunr.rulebook import COPIED, EVERYWHERE, IMPORTED, MOVED

    with application_of(context) as application:
        for kind in _kinds(charges, pauses, mail):
            application.rulebook.resume(kind, account or EVERYWHERE)
        left = application.rulebook.all_stops()
        _tell(left, as_json)
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


def _tell(stops: object, as_json: bool) -> None:
    if as_json:
        answer({"stops": stops})
        return
    rows = list(stops) if isinstance(stops, tuple) else []
    if not rows:
        say("Nothing is stopped.")
    for one in rows:
        say(
            f"Stopped: {one.kind} ({'everywhere' if one.scope in ('*', 'copy', 'import', 'move') else one.scope}): {one.why}"
        )
