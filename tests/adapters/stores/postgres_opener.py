"""PostgreSQL stores on databases of the test's own, closed and thrown away after it."""

from collections.abc import Iterator
from functools import cache

import pytest

from dunr.adapters.stores.sql.store import SqlStore
from tests.postgres import Server, server


@cache
def blank_database(where: Server) -> str:
    """A database with its tables; the server copies it quicker than we make one."""
    name = where.create()
    store = SqlStore(where.url(name))
    store.migrate()
    store.close()
    return name


class PostgresOpener:
    """What a test of the PostgreSQL store begins with."""

    durable = False

    server: Server
    opened: list[SqlStore]
    databases: list[str]

    @pytest.fixture(autouse=True)
    def _open_and_close(self) -> Iterator[None]:
        self.server = server(durable=self.durable)
        self.opened, self.databases = [], []
        yield
        for store in self.opened:
            store.close()
        for database in self.databases:
            self.server.drop(database)

    def database(self, *, blank: bool = False) -> str:
        """A database with its tables, or a blank one without."""
        name = self.server.create("template1" if blank else blank_database(self.server))
        self.databases.append(name)
        return name

    def open(self, database: str | None = None, *, busy_seconds: float = 5.0, instance: str | None = None) -> SqlStore:
        """A store on a database of its own, or on the named one."""
        url = self.server.url(database or self.database())
        store = SqlStore(url, busy_seconds=busy_seconds, instance=instance, search_key="a key")
        self.opened.append(store)
        return store

    def make(self) -> SqlStore:
        return self.open()

    def database_of(self, store: SqlStore) -> str:
        name = store._database._writers.url.database
        assert name is not None
        return name
