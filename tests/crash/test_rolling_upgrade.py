"""A roll-out under load: from the first tables to the newest, then to those of a release to come and past it, while webhooks arrive and four workers work."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from dunr.adapters.stores.sql import migration
from dunr.adapters.stores.sql.store import SqlStore
from tests.cases.racing import race
from tests.cases.rehearsal import Rehearsal, payer, until
from tests.crash.stores import PostgresDatabase, store_of

FIRST = "0001"
WORKERS = ("worker_1", "worker_2", "worker_3", "worker_4")
OLD_ROWS = 100_000  # so that an index takes a while
ENOUGH_SECONDS = 120.0
MIGRATIONS = Path(migration.__file__).parent.parent / "migrations"
OURS = """
from alembic import op
from dunr.adapters.stores.migrations.building import build_index
revision, down_revision, branch_labels, depends_on = "{revision}", "{before}", None, None
def upgrade():
    {deed}
"""


def bring_to_first(connection: Connection) -> None:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", migration.SCRIPTS)
    command.upgrade(config, FIRST)


@pytest.fixture
def next_scripts(tmp_path: Path) -> Iterator[str]:
    """The scripts of the release to come: one adds a column and an index, and one takes both away."""
    folder = tmp_path / "next"
    (folder / "versions").mkdir(parents=True)
    for path in (MIGRATIONS / "versions").glob("[0-9]*.py"):
        (folder / "versions" / path.name).write_text(path.read_text())
    (folder / "env.py").write_text((MIGRATIONS / "env.py").read_text())
    newest = max(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    add = 'op.execute("ALTER TABLE effects ADD COLUMN IF NOT EXISTS more text"); build_index("effects_more", "effects", ["more"], "true")'
    drop = 'op.execute("ALTER TABLE effects DROP COLUMN more")'
    (folder / "versions" / "0901_pre_more.py").write_text(OURS.format(revision="0901", before=newest, deed=add))
    (folder / "versions" / "0902_post_no_more.py").write_text(OURS.format(revision="0902", before="0901", deed=drop))
    yield str(folder)
    sys.modules.pop("env", None)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[PostgresDatabase]:
    store = store_of("postgresql", tmp_path)
    assert isinstance(store, PostgresDatabase)
    yield store
    store.close()


@pytest.mark.slow
@pytest.mark.endurance
@pytest.mark.timeout(900)
def test_a_roll_out_under_load_loses_nothing(tmp_path: Path, store: PostgresDatabase, next_scripts: str) -> None:
    beside = SqlStore(str(store.environment["DUNR_STORE"]))
    beside._database.migrate(bring_to_first)
    store.ask(
        "INSERT INTO effects (key, kind, body, recorded_at, due_at, done_at, tries_count, note)"
        f" SELECT 'old_' || n, 'Old', '{{}}', n, n, n, 0, '' FROM generate_series(1, {OLD_ROWS}) n RETURNING 1"
    )
    with race(tmp_path, *WORKERS, **store.environment) as world, ThreadPoolExecutor(2) as people:
        assert revision_of(store) != FIRST, "whoever started first has brought it up to this release"
        world.set(webhook_backoff_seconds=[1])
        over = Event()
        paying = [people.submit(fail_and_pay, world, over, number) for number in range(2)]
        until(lambda: len(world.cases()) > 2, ENOUGH_SECONDS)
        beside._database.migrate(partial(migration.upgrade, scripts=next_scripts))
        assert revision_of(store) == "0901"
        seen = len(world.cases())
        until(lambda: len(world.cases()) > seen + 2, ENOUGH_SECONDS)
        beside._database.migrate(partial(migration.finish, scripts=next_scripts))
        assert revision_of(store) == "0902"
        over.set()
        invoices = [invoice for one in paying for invoice in one.result()]
        beside.close()

        until(lambda: all(world.find(invoice) is not None for invoice in invoices), ENOUGH_SECONDS)
        until(lambda: {world.case(invoice)["state"] for invoice in invoices} == {"recovered"}, ENOUGH_SECONDS)
        answers = {row["response_status"] for row in world.psp.get("/sandbox/webhooks").json()}
        print(f"invoices={len(invoices)} webhook answers={answers}")
        assert answers == {200}
        assert {world.captures(invoice) for invoice in invoices} == {1}
        assert world.alerts() == []
        assert not [name for name in ("serve", *WORKERS) if "Traceback" in world.log(name)]


def fail_and_pay(world: Rehearsal, over: Event, number: int) -> list[str]:
    """One invoice after the other fails and is paid by a click, until it is over."""
    invoices: list[str] = []
    while not over.is_set():
        invoice = f"in_{number}_{len(invoices)}"
        world.script(f"card_{invoice}", "succeed")
        world.fail(invoice, card=f"card_{invoice}", customer=payer(invoice))
        until(lambda invoice=invoice: world.find(invoice) is not None, ENOUGH_SECONDS)  # type: ignore[misc]
        assert world.pay_now(invoice).status_code == 202
        invoices.append(invoice)
    return invoices


def revision_of(store: PostgresDatabase) -> str:
    [(revision,)] = store.ask("SELECT version_num FROM alembic_version")
    return str(revision)
