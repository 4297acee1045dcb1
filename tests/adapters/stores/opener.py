"""SQLite stores in a folder of the test's own, closed after it."""

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from dunr.adapters.stores.sql.store import SqlStore


@cache
def blank_database() -> Path:
    """An empty database with its tables; copying it is quicker than making one."""
    path = Path(mkdtemp(prefix="dunr-blank-")) / "dunr.db"
    store = SqlStore(f"sqlite:///{path}")
    store.migrate()
    store.close()
    return path


class Opener:
    """What a test of the SQLite store begins with."""

    folder: Path
    opened: list[SqlStore]

    @pytest.fixture(autouse=True)
    def _open_and_close(self, tmp_path: Path) -> Iterator[None]:
        self.folder = tmp_path
        self.opened = []
        yield
        for store in self.opened:
            store.close()

    @property
    def path(self) -> Path:
        return self.folder / "dunr.db"

    def open(self, path: Path | None = None, *, busy_seconds: float = 5.0, instance: str | None = None) -> SqlStore:
        store = SqlStore(
            f"sqlite:///{path or self.path}", busy_seconds=busy_seconds, instance=instance, search_key="a key"
        )
        self.opened.append(store)
        return store

    def make(self) -> SqlStore:
        path = self.folder / f"{len(self.opened)}.db"
        shutil.copy(blank_database(), path)
        return self.open(path)
