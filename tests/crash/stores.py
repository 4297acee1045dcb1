"""The two stores that real processes are killed on: what to tell them, and how to look at what they keep."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.postgres import Server, server

RECEIPTS = (
    "SELECT CASE WHEN done_at IS NULL THEN '' ELSE note END FROM effects WHERE kind = 'Notice' AND {kind} = 'receipt'"
)


class SqliteFile:
    """The file in the data folder, which is the default."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "data" / "dunr.db"
        self.environment: dict[str, Any] = {}

    def inbound_states(self) -> dict[str, str]:
        """The state of each event, by its key."""
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as database:
            return dict(database.execute("SELECT key, state FROM inbounds"))

    def receipt_notes(self) -> list[str]:
        """What became of each receipt; empty where it is still to leave."""
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as database:
            return [note for (note,) in database.execute(RECEIPTS.format(kind="json_extract(body, '$.kind')"))]

    def close(self) -> None:
        """The folder of the test goes by itself."""


class PostgresDatabase:
    """A database of its own, on a server that syncs."""

    def __init__(self, where: Server) -> None:
        self._where = where
        self._name = where.create()
        self.environment: dict[str, Any] = {"DUNR_STORE": where.url(self._name)}

    def inbound_states(self) -> dict[str, str]:
        """The state of each event, by its key."""
        with self._where.connect(self._name) as connection:
            return {str(key): str(state) for key, state in connection.execute("SELECT key, state FROM inbounds")}

    def ask(self, question: str) -> list[tuple[Any, ...]]:
        """Whatever else a test wants to know."""
        with self._where.connect(self._name) as connection:
            return connection.execute(question.encode()).fetchall()

    def receipt_notes(self) -> list[str]:
        """What became of each receipt; empty where it is still to leave."""
        return [str(note) for (note,) in self.ask(RECEIPTS.format(kind="body::json->>'kind'"))]

    def close(self) -> None:
        self._where.drop(self._name)


def store_of(kind: str, folder: Path) -> SqliteFile | PostgresDatabase:
    return SqliteFile(folder) if kind == "sqlite" else PostgresDatabase(server(durable=True))
