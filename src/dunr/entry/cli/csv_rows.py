"""Rows of a CSV file as the API would have them, each with the number of its line, so that whoever wrote it finds what is wrong.

The whole file is read before anything is written: a file with a bad row changes nothing, unless bad rows are to be skipped. Taking in the same file again, after a kill
or by mistake, takes in what is missing.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec
import typer

from dunr.entry.cli.reconcile import progress
from dunr.entry.cli.terminal import Failed, answer, say
from dunr.errors import BadRequest, WishRejected

BAD_SHOWN_MAX = 20
LIST_MARK = "|"
Body = TypeVar("Body")
Shape = Callable[[Mapping[str, str]], object]


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be taken in, by its line."""

    line: int
    why: str


@dataclass(slots=True)
class TakenIn:
    """What a file came to. `known_count`: those that were there already, and said the same."""

    read_count: int = 0
    new_count: int = 0
    known_count: int = 0
    bad: list[BadRow] = field(default_factory=list)


def take_in(
    file: Path,
    columns: Sequence[str],
    required: Sequence[str],
    read: Callable[[Mapping[str, str]], Body],
    write: Callable[[Body], bool],
    *,
    skip_bad: bool,
) -> TakenIn:
    """Read every row, then write each; `write` says whether it was new, and raises `WishRejected` for one that contradicts what is there."""
    taken = TakenIn()
    for line, row in _rows(file, columns, required):
        taken.read_count += 1
        _try(taken, line, read, row)
    if taken.bad and not skip_bad:
        return taken
    bad_lines = {one.line for one in taken.bad}
    with progress("Taking in") as told:
        for number, (line, row) in enumerate(_rows(file, columns, required), start=1):
            if line not in bad_lines:
                is_new = _try(taken, line, lambda given: write(read(given)), row)
                taken.new_count += is_new is True
                taken.known_count += is_new is False
            told(number, taken.read_count)
    return taken


def _try(taken: TakenIn, line: int, act: Callable[[Mapping[str, str]], Body], row: Mapping[str, str]) -> Body | None:
    try:
        return act(row)
    except (msgspec.ValidationError, BadRequest, WishRejected) as wrong:
        taken.bad.append(BadRow(line, str(wrong)))
        return None


def _rows(file: Path, columns: Sequence[str], required: Sequence[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The rows with what stands in them; an empty cell is left out. Raises `BadParameter` for a file that is no such table."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as opened:
            reader = csv.DictReader(opened, strict=True)
            _check_header(reader.fieldnames or (), columns, required)
            for row in reader:
                yield reader.line_num, _cells(row, reader.line_num)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise typer.BadParameter(f"{file} cannot be read as CSV in UTF-8: {error}", param_hint="FILE") from None


def _check_header(found: Sequence[str], columns: Sequence[str], required: Sequence[str]) -> None:
    unknown, missing = [one for one in found if one not in columns], [one for one in required if one not in found]
    if unknown or missing:
        text = f"The first line must name the columns; unknown: {', '.join(unknown) or 'none'}; missing: {', '.join(missing) or 'none'}. "
        raise typer.BadParameter(text + f"There are {', '.join(columns)}.", param_hint="FILE")


def _cells(row: Mapping[str | None, str | list[str] | None], line: int) -> Mapping[str, str]:
    """The cells that are not empty. One too many stands under no name, which no body takes."""
    if None in row:
        return {"line": str(line), "more cells than columns": "x"}
    return {
        name: cell.strip() for name, cell in row.items() if name is not None and isinstance(cell, str) and cell.strip()
    }


def nested(row: Mapping[str, str], places: Mapping[str, str]) -> dict[str, object]:
    """The cells where the API has them: `places` maps a column to `customer.id` and the like; a list is parted by bars."""
    body: dict[str, object] = {}
    for name, cell in row.items():
        *outer, last = places.get(name, name).split(".")
        at = body
        for step in outer:
            at = at.setdefault(step, {})  # type: ignore[assignment]
        at[last] = [part.strip() for part in cell.split(LIST_MARK)] if last in ("products", "tags") else cell
    return body


def tell(taken: TakenIn, what: str, *, as_json: bool, skip_bad: bool) -> None:
    """Say what became of the file. Raises `Failed` where a row is bad."""
    if as_json:
        answer(taken)
    else:
        say(
            f"{taken.read_count} {what} read: {taken.new_count} new, {taken.known_count} known already, {len(taken.bad)} bad."
        )
        for one in taken.bad[:BAD_SHOWN_MAX]:
            typer.echo(f"line {one.line}: {one.why}", err=True)
    if taken.bad:
        nothing = not skip_bad and not taken.new_count and not taken.known_count
        done = "Nothing was taken in; --skip-bad takes in the others." if nothing else "The others were taken in."
        raise Failed(
            f"{len(taken.bad)} rows are bad. {done} Mend them and take the file in again: what is there is not taken in twice."
        )
