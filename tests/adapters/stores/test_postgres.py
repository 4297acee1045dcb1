"""The store on PostgreSQL sits the exam."""

from dunr.adapters.stores.sql.store import SqlStore
from dunr.ports import Store
from dunr.testing.store_exam import ReportsExam, StoreExam
from tests.adapters.stores.postgres_opener import PostgresOpener


class TestPostgresStore(PostgresOpener, StoreExam):
    refuses_two_running = True

    def again(self, store: Store) -> SqlStore:
        assert isinstance(store, SqlStore)
        return self.open(self.database_of(store))


class TestPostgresReports(PostgresOpener, ReportsExam):
    pass
