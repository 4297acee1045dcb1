"""What every command does alike: read settings with its options laid over them, answer for people or as JSON, and turn errors into words and a code."""

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.errors import BadRequest, DunrError, SettingsError

if TYPE_CHECKING:
    from dunr.application import Application
    from dunr.settings import Settings

FAILED, WRONG_USE = 1, 2
YEAR_MIN, YEAR_MAX = 1990, 2200

SANDBOX_INSIDE = "sandbox-inside"  # a note in the data folder of where `dunr serve --sandbox` has it

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]


@dataclass(frozen=True, slots=True)
class Place:
    """What stands before the command: where the data is, and how much an internal error tells."""

    data: Path | None
    debug: bool


class Failed(DunrError):
    """What was asked for did not come to pass; the text says why and what to do."""


def settings_of(context: typer.Context, options: Mapping[str, object] | None = None) -> "Settings":
    """The settings, with the options of the command laid over the environment, so that they are checked the same way."""
    from dunr.settings import load_settings

    place = context.find_object(Place)
    given = {"data": place.data if place is not None else None, **(options or {})}
    environment = dict(os.environ)
    environment |= {f"DUNR_{name.upper()}": str(value) for name, value in given.items() if value is not None}
    return load_settings(environment, Path.cwd())


def list_alone(app: typer.Typer, listing: Callable[[typer.Context, bool], None]) -> None:
    """Let the bare name of a group do what its `list` does."""

    @app.callback(invoke_without_command=True, help=str(app.info.help))
    def begin(context: typer.Context, as_json: Json = False) -> None:
        if context.invoked_subcommand is None:
            listing(context, as_json)
        elif as_json:
            raise typer.BadParameter(f"Write it after {context.invoked_subcommand!r}.", param_hint="--json")


@contextmanager
def application_of(
    context: typer.Context, options: Mapping[str, object] | None = None, *, tells_events: bool = False
) -> "Iterator[Application]":
    """One dunr, put together and closed again. `tells_events`: the log also says what happens when all is well."""
    from dunr.bootstrap import build
    from dunr.entry.logs import log_to_stderr

    settings = _with_sandbox_inside(settings_of(context, options))
    log_to_stderr(settings.log, events=tells_events)
    application = build(settings)
    try:
        yield application
    finally:
        application.close()


def _with_sandbox_inside(settings: "Settings") -> "Settings":
    """Where `dunr serve --sandbox` runs on the same data, its sandbox is the one that is meant, unless another was set."""
    from dunr.settings.reading import DEFAULTS

    note = settings.data / SANDBOX_INSIDE
    if settings.sandbox_url != DEFAULTS["sandbox_url"] or not note.is_file():
        return settings
    return replace(settings, sandbox_url=note.read_text(encoding="utf-8").strip())


def do_what_is_due(application: "Application") -> None:
    """On the manual clock no worker runs, so what a command has made due is done here."""
    if application.settings.clock == "manual":
        application.runner.run_until_quiet()


def say(text: str) -> None:
    """A line for people, at once, also where the output is a pipe."""
    typer.echo(text)
    sys.stdout.flush()


def answer(value: object) -> None:
    """One JSON value."""
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table for people. Nothing in it is markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    Console(soft_wrap=False).print(table)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return shown(value) if isinstance(value, datetime) else str(value)


def shown(at: datetime) -> str:
    """An instant as people read it."""
    return f"{at.astimezone(UTC):%a %d %b %Y %H:%M:%S} UTC"


def money(amount_minor: int, currency: str, processor: str) -> str:
    """An amount as people read it."""
    from dunr.core.saying import amount_said
    from dunr.facts.currencies import exponent

    return amount_said(amount_minor, currency, exponent(processor, currency))


def instant(text: str) -> datetime:
    """An instant from the command line; without an offset it could mean anything."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None or not YEAR_MIN <= at.year <= YEAR_MAX:
        raise typer.BadParameter(f"{text!r} is no instant; write it as 2026-06-23T10:00:00Z.")
    return at.astimezone(UTC)


def exit_code_of(app: typer.Typer) -> int:
    """Run the command line; errors become words on stderr and a code, never a traceback."""
    debug = "--debug" in sys.argv
    try:
        app()
    except SystemExit as ended:  # how typer says that it is done, and that it was used wrongly
        return ended.code if isinstance(ended.code, int) else 0
    except DunrError as error:
        typer.echo(f"dunr: {error}", err=True)
        return WRONG_USE if isinstance(error, SettingsError | BadRequest) else FAILED
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - nobody reads the rest
        return FAILED
    except Exception as error:  # noqa: BLE001 - the outermost place: a person gets words, and the traceback when asked for
        if debug:
            traceback.print_exc()
        typer.echo(f"dunr: internal error: {type(error).__name__}: {error} (dunr --debug … shows where)", err=True)
        return FAILED
    return 0
