"""The store on SQLite sits the exam."""

from pathlib import Path

import pytest

from dunr.adapters.stores.sql.store import SqlStore
from dunr.ports import Store
from dunr.testing.store_exam import ReportsExam, StoreExam


class Opener:
    """Opens stores in a folder of the test's own, and closes them after it."""

    @pytest.fixture(autouse=True)
    def _opened(self, tmp_path: Path):
        self.url = f"sqlite:///{tmp_path / 'dunr.db'}"
        self.folder = tmp_path
        self.stores: list[SqlStore] = []
        yield
        for store in self.stores:
            store.close()

    def open(self, url: str) -> SqlStore:
        store = SqlStore(url)
        self.stores.append(store)
        return store

    def make(self) -> SqlStore:
        store = self.open(f"sqlite:///{self.folder / f'{len(self.stores)}.db'}")
        store.migrate()
        return store


class TestSqliteStore(Opener, StoreExam):
    refuses_two_running = True

    def again(self, store: Store) -> SqlStore:
        assert isinstance(store, SqlStore)
        return self.open(f"sqlite:///{self.folder / f'{self.stores.index(store)}.db'}")


class TestSqliteReports(Opener, ReportsExam):
    pass
