"""The store on SQLite sits the exam."""

from pathlib import Path

from dunr.adapters.stores.sql.store import SqlStore
from dunr.ports import Store
from dunr.testing.store_exam import ReportsExam, StoreExam
from tests.adapters.stores.opener import Opener


class TestSqliteStore(Opener, StoreExam):
    refuses_two_running = True

    def again(self, store: Store) -> SqlStore:
        assert isinstance(store, SqlStore)
        return self.open(Path(f"{self.folder / str(self.opened.index(store))}.db"))


class TestSqliteReports(Opener, ReportsExam):
    pass
