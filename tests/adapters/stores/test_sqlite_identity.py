"""A copied or restored database is told from the one that we were; a restart, a checkpoint, a VACUUM and a redeploy
are not.
"""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from dunr.adapters.stores.sql.store import SqlStore
from dunr.core.identity import differences
from dunr.errors import StoreUnavailable
from dunr.testing.store_rows import decide, event, new_case, put
from tests.adapters.stores.opener import Opener

LOOK = """
import sys
from dunr.adapters.stores.sql.store import SqlStore
from dunr.core.identity import differences
store = SqlStore(sys.argv[1])
store.migrate()
print(differences(store.recorded_identity(), store.identity()))
store.close()
"""


def look(store: SqlStore) -> tuple[str, ...]:
    return differences(store.recorded_identity(), store.identity())


def copy(source: Path, target: Path) -> None:
    """Copy a closed database over whatever is there, as `cp` does: an existing file keeps its inode."""
    assert not source.with_name(f"{source.name}-wal").exists()
    shutil.copyfile(source, target)


class TestIdentity(Opener):
    @pytest.fixture(autouse=True)
    def _recorded(self, _open_and_close: None) -> None:
        """A database that has been in use for a while."""
        store = self.open()
        store.migrate()
        assert store.recorded_identity() == {}
        assert look(store) == ()
        store.record_identity(store.identity())
        put(store, decide(case=new_case("inv_1")))
        assert look(store) == ()
        store.close()

    def use(self, name: str) -> None:
        """Open the database, write, close it."""
        store = self.open()
        store.receive([event(name)])
        store.close()

    # --- what does not trip it ---------------------------------------------------------------------------------------

    def test_a_restart_is_no_copy(self) -> None:
        for name in ("evt_1", "evt_2"):
            store = self.open()
            store.migrate()
            assert look(store) == ()
            store.receive([event(name)])
            assert look(store) == ()
            store.close()

    def test_a_new_process_is_no_copy(self) -> None:
        command = [sys.executable, "-c", LOOK, f"sqlite:///{self.path}"]
        assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "()\n"

    def test_a_checkpoint_and_a_vacuum_are_no_copy(self) -> None:
        store = self.open()
        store.receive([event("evt_1")])
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("VACUUM")
        assert look(store) == ()
        assert look(self.open()) == ()

    def test_a_file_that_lags_is_no_copy(self) -> None:
        """The process was killed after the commit, before it left the mark."""
        self.path.with_name("dunr.db.mark").write_bytes(b"%020d\n" % 1)
        assert look(self.open()) == ()

    def test_several_at_work_are_no_copy(self) -> None:
        one, two = self.open(), self.open()
        for number in range(10):
            one.receive([event(f"evt_{number}")])
            two.receive([event(f"evt_{number}")])
            assert look(one) == look(two) == ()

    # --- what does ---------------------------------------------------------------------------------------------------

    def test_a_copy_in_another_place_shows(self) -> None:
        other = self.folder / "other" / "dunr.db"
        other.parent.mkdir()
        copy(self.path, other)
        assert len(look(self.open(other))) == 2
        shutil.copy(self.path.with_name("dunr.db.mark"), other.with_name("dunr.db.mark"))
        [reason] = look(self.open(other))
        assert "database file" in reason

    def test_an_older_file_put_back_in_place_shows(self) -> None:
        copy(self.path, self.folder / "backup")
        self.use("evt_1")
        copy(self.folder / "backup", self.path)
        [reason] = look(self.open())
        assert "older database was put back" in reason

    def test_an_older_file_moved_into_place_shows(self) -> None:
        copy(self.path, self.folder / "backup")
        self.use("evt_1")
        (self.folder / "backup").replace(self.path)
        assert len(look(self.open())) == 2

    def test_a_missing_mark_shows(self) -> None:
        self.path.with_name("dunr.db.mark").unlink()
        [reason] = look(self.open())
        assert "missing" in reason

    def test_a_broken_mark_shows(self) -> None:
        self.path.with_name("dunr.db.mark").write_bytes(b"?")
        assert len(look(self.open())) == 1

    def test_another_installation_shows(self) -> None:
        store = self.open(instance="production")
        assert look(store) == ()
        store.record_identity(store.identity())
        assert look(store) == ()
        [reason] = look(self.open(instance="staging"))
        assert "DUNR_INSTANCE" in reason

    # --- what follows ------------------------------------------------------------------------------------------------

    def test_a_restored_copy_stays_one_whatever_it_writes(self) -> None:
        """It receives and shows; however much it writes, the trace is not washed away."""
        copy(self.path, self.folder / "backup")
        self.use("evt_1")
        copy(self.folder / "backup", self.path)
        for number in range(20):
            self.use(f"evt_{number}")
        [reason] = look(self.open())
        assert "older database was put back" in reason

    def test_an_older_database_put_back_beneath_a_running_process_shows(self) -> None:
        """As `sqlite3 dunr.db ".restore backup"` does it: whoever is at work must neither go on nor wash the trace away."""
        copy(self.path, self.folder / "backup")
        running = self.open()
        running.receive([event("evt_1")])
        with closing(sqlite3.connect(self.folder / "backup")) as old, closing(sqlite3.connect(self.path)) as here:
            old.backup(here)
        for number in range(20):
            with pytest.raises(StoreUnavailable, match="put back"):
                running.receive([event(f"evt_{number}")])
        running.close()
        [reason] = look(self.open())
        assert "older database was put back" in reason

    def test_a_copy_without_its_mark_stays_one_whatever_it_writes(self) -> None:
        self.path.with_name("dunr.db.mark").unlink()
        self.use("evt_1")
        assert len(look(self.open())) == 1

    def test_an_adopted_copy_is_our_own(self) -> None:
        copy(self.path, self.folder / "backup")
        self.use("evt_1")
        copy(self.folder / "backup", self.path)
        running, operator = self.open(), self.open()
        running.receive([event("evt_1")])
        operator.record_identity(operator.identity())
        assert look(running) == look(operator) == ()
        running.receive([event("evt_2")])
        running.close()
        operator.close()
        copy(self.folder / "backup", self.path)
        assert len(look(self.open())) == 1
