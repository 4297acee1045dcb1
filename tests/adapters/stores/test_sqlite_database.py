"""What only a store on disk has to show: its tables, its history, its second net, and how it says that it cannot."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine

from dunr.adapters.stores.sql.dialect import LostRace
from dunr.adapters.stores.sql.store import SqlStore
from dunr.adapters.stores.sql.tables import metadata
from dunr.core.snapshot import Snapshot
from dunr.core.terms import Outcome
from dunr.core.value import replace
from dunr.errors import SettingsError, StoreUnavailable
from dunr.ports import Change, InboundState
from dunr.testing.filled import filled
from dunr.testing.store_rows import (
    NOTHING,
    attempt_on,
    decide,
    event,
    load,
    loaded_case,
    new_case,
    put,
    row_id,
    settlement,
)
from tests.adapters.stores.opener import Opener


def schema(path: Path) -> dict[str, str]:
    """Each table and index of a database, by name, as SQL without its layout."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: " ".join(sql.split()) for name, sql in rows if name != "alembic_version"}


class TestTables(Opener):
    def test_the_migrations_make_the_tables_that_the_code_expects(self) -> None:
        self.open().migrate()
        expected = self.folder / "expected.db"
        engine = create_engine(f"sqlite:///{expected}")
        metadata.create_all(engine)
        assert schema(self.path) == schema(expected)
        with engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        engine.dispose()

    def test_migrating_again_changes_nothing(self) -> None:
        store = self.open()
        store.migrate()
        identity = store.identity()
        put(store, decide(case=new_case()))
        store.migrate()
        assert loaded_case(store).version == 1
        assert store.identity() == identity

    def test_a_commit_is_synced_and_readers_do_not_wait(self) -> None:
        store = self.make()
        with store._database._writers.connect() as connection:
            pragmas = [
                connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys")
            ]
        assert pragmas == ["wal", 2, 1]

    def test_a_reader_cannot_write(self) -> None:
        store = self.make()
        with store._database._readers.connect() as connection, pytest.raises(Exception, match="readonly"):
            connection.exec_driver_sql("DELETE FROM cases")

    def test_no_question_of_the_agenda_scans_a_table(self) -> None:
        self.open().migrate()
        questions = {
            "SELECT id FROM cases WHERE wake_at <= 5 ORDER BY wake_at LIMIT 9": "cases_due",
            "SELECT min(wake_at) FROM cases WHERE wake_at IS NOT NULL": "cases_due",
            "SELECT key FROM effects WHERE done_at IS NULL AND due_at <= 5 ORDER BY due_at, sequence": "effects_undone",
            "SELECT min(due_at) FROM effects WHERE done_at IS NULL": "effects_undone",
            "SELECT key FROM inbounds WHERE due_at <= 5 ORDER BY due_at, sequence LIMIT 9": "inbounds_unapplied",
            "SELECT min(due_at) FROM inbounds WHERE due_at IS NOT NULL": "inbounds_unapplied",
        }
        with closing(sqlite3.connect(self.path)) as connection:
            for question, index in questions.items():
                plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {question}"))
                assert index in plan, plan
                assert "TEMP B-TREE" not in plan, plan


