"""Many writers on PostgreSQL: a change that relied on a row is stale once somebody wrote that row, however close they came to each other."""

import multiprocessing
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import psycopg
import pytest
from sqlalchemy import Connection

from dunr.adapters.stores.sql.dialect import Found
from dunr.adapters.stores.sql.present import wanted_by
from dunr.adapters.stores.sql.store import SqlStore
from dunr.adapters.stores.sql.writes import Writes
from dunr.core.value import replace
from dunr.errors import StoreUnavailable
from dunr.ports import Change, InboundState, Receipt, Refs
from dunr.testing.store_rows import (
    NOTHING,
    attempt_on,
    decide,
    event,
    load,
    loaded_case,
    new_case,
    new_customer,
    new_method,
    new_subscription,
    posting,
    put,
    row_id,
    settlement,
)
from dunr.testing.together import together
from tests.adapters.stores.postgres_opener import PostgresOpener
from tests.adapters.stores.writers import count_up

PROCESSES = 4
TIMES = 40
ROUNDS = 30


class TestTheGapBetween(PostgresOpener):
    """What happens between the look of one transaction and the commit of another."""

    @contextmanager
    def meanwhile(self, store: SqlStore, statement: str) -> Iterator[None]:
        """Somebody else has written, and has not committed yet; at the end of the block they do."""
        with psycopg.connect(self.server.url(self.database_of(store))) as other:
            other.execute(statement.encode())
            yield
            other.commit()

    def commit_in_the_gap(self, store: SqlStore, change: Change, statement: str) -> Sequence[bool]:
        """What a commit answers that began while another transaction had written, and ended after that one's commit."""
        with ThreadPoolExecutor(1) as threads:
            with self.meanwhile(store, statement):
                begun: Future[Sequence[bool]] = threads.submit(store.commit, [change])
                self.until_somebody_waits(store)
                assert not begun.done()
            return list(begun.result(10))

    def until_somebody_waits(self, store: SqlStore) -> None:
        give_up = time.monotonic() + 10
        with self.server.connect(self.database_of(store)) as connection:
            while not connection.execute(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            ).fetchall():
                assert time.monotonic() < give_up, "nobody waited"
                time.sleep(0.01)

    @pytest.mark.parametrize("table", ["cases", "subscriptions", "methods", "customers"])
    @pytest.mark.parametrize("written", [True, False])
    def test_a_row_that_is_written_meanwhile_makes_a_change_stale(self, table: str, written: bool) -> None:
        """Whether the change writes that row, or only relied on it."""
        store = self.make()
        put(
            store,
            decide(case=new_case(), subscription=new_subscription(), method=new_method(), customer=new_customer()),
        )
        rows = load(store, card="card_1")
        everything = decide(case=rows.case, subscription=rows.subscription, method=rows.method, customer=rows.customer)
        only_another = decide(case=rows.case) if table != "cases" else decide(subscription=rows.subscription)
        change = Change(rows, everything if written else only_another)
        assert self.commit_in_the_gap(store, change, f"UPDATE {table} SET version = version + 1") == [False]

    def test_a_writer_that_gives_up_leaves_the_way_free(self) -> None:
        """The other transaction is rolled back: nothing has moved, and nothing is stale."""
        store = self.make()
        put(store, decide(case=new_case()))
        rows = load(store)
        with ThreadPoolExecutor(1) as threads, psycopg.connect(self.server.url(self.database_of(store))) as other:
            other.execute("UPDATE cases SET version = version + 1")
            begun = threads.submit(store.commit, [Change(rows, decide(case=rows.case))])
            self.until_somebody_waits(store)
            other.rollback()
            assert list(begun.result(10)) == [True]

    def test_a_row_that_is_created_meanwhile_makes_its_creation_stale(self) -> None:
        """There was nothing to lock: the two meet at the key."""
        store = self.make()
        statement = (
            "INSERT INTO customers (id, version, body)"
            f' VALUES (\'{row_id("cus_1")}\', 1, (SELECT \'{{"id": "x", "version": 1}}\'))'
        )
        change = Change(NOTHING, decide(case=new_case(), customer=new_customer()))
        assert self.commit_in_the_gap(store, change, statement) == [False]
        assert load(store).case is None

    def test_an_attempt_that_begins_meanwhile_keeps_another_off_its_card(self) -> None:
        """Neither case holds the row of the card, as a planted bug might have it: the second net is the key of running attempts."""
        store = self.make()
        for name in ("inv_1", "inv_2"):
            put(store, decide(case=new_case(name)))
        put(
            store,
            decide(case=replace(loaded_case(store, "inv_1"), attempts=(attempt_on("card_0"),))),
            replace(load(store, "inv_1"), method=None),
        )
        rows = load(store, "inv_2")
        change = Change(rows, decide(case=replace(loaded_case(store, "inv_2"), attempts=(attempt_on("card_1"),))))
        statement = f"UPDATE attempts SET method_id = '{row_id('card_1')}'"
        assert self.commit_in_the_gap(store, change, statement) == [False]

    def test_a_posting_that_is_posted_meanwhile_is_posted_once(self) -> None:
        store = self.make()
        put(store, decide(case=new_case()))
        rows = load(store)
        statement = f"INSERT INTO postings (id, case_id, kind, at, currency) VALUES ('p_1', '{row_id('inv_1')}', 'opened', 1, 'EUR')"
        change = Change(rows, decide(case=rows.case, postings=(posting("p_1"),)))
        assert self.commit_in_the_gap(store, change, statement) == [True]
        assert [one.id for one in store.postings(None, 10)] == ["p_1"]

    def test_an_event_that_comes_in_meanwhile_is_a_duplicate(self) -> None:
        """Its key stands after the wait, but not in the picture that the statement took before."""
        one, other = self.make(), self.make()
        other = self.open(self.database_of(one))
        with psycopg.connect(self.server.url(self.database_of(one))) as writer, ThreadPoolExecutor(2) as threads:
            writer.execute(
                "INSERT INTO inbounds (key, processor, account, event_type, live, received_at, body, body_sha256, state, note, tries_count)"
                " VALUES (%s, 'sandbox', 'main', 'x', false, 1, '', %s, 'waiting', '', 0)",
                (row_id("evt_1"), event("evt_1").body_sha256),
            )
            same = threads.submit(one.receive, [event("evt_0"), event("evt_1")])
            different = threads.submit(other.receive, [event("evt_1", b"other")])
            self.until_somebody_waits(one)
            time.sleep(0.1)
            writer.commit()
            assert list(same.result(10)) == [Receipt.NEW, Receipt.DUPLICATE]
            assert list(different.result(10)) == [Receipt.CONFLICT]


