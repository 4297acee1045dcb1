"""`dunr declines`: the codes that no table knows, and the meanings that the merchant gives to codes."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.terminal import Json, answer, application_of, list_alone, say, show_table, shown

if TYPE_CHECKING:
    from dunr.core.facts import DeclineKey
    from dunr.core.terms import DeclineReason

app = typer.Typer(help="Codes that no table knows, and your own meanings of codes.")

Processor = Annotated[str, typer.Argument(help="The processor, or the card network of a network's code.")]
Field = Annotated[str, typer.Argument(help="The field that holds the code, such as decline_code.")]
Code = Annotated[str, typer.Argument(help="The code as it came.")]


@app.command("list")
def list_mappings(context: typer.Context, as_json: Json = False) -> None:
    """List your own meanings of codes, and where each of them is written."""
    with application_of(context) as application:
        mappings = application.rulebook.mappings
        stored = {key: (reason, "dunr declines map") for key, reason in mappings.stored().items()}
        given = {key: (reason, "dunr.toml") for key, reason in mappings.given.items()}
        rows = [_row(key, reason, place) for key, (reason, place) in sorted({**stored, **given}.items())]
    if as_json:
        answer({"mappings": rows})
    else:
        show_table("", ("Processor", "Field", "Code", "Reason", "Written by"), [tuple(row.values()) for row in rows])


list_alone(app, lambda context, as_json: list_mappings(context, as_json=as_json))


@app.command()
def unknown(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    as_json: Json = False,
) -> None:
    """List the codes that no table knows, with what each of them probably means."""
    from dunr.unknown_declines import unknown_declines

    with application_of(context) as application:
        application.rulebook.mappings.stored()
        rows = unknown_declines(application.reports, application.engine.facts, limit)
    if as_json:
        answer({"unknown": rows})
        return
    for row in rows:
        name = f"{row.processor} {row.field} {row.code}"
        say(f"{name}: count {row.count}, first {shown(row.first_at)}, last {shown(row.last_at)}")
        if row.proposal is None:
            say("    nothing that is known is near")
        else:
            say(f"    probably {row.proposal.reason} ({row.proposal.why})")
            say(f"    dunr declines map {row.processor} {row.field} {shlex.quote(row.code)} {row.proposal.reason}")
    if not rows:
        say("Every code that came is known.")


@app.command("map")
def map_code(
    context: typer.Context,
    processor: Processor,
    field: Field,
    code: Code,
    reason: Annotated[str, typer.Argument(help="The reason that it means.")],
    as_json: Json = False,
) -> None:
    """Give a code a meaning. It counts from the next decline on, in every process; open cases keep the reason they have."""
    from dunr.core.terms import DeclineReason
    from dunr.errors import BadRequest
    from dunr.facts.mapping import unknown_reason

    key = (processor, field, code)
    if reason not in set(DeclineReason):
        raise BadRequest(unknown_reason(reason, f"The decline mapping {', '.join(key)}"))
    with application_of(context) as application:
        application.rulebook.mappings.put(key, DeclineReason(reason))
    if as_json:
        answer(_row(key, DeclineReason(reason), "dunr declines map"))
    else:
        say(f"From now on {field} {code!r} of {processor} means {reason}.")


@app.command()
def unmap(context: typer.Context, processor: Processor, field: Field, code: Code, as_json: Json = False) -> None:
    """Take a meaning away again; what ships counts, or nothing."""
    with application_of(context) as application:
        application.rulebook.mappings.remove((processor, field, code))
    if as_json:
        answer({"processor": processor, "field": field, "code": code})
    else:
        say(f"{field} {code!r} of {processor} has no meaning of yours any more.")


def _row(key: "DeclineKey", reason: "DeclineReason", place: str) -> dict[str, str]:
    processor, field, code = key
    return {"processor": processor, "field": field, "code": code, "reason": str(reason), "written_by": place}
