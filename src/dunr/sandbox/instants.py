"""How the sandbox writes instants: sortable in the database, short on the wire."""

from __future__ import annotations

from datetime import UTC, datetime


def stored(instant: datetime) -> str:
    """Fixed width, so that text order in SQLite is time order."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def on_wire(instant: datetime | None) -> str | None:
    """ISO 8601 with Z; microseconds only where there are some."""
    if instant is None:
        return None
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parsed(text: str) -> datetime:
    """An aware UTC instant; a text without an offset is refused, not guessed."""
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError(f"{text!r} has no offset; write it as 2026-06-23T10:00:00Z")
    return instant.astimezone(UTC)
