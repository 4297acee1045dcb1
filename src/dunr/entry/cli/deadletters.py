"""`dunr deadletters`: events that were given up or skipped, with the reason, and another chance for them."""

from typing import Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, application_of, do_what_is_due, list_alone, say, show_table

app = typer.Typer(help="Events that were given up or skipped, with the reason.")


@app.command("list")
def list_dead(
    context: typer.Context,
    skipped: Annotated[bool, typer.Option("--skipped", help="Those that were recorded and skipped, instead.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    as_json: Json = False,
) -> None:
    """List events that were given up, newest first."""
    from dunr.ports import InboundState

    state = InboundState.IGNORED if skipped else InboundState.DEAD
    with application_of(context) as application:
        rows = [
            {
                "key": one.key,
                "type": one.event_type,
                "received_at": one.received_at,
                "tries_count": one.tries_count,
                "note": one.note,
            }
            for one in application.reports.inbounds(state=state, limit=limit)
        ]
    if as_json:
        answer({"deadletters": rows})
    else:
        show_table("", ("Key", "Type", "Received", "Tries", "Why"), [tuple(row.values()) for row in rows])


list_alone(app, lambda context, as_json: list_dead(context, as_json=as_json))


@app.command()
def redrive(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="The event's key, as `list` shows it.")],
    as_json: Json = False,
) -> None:
    """Give an event another chance. Applying it twice is harmless."""
    with application_of(context) as application:
        if not application.intake.redrive(key):
            raise Failed(f"There is no event {key!r} that was given up or skipped; `dunr deadletters list` shows them.")
        do_what_is_due(application)
        inbound = application.store.inbound(key)
    state, note = (inbound.state, inbound.note) if inbound is not None else (None, "")
    if as_json:
        answer({"key": key, "state": state, "note": note})
    else:
        say(f"{key} is {state}: {note}")