class TestHistory(Opener):
    def test_attempts_stay_when_the_case_forgets_them(self) -> None:
        store = self.make()
        first, second = attempt_on("card_1", 1), attempt_on("card_1", 2)
        put(store, decide(case=replace(new_case(), attempts=(first,))))
        declined = replace(first, outcome=Outcome.DECLINED)
        for attempts in ((declined, second), (second,)):
            rows = replace(load(store), method=None)
            put(store, decide(case=replace(loaded_case(store), attempts=attempts)), rows)
        with closing(sqlite3.connect(self.folder / "0.db")) as connection:
            found = connection.execute("SELECT number, outcome, running FROM attempts ORDER BY number").fetchall()
        assert found == [(1, "declined", 0), (2, None, 1)]

    def test_the_database_itself_refuses_two_running_attempts_on_one_card(self) -> None:
        store = self.make()
        for name in ("inv_1", "inv_2"):
            put(store, decide(case=replace(new_case(name), attempts=(attempt_on(f"card_{name}"),))))
        with closing(sqlite3.connect(self.folder / "0.db")) as connection, pytest.raises(sqlite3.IntegrityError):
            connection.execute("UPDATE attempts SET method_id = 'sandbox:main:card_1'")

    def test_the_snapshot_stays_beside_its_event(self) -> None:
        store = self.make()
        store.receive([event("evt_1")])
        assert store.snapshot_of(row_id("evt_1")) is None
        assert store.snapshot_of(row_id("evt_9")) is None
        store.settle(row_id("evt_1"), replace(settlement(InboundState.APPLIED), snapshot=filled(Snapshot)))
        assert store.snapshot_of(row_id("evt_1")) == filled(Snapshot)


class TestTrouble(Opener):
    def test_a_writer_that_gets_no_turn_says_so_and_has_written_nothing(self) -> None:
        self.open().migrate()
        store = self.open(busy_seconds=0.05)
        with closing(sqlite3.connect(self.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            began_at = time.monotonic()
            with pytest.raises(StoreUnavailable, match="locked"):
                store.commit([Change(NOTHING, decide(case=new_case()))])
            with pytest.raises(StoreUnavailable):
                store.receive([event("evt_1")])
            assert time.monotonic() - began_at < 5
            assert load(store).case is None
            other.execute("ROLLBACK")
        put(store, decide(case=new_case()))
        assert loaded_case(store).version == 1

    def test_a_writer_waits_for_one_turn_and_not_for_three(self) -> None:
        """Whoever sends us an event waits for the answer, and not for ever."""
        self.open().migrate()
        store = self.open(busy_seconds=1.0)
        with closing(sqlite3.connect(self.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            began_at = time.monotonic()
            with pytest.raises(StoreUnavailable, match="locked"):
                store.receive([event("evt_1")])
            assert 0.9 < time.monotonic() - began_at < 2.5
            other.execute("ROLLBACK")

    def test_a_race_that_is_lost_is_run_again_and_then_given_up(self) -> None:
        store = self.make()
        tries: list[bool] = []

        def lose(connection: Connection) -> None:
            tries.append(connection.in_transaction())
            raise LostRace

        with pytest.raises(StoreUnavailable, match="others wrote first"):
            store._database.write(lose)
        assert tries == [True, True, True]
        put(store, decide(case=new_case()))

    def test_a_database_without_tables_says_so(self) -> None:
        store = self.open()
        with pytest.raises(StoreUnavailable, match="unable to open"):
            store.due(event("evt_1").received_at, 1)
        assert not self.path.exists()
        with pytest.raises(StoreUnavailable, match="no such table"):
            store.receive([event("evt_1")])
        with pytest.raises(StoreUnavailable, match="no such table"):
            store.due(event("evt_1").received_at, 1)

    def test_a_folder_with_odd_signs_is_a_folder(self) -> None:
        odd = self.folder / "50% off #1 é"
        odd.mkdir()
        store = self.open(odd / "dunr.db")
        store.migrate()
        put(store, decide(case=new_case()))
        assert (odd / "dunr.db").exists()
        assert loaded_case(store).version == 1

    def test_a_database_that_cannot_be_opened_says_so(self) -> None:
        store = self.open(self.folder / "missing" / "dunr.db")
        with pytest.raises(StoreUnavailable, match="unable to open"):
            store.migrate()
        with pytest.raises(StoreUnavailable, match="unable to open"):
            store.document("clock")

    def test_a_url_that_names_no_file_is_a_wrong_setting(self) -> None:
        for url in ("sqlite://", "sqlite:///:memory:"):
            with pytest.raises(SettingsError, match="names no file"):
                SqlStore(url)
        with pytest.raises(SettingsError, match="mysql"):
            SqlStore("mysql://server/dunr")