class TestCrosswise(PostgresOpener):
    """Groups that hold the same rows in different orders."""

    def test_of_two_that_each_read_what_the_other_writes_one_is_stale(self) -> None:
        """The classic trap of a snapshot: each alone would be right, both together are not."""
        store = self.make()
        for round_number in range(ROUNDS):
            name = f"inv_{round_number}"
            put(store, decide(case=new_case(name), customer=new_customer(f"cus_{round_number}")))
            rows = store.load(row_id(name), Refs(customer_id=row_id(f"cus_{round_number}")))
            decisions = (decide(case=rows.case), decide(customer=rows.customer))
            answers = together([partial(store.commit, [Change(rows, decision)]) for decision in decisions])
            assert sorted(list(answer) for answer in answers) == [[False], [True]]

    def test_groups_that_write_the_same_rows_in_any_order_all_get_through(self) -> None:
        store = self.make()
        names = [f"inv_{number}" for number in range(6)]
        for name in names:
            put(store, decide(case=replace(new_case(name), amount_due_minor=0)))

        def raise_all(order: Sequence[str]) -> None:
            for _ in range(10):
                left = list(order)
                while left:
                    read = [load(store, name) for name in left]
                    changes = [
                        Change(rows, decide(case=replace(rows.case, amount_due_minor=rows.case.amount_due_minor + 1)))
                        for rows in read
                        if rows.case is not None
                    ]
                    answers = store.commit(changes)
                    left = [name for name, answer in zip(left, answers, strict=True) if not answer]

        orders = [names, names[::-1], names[3:] + names[:3], names[::2] + names[1::2]]
        together([partial(raise_all, order) for order in orders])
        assert [loaded_case(store, name).amount_due_minor for name in names] == [40] * 6

    def test_deliveries_of_the_same_events_in_any_order_make_each_new_once(self) -> None:
        store = self.make()
        events = [event(f"evt_{number}") for number in range(50)]
        orders = [events, events[::-1], events[25:] + events[:25], events[::2] + events[1::2]]
        answers = together([partial(store.receive, order) for order in orders])
        assert sum(list(answer).count(Receipt.NEW) for answer in answers) == 50


class TestProcesses(PostgresOpener):
    durable = True

    def test_processes_that_count_lose_nothing(self) -> None:
        """They also race to create the tables and the case."""
        database = self.database(blank=True)
        context = multiprocessing.get_context("spawn")
        arguments = (self.server.url(database), TIMES)
        processes = [context.Process(target=count_up, args=arguments) for _ in range(PROCESSES)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(90)
        assert [process.exitcode for process in processes] == [0] * PROCESSES
        case = loaded_case(self.open(database))
        assert case.amount_due_minor == PROCESSES * TIMES
        assert case.version == PROCESSES * TIMES + 1

    def test_a_writer_that_freezes_with_its_locks_is_cut_off(self) -> None:
        """Its process stands still between the look and the write: the server ends it, and the others go on. Thawed, it finds that nothing of it was written."""
        frozen = self.open(busy_seconds=0.5)
        other = self.open(self.database_of(frozen), busy_seconds=20.0)
        put(other, decide(case=new_case()))
        rows = load(other)
        change = Change(rows, decide(case=rows.case))
        holding, thawed = threading.Event(), threading.Event()

        def stand_still(connection: Connection) -> None:
            dialect = frozen._database.dialect
            dialect.find(connection, wanted_by([change]))
            holding.set()
            assert thawed.wait(60)
            dialect.write(connection, Writes([change]).batches(dialect, Found({}, {}, {}, set())))

        with ThreadPoolExecutor(1) as threads:
            ended = threads.submit(frozen._database.write, stand_still)
            assert holding.wait(10)
            put(other, decide(case=replace(loaded_case(other), amount_due_minor=7)), rows)
            thawed.set()
            with pytest.raises(StoreUnavailable):
                ended.result(10)
        assert loaded_case(frozen).amount_due_minor == 7

    def test_what_is_applied_stays_applied_when_another_settles_it_meanwhile(self) -> None:
        """Two workers took up one event. One has applied it while the other, which had read it before, puts it off."""
        store = self.open()
        for number in range(ROUNDS):
            store.receive([event(f"evt_{number}")])
            settle = partial(store.settle, row_id(f"evt_{number}"))
            together(
                [partial(settle, settlement(InboundState.APPLIED)), partial(settle, settlement(InboundState.WAITING))]
            )
            settled = store.inbound(row_id(f"evt_{number}"))
            assert settled is not None
            assert settled.state is InboundState.APPLIED
