"""The server goes away, comes back, is full, waits or is asked for what it has not: each is told, nothing is lost, and the next one is served."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from dunr.adapters.stores.sql.store import SqlStore
from dunr.core.value import replace
from dunr.errors import SettingsError, StoreUnavailable
from dunr.ports import Change, Receipt
from dunr.testing.store_rows import NOTHING, START, decide, event, load, loaded_case, new_case, put
from dunr.testing.together import together
from tests.adapters.stores.postgres_opener import PostgresOpener
from tests.postgres import Server, own_server

URL_OF_NOBODY = "postgresql://dunr@127.0.0.1:1/dunr"


@pytest.fixture
def own() -> Iterator[Server]:
    """A server that may be killed."""
    server = own_server()
    yield server
    server.close()


@pytest.fixture
def store(own: Server) -> Iterator[SqlStore]:
    store = SqlStore(own.url(own.create()), busy_seconds=2.0)
    store.migrate()
    yield store
    store.close()


def until_served(store: SqlStore, name: str) -> int:
    """How often it was refused before it was served again."""
    for refused_count in range(100):
        try:
            store.receive([event(name)])
        except StoreUnavailable:
            time.sleep(0.05)
        else:
            return refused_count
    raise AssertionError("it was never served again")


@pytest.mark.endurance
class TestTheServerGoesAway:
    def test_a_dead_server_is_told_and_a_new_one_found(self, own: Server, store: SqlStore) -> None:
        put(store, decide(case=new_case()))
        own.kill()
        for deed in (
            lambda: store.receive([event("evt_1")]),
            lambda: store.commit([Change(NOTHING, decide(case=new_case("inv_2")))]),
            lambda: store.due(START, 1),
            lambda: store.document("clock"),
        ):
            with pytest.raises(StoreUnavailable, match="the database answered"):
                deed()
        own.start()
        until_served(store, "evt_1")
        assert loaded_case(store).version == 1
        put(store, decide(case=new_case("inv_2")))

    def test_every_connection_of_the_pool_is_dead_and_one_refusal_is_enough(self, own: Server, store: SqlStore) -> None:
        """Four threads have used four connections; none of them is tried again one after the other."""
        together([lambda: store.due(START, 1)] * 4)
        own.restart()
        assert until_served(store, "evt_1") <= 1
        assert [store.due(START, 1) for _ in range(8)] == [[]] * 8

    def test_what_had_returned_is_there_after_the_power_went_away(self, own: Server, store: SqlStore) -> None:
        """Four threads write while the server is killed three times over. What was acknowledged is there; what was not may be there or not, but whole."""
        acknowledged: list[str] = []

        def write(thread: int) -> None:
            for number in range(150):
                name = f"{thread}_{number}"
                try:
                    assert list(store.receive([event(f"evt_{name}")])) == [Receipt.NEW]
                    acknowledged.append(f"evt_{name}")
                    put(store, decide(case=new_case(f"inv_{name}")))
                    acknowledged.append(f"inv_{name}")
                except StoreUnavailable:
                    time.sleep(0.02)

        with ThreadPoolExecutor(4) as threads:
            writing = [threads.submit(write, thread) for thread in range(4)]
            for _ in range(3):
                time.sleep(0.4)
                own.kill()
                own.start()
            for one in writing:
                one.result(60)
        until_served(store, "evt_last")
        assert len(acknowledged) > 20
        for name in acknowledged:
            here = store.inbound(f"sandbox:main:{name}") if name.startswith("evt") else load(store, name).case
            assert here is not None, name


class TestLimits(PostgresOpener):
    def test_a_row_that_somebody_holds_for_too_long_is_told(self) -> None:
        store = self.open(busy_seconds=0.3)
        put(store, decide(case=new_case()))
        rows = load(store)
        with psycopg.connect(self.server.url(self.database_of(store))) as other:
            other.execute("UPDATE cases SET version = version + 1")
            began_at = time.monotonic()
            with pytest.raises(StoreUnavailable, match="lock timeout"):
                store.commit([Change(rows, decide(case=rows.case))])
            assert time.monotonic() - began_at < 5
            other.rollback()
        put(store, decide(case=replace(new_case(), amount_due_minor=5)), rows)

    def test_a_process_opens_so_many_connections_and_no_more(self) -> None:
        name = self.database()
        store = SqlStore(self.server.url(name), connections_max=3, busy_seconds=5.0)
        self.opened.append(store)
        together([lambda: store.receive([event(f"evt_{time.monotonic_ns()}")])] * 12)
        with self.server.connect(name) as connection:
            statement = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query !~ 'NOTIFY'"
            [(count,)] = connection.execute(f"{statement} AND pid <> pg_backend_pid()".encode()).fetchall()
        assert count == 3

    def test_whoever_gets_no_connection_is_told(self) -> None:
        store = SqlStore(self.server.url(self.database()), connections_max=1, busy_seconds=0.2)
        self.opened.append(store)
        with store._database._readers.connect(), pytest.raises(StoreUnavailable, match="in use"):
            store.due(START, 1)

    def test_commits_stay_though_the_database_says_otherwise(self) -> None:
        name = self.database()
        with self.server.connect() as connection:
            connection.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = off'.encode())
        with self.open(name)._database._writers.connect() as mine:
            assert mine.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
            assert mine.exec_driver_sql("SHOW transaction_isolation").scalar() == "read committed"


class TestWrongSettings(PostgresOpener):
    def test_a_database_without_tables_says_so(self) -> None:
        store = self.open(self.database(blank=True))
        with pytest.raises(StoreUnavailable, match="does not exist"):
            store.receive([event("evt_1")])
        with pytest.raises(StoreUnavailable, match="does not exist"):
            store.commit([Change(NOTHING, decide(case=new_case()))])

    def test_a_server_that_is_not_there_says_so(self) -> None:
        store = SqlStore(URL_OF_NOBODY)
        self.opened.append(store)
        with pytest.raises(StoreUnavailable, match="refused"):
            store.migrate()

    def test_a_wrong_password_is_told_without_the_password(self) -> None:
        url = self.server.url("no_such_database").replace("dunr@", "dunr:hunter2@")
        store = SqlStore(url)
        self.opened.append(store)
        with pytest.raises(StoreUnavailable) as told:
            store.migrate()
        assert "no_such_database" in str(told.value)
        assert "hunter2" not in str(told.value)

    def test_a_url_without_a_database_is_a_wrong_setting(self) -> None:
        with pytest.raises(SettingsError, match="names no database"):
            SqlStore("postgresql://dunr@127.0.0.1")
        with pytest.raises(SettingsError, match="no URL"):
            SqlStore("nonsense")
