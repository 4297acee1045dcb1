"""Changing the tables of PostgreSQL under running processes: once, whoever comes first, without losing a write, and without stranding the release before."""

import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from dunr.adapters.stores.sql import migration
from dunr.adapters.stores.sql.store import SqlStore
from dunr.adapters.stores.sql.tables import metadata
from dunr.errors import SettingsError
from dunr.ports import Change, Receipt
from dunr.testing.store_rows import NOTHING, audit_entry, decide, event, load, new_case, nudge, posting, row_id
from dunr.testing.together import together
from tests.adapters.stores.postgres_opener import PostgresOpener

FIRST, NEWEST = "0001", "0005"
PROCESSES = 10

OURS = """
revision, down_revision, branch_labels, depends_on = "{revision}", {before}, None, None
def upgrade():
    from alembic import op
    op.execute("{deed}")
"""
ENV = Path(migration.__file__).parent.parent / "migrations" / "env.py"


def bring_to(connection: Connection, revision: str) -> None:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", migration.SCRIPTS)
    command.upgrade(config, revision)


class TestMigrations(PostgresOpener):
    def at_revision(self, revision: str) -> SqlStore:
        """A store on tables as an earlier release made them."""
        store = self.open(self.database(blank=True))
        store._database.migrate(partial(bring_to, revision=revision))
        return store

    def revision_of(self, store: SqlStore) -> str:
        with self.server.connect(self.database_of(store)) as connection:
            [(revision,)] = connection.execute("SELECT version_num FROM alembic_version").fetchall()
        assert isinstance(revision, str)
        return revision

    def test_the_migrations_make_the_tables_that_the_code_expects(self) -> None:
        store = self.open()
        with store._database._writers.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert self.revision_of(store) == NEWEST

    def test_each_migration_says_by_its_name_whether_it_adds_or_takes_away(self) -> None:
        """The first made the tables; every other one is the part of a change that runs before, or after, the release before has gone."""
        names = sorted(path.name for path in (ENV.parent / "versions").glob("[0-9]*.py"))
        assert names[0].startswith(f"{FIRST}_")
        assert all(re.fullmatch(r"[0-9]{4}_(pre|post)_[a-z_]+[.]py", name) for name in names[1:]), names

    def test_an_index_on_a_table_that_is_in_use_is_built_beside_its_writers(self) -> None:
        for path in (ENV.parent / "versions").glob("[0-9]*.py"):
            if not path.name.startswith(FIRST):
                assert "create_index" not in path.read_text(), f"{path.name}: use build_index"

    def test_a_column_and_its_index_are_added_again_where_a_process_was_killed_between_them(self) -> None:
        store = self.at_revision(FIRST)
        with self.server.connect(self.database_of(store)) as connection:
            connection.execute("ALTER TABLE attempts ADD COLUMN has_unknown_codes BOOLEAN DEFAULT false NOT NULL")
            store.migrate()
        assert self.revision_of(store) == NEWEST

    def test_ten_that_start_at_once_do_it_once(self) -> None:
        name = self.database(blank=True)
        stores = [self.open(name) for _ in range(PROCESSES)]
        together([store.migrate for store in stores])
        assert self.revision_of(stores[0]) == NEWEST
        assert len({store.identity()["database"] for store in stores}) == 1
        assert list(stores[0].receive([event("evt_1")])) == [Receipt.NEW]

    def test_an_index_that_was_half_built_is_built_anew(self) -> None:
        """The process was killed in the middle: the index is there, and not valid."""
        store = self.at_revision("0002")
        with self.server.connect(self.database_of(store)) as connection:
            connection.execute("CREATE INDEX effects_done ON effects (done_at) WHERE done_at IS NOT NULL")
            connection.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'effects_done'::regclass")
            store.migrate()
            invalid = connection.execute("SELECT indexrelid FROM pg_index WHERE NOT indisvalid").fetchall()
        assert invalid == []

    def test_writers_lose_nothing_while_the_tables_change_from_the_first_to_the_newest(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Four processes of the release before write on; what was acknowledged is there, whole, and nobody was refused. It is found by a text, too."""
        monkeypatch.setattr("dunr.adapters.stores.sql.writes.WORDED", {})
        monkeypatch.setattr("dunr.adapters.stores.sql.writes.words_of", lambda _: ())
        store = self.at_revision(FIRST)
        self.fill(store)
        done = Event()
        old = [self.open(self.database_of(store)) for _ in range(4)]

        def write(number: int) -> list[str]:
            """As a release did that knew nothing of the newer columns."""
            names: list[str] = []
            while not done.is_set() or not names:
                name = f"{number}_{len(names)}"
                assert list(old[number].receive([event(f"evt_{name}")])) == [Receipt.NEW]
                decision = decide(
                    case=new_case(f"inv_{name}"),
                    postings=(posting(f"p_{name}", f"inv_{name}"),),
                    audit=(audit_entry(1, case=f"inv_{name}"),),
                    effects=(nudge(f"n_{name}", f"inv_{name}"),),
                )
                assert list(old[number].commit([Change(NOTHING, decision)])) == [True]
                names.append(name)
            return names

        with ThreadPoolExecutor(4) as threads:
            writing = [threads.submit(write, number) for number in range(4)]
            store.migrate()
            done.set()
            names = [name for one in writing for name in one.result(60)]
        assert self.revision_of(store) == NEWEST
        for name in names:
            assert store.cases(state=None, text=f"inv_{name}", limit=9, after=None), name
        while store.give_words(10):
            pass
        for name in names:
            assert store.cases(state=None, text=f"inv_{name}", limit=9, after=None), name
            assert store.inbound(row_id(f"evt_{name}")) is not None
            assert load(store, f"inv_{name}").case is not None
        with self.server.connect(self.database_of(store)) as connection:
            [counts] = connection.execute(
                "SELECT (SELECT count(*) FROM postings), (SELECT count(*) FROM audit), (SELECT count(*) FROM effects WHERE kind = 'Nudge')"
            ).fetchall()
        assert counts == (len(names),) * 3

    def fill(self, store: SqlStore) -> None:
        """Enough rows that an index takes a while."""
        with self.server.connect(self.database_of(store)) as connection:
            connection.execute(
                "INSERT INTO effects (key, kind, body, recorded_at, due_at, done_at, tries_count, note)"
                " SELECT 'old_' || n, 'Old', '{}', n, n, n, 0, '' FROM generate_series(1, 100000) n"
            )


class TestTwoReleases(PostgresOpener):
    """Scripts of a made-up next release, of which one adds and one takes away."""

    @pytest.fixture
    def next_scripts(self, tmp_path: Path) -> Iterator[str]:
        versions = tmp_path / "versions"
        versions.mkdir()
        for path in (ENV.parent / "versions").glob("*.py"):
            (versions / path.name).write_text(path.read_text())
        (tmp_path / "env.py").write_text(ENV.read_text())
        add = OURS.format(revision="0901", before=f"'{NEWEST}'", deed="ALTER TABLE documents ADD COLUMN more text")
        drop = OURS.format(revision="0902", before="'0901'", deed="ALTER TABLE documents DROP COLUMN more")
        (versions / "0901_pre_more.py").write_text(add)
        (versions / "0902_post_no_more.py").write_text(drop)
        yield str(tmp_path)
        sys.modules.pop("env", None)

    def has_more(self, database: str) -> bool:
        with self.server.connect(database) as connection:
            question = (
                "SELECT 1 FROM information_schema.columns WHERE table_name = 'documents' AND column_name = 'more'"
            )
            return connection.execute(question).fetchall() != []

    def test_the_first_part_runs_at_a_start_and_the_second_when_told(self, next_scripts: str) -> None:
        store = self.open()
        store._database.migrate(partial(migration.upgrade, scripts=next_scripts))
        assert self.has_more(self.database_of(store))
        store._database.migrate(partial(migration.finish, scripts=next_scripts))
        assert not self.has_more(self.database_of(store))
        store._database.migrate(partial(migration.upgrade, scripts=next_scripts))
        assert not self.has_more(self.database_of(store))

    def test_the_release_before_starts_again_while_both_are_at_work(self, next_scripts: str) -> None:
        """One of its processes is restarted in the middle of the roll-out."""
        new = self.open()
        new._database.migrate(partial(migration.upgrade, scripts=next_scripts))
        old = self.open(self.database_of(new))
        old.migrate()
        assert list(old.receive([event("evt_1")])) == [Receipt.NEW]
        assert old.put_document("clock", b"", 0)

    def test_the_release_before_does_not_start_once_it_was_left_behind(self, next_scripts: str) -> None:
        new = self.open()
        new._database.migrate(partial(migration.finish, scripts=next_scripts))
        old = self.open(self.database_of(new))
        with pytest.raises(SettingsError, match="newer dunr"):
            old.migrate()

    def test_there_is_nothing_to_finish_where_nothing_is_taken_away(self) -> None:
        store = self.open()
        store.finish_migration()
        store.migrate()
        with psycopg.connect(self.server.url(self.database_of(store))) as connection:
            assert connection.execute("SELECT 1 FROM identity WHERE name = 'needs'").fetchall() == []
