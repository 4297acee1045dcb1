"""Whoever leaves something to do tells the others, who look at once; nothing relies on it."""

import time
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from dunr.adapters.stores.sql.store import SqlStore
from dunr.core.value import replace
from dunr.ports import Change
from dunr.testing.store_rows import START, at, audit_entry, decide, event, load, loaded_case, new_case, nudge, put
from tests.adapters.stores.opener import Opener
from tests.adapters.stores.postgres_opener import PostgresOpener

SOON_SECONDS = 20.0  # a busy machine; the test tells how long it took
QUIET_SECONDS = 0.3

T = TypeVar("T")


class Ear:
    """Somebody who listens."""

    def __init__(self, store: SqlStore) -> None:
        self._heard = Event()
        self.stop: Callable[[], None] = store.listen(self._heard.set)

    def hears(self) -> bool:
        heard = self._heard.wait(SOON_SECONDS)
        self._heard.clear()
        return heard

    def is_quiet(self) -> bool:
        time.sleep(QUIET_SECONDS)
        return not self._heard.is_set()


class TestBell(PostgresOpener):
    def pair(self) -> tuple[SqlStore, Ear]:
        """One who writes, and one who listens through another handle, as another process would."""
        store = self.open()
        ear = Ear(self.open(self.database_of(store)))
        assert ear.hears(), "it listens from now on"
        return store, ear

    def test_an_event_that_comes_in_is_heard(self) -> None:
        store, ear = self.pair()
        store.receive([event("evt_1")])
        assert ear.hears()
        ear.stop()

    def test_an_event_that_is_known_is_not(self) -> None:
        store, ear = self.pair()
        store.receive([event("evt_1")])
        assert ear.hears()
        time.sleep(QUIET_SECONDS)
        ear._heard.clear()
        store.receive([event("evt_1")])
        assert ear.is_quiet()

    def test_an_effect_is_heard(self) -> None:
        store, ear = self.pair()
        put(store, decide(case=new_case(), effects=(nudge("n_1"),)))
        assert ear.hears()

    def test_a_case_that_is_due_at_once_is_heard_and_one_of_tomorrow_is_not(self) -> None:
        store, ear = self.pair()
        put(store, decide(case=new_case("inv_1", wake_at=at(86_400)), audit=(audit_entry(1),)))
        assert ear.is_quiet()
        put(store, decide(case=new_case("inv_2", wake_at=START)))
        assert ear.hears()

    def test_what_was_stale_is_not_heard(self) -> None:
        store, ear = self.pair()
        put(store, decide(case=new_case()))
        rows = load(store)
        put(store, decide(case=loaded_case(store)), rows)
        due = Change(rows, decide(case=replace(loaded_case(store), wake_at=START)))
        assert list(store.commit([due])) == [False]
        assert ear.is_quiet()

    def test_many_writes_are_few_notes_and_no_commit_waits_for_one(self) -> None:
        """A commit that carried its own note would hold a lock of the whole server until it is on disk."""
        store, ear = self.pair()
        store.receive([event(f"evt_{number}") for number in range(3)])
        assert ear.hears()
        with self.server.connect() as connection:
            for number in range(50):
                store.receive([event(f"evt_more_{number}")])
            [(notes,)] = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE query ~ 'NOTIFY' AND datname = %s",
                (self.database_of(store),),
            ).fetchall()
        assert notes == 1, "one connection tells, beside those that write"

    def test_a_listener_that_was_cut_off_listens_again(self) -> None:
        store, ear = self.pair()
        with self.server.connect() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (self.database_of(store),)
            )
        assert ear.hears(), "it looks once after it could not hear"
        put(self.open(self.database_of(store)), decide(case=new_case(), effects=(nudge("n_1"),)))
        assert ear.hears()

    def test_nobody_is_called_after_the_end(self) -> None:
        store, ear = self.pair()
        ear.stop()
        store.receive([event("evt_1")])
        assert ear.is_quiet()


class TestFiles(Opener):
    def test_a_file_rings_no_bell(self) -> None:
        """Everybody polls, as before."""
        store = self.make()
        ear = Ear(store)
        store.receive([event("evt_1")])
        assert ear.is_quiet()
        ear.stop()
