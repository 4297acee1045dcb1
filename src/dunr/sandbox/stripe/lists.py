"""Pages: newest first, from one id to the next, narrowed by the second in which things were created."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypeVar

from dunr.sandbox.database import Transaction, Value
from dunr.sandbox.records import Record
from dunr.sandbox.schema import TABLES

from .errors import bad_parameter
from .parameters import CreatedPage, Page, Range

R = TypeVar("R", bound=Record)

LATEST_UNIX = 253_402_300_799


class Narrow:
    """A WHERE clause in the making; each value is bound."""

    def __init__(self) -> None:
        self.parts: list[str] = ["1"]
        self.values: list[Value] = []

    def by(self, column: str, value: str | None) -> Narrow:
        if value is not None:
            self.parts.append(f"{column} = ?")
            self.values.append(value)
        return self

    def where(self, clause: str, *values: Value) -> Narrow:
        self.parts.append(clause)
        self.values.extend(values)
        return self

    def created(self, page: CreatedPage, column: str) -> Narrow:
        """Stripe's times are whole seconds, ours are finer: ``lte`` takes the whole second in."""
        wanted = page.created
        span = Range(gte=wanted, lte=wanted) if isinstance(wanted, int) else wanted or Range()
        for second, comparison, further in (
            (span.gte, ">=", 0),
            (span.gt, ">=", 1),
            (span.lt, "<", 0),
            (span.lte, "<", 1),
        ):
            if second is not None:
                self.parts.append(f"{column} {comparison} ?")
                self.values.append(_instant(second + further))
        return self


def _instant(second: int) -> datetime:
    return datetime.fromtimestamp(min(max(second, 0), LATEST_UNIX), UTC)


def page_of(
    tx: Transaction, kind: type[R], narrow: Narrow, page: Page, *, order_by: str | None, record_ids: str = ""
) -> tuple[list[R], bool]:
    """The rows of one page and whether more follow. ``record_ids`` is a prefix that our ids do not carry."""
    key = "seq" if order_by is None else f"{order_by}, seq"
    parts, values = list(narrow.parts), list(narrow.values)
    backwards = page.ending_before is not None
    cursor = page.ending_before or page.starting_after
    if cursor is not None:
        row_id = cursor.removeprefix(record_ids)
        if tx.get(kind, row_id) is None:
            param = "ending_before" if backwards else "starting_after"
            raise bad_parameter("resource_missing", f"No such object: '{cursor}'", param)
        parts.append(f"({key}) {'>' if backwards else '<'} (SELECT {key} FROM {TABLES[kind]} WHERE id = ?)")
        values.append(row_id)
    way = "" if backwards else " DESC"
    order = ", ".join(f"{column}{way}" for column in key.split(", "))
    found = tx.find(kind, " AND ".join(parts), *values, order=order, limit=page.limit + 1)
    rows = found[: page.limit]
    return (rows[::-1] if backwards else rows), len(found) > page.limit


def listed(url: str, data: list[dict[str, object]], *, more: bool = False) -> dict[str, object]:
    return {"object": "list", "data": data, "has_more": more, "url": url}


def cut(data: list[dict[str, object]], page: Page, url: str) -> dict[str, object]:
    """A page of what is short enough to be made whole first, newest first."""
    ids = [one["id"] for one in data]
    cursor = page.ending_before or page.starting_after
    if cursor is not None and cursor not in ids:
        raise bad_parameter("resource_missing", f"No such object: '{cursor}'", "starting_after")
    if page.ending_before is not None:
        before = data[: ids.index(page.ending_before)]
        return listed(url, before[-page.limit :], more=len(before) > page.limit)
    after = data if page.starting_after is None else data[ids.index(page.starting_after) + 1 :]
    return listed(url, after[: page.limit], more=len(after) > page.limit)
