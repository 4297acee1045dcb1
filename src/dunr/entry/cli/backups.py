"""`dunr db backup`, `restore` and `copy`: a whole store, carried somewhere else and counted there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, application_of, say, settings_of


def add_to(app: typer.Typer) -> None:
    """Hang the commands on those of the database."""
    app.command("backup")(backup)
    app.command("restore")(restore)
    app.command("copy")(copy)


def backup(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="The file to write; it must not be there.")],
    as_json: Json = False,
) -> None:
    """Write the store into one file while dunr runs, restore that into a fresh store, and compare the two before it is called a backup."""
    from dunr.store_moves import backup as back_up

    with application_of(context) as application, _progress() as told:
        carried = back_up(application.settings.store, path, told)
    if as_json:
        answer({"path": str(path), **_plain(carried)})
        return
    say(
        f"{path}: {_counted(carried.rows)}, {carried.file_bytes:,} bytes. It was restored into a fresh store, and all of it was there."
    )
    _tell_problems(carried.problems)


def restore(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="A backup.")],
    as_json: Json = False,
) -> None:
    """Fill an empty store from a backup. It sends nothing until `dunr adopt`."""
    from dunr.store_moves import restore as put_back

    settings = settings_of(context)
    with _progress() as told:
        carried = put_back(path, settings.store, told)
    if as_json:
        answer({"store": settings.store_shown, **_plain(carried)})
        return
    say(f"{settings.store_shown}: {_counted(carried.rows)}, as in the backup.")
    say(
        "It is a copy: nothing is charged, mailed or paused until `dunr adopt`. Make sure first that the original runs nowhere."
    )
    _tell_problems(carried.problems)


def copy(
    context: typer.Context,
    source: Annotated[str, typer.Option("--from", metavar="STORE", help="sqlite:///path/to/dunr.db")],
    target: Annotated[
        str, typer.Option("--to", metavar="STORE", help="postgresql://user@host/dunr, an empty database")
    ],
    give_up: Annotated[
        bool, typer.Option("--give-up", help="Take back a move that is not over: the source goes on.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Move the store to PostgreSQL. Killed, it goes on where it was when it is started again. Nothing is sent from either side meanwhile."""
    from dunr import store_moves

    instance = settings_of(context).instance
    if give_up:
        if not store_moves.give_up(source, target, instance):
            raise Failed("There is no move to take back.")
        _tell(as_json, {"given_up": True}, "The source goes on. Throw the target away.")
        return
    with _progress() as told:
        moved = store_moves.move(source, target, instance, told)
    went_on = f" ({moved.went_on_from:,} of them were there already)" if moved.went_on_from else ""
    _tell(
        as_json,
        _plain(moved),
        f"Moved: {_counted(moved.rows)}{went_on}. Both sides were counted and hold the same. The old store sends no more; write the new address as store.",
    )
    if not as_json:
        _tell_problems(moved.problems)


def _tell(as_json: bool, value: object, text: str) -> None:
    if as_json:
        answer(value)
    else:
        say(text)


def _plain(value: object) -> dict[str, object]:
    import msgspec

    return msgspec.structs.asdict(value)  # type: ignore[arg-type]


def _counted(rows: dict[str, int]) -> str:
    return f"{rows['cases']:,} cases in {sum(rows.values()):,} rows"


def _tell_problems(problems: tuple[str, ...]) -> None:
    """What was wrong in the store before it was carried is wrong in the copy."""
    for problem in problems:
        typer.echo(f"dunr: already in the store: {problem}", err=True)


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar on the terminal of a person; nothing where the output is read by a program."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)
