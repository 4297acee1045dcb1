"""Each story gets a dunr and a sandbox of its own, on the manual clock from Tuesday 23 June 2026, 10:00 UTC."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.rehearsal import Rehearsal, rehearse
from tests.crash.stores import PostgresDatabase, SqliteFile, store_of


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteFile | PostgresDatabase]:
    """The file in the data folder, unless a story is marked to be told on PostgreSQL too."""
    store = store_of(getattr(request, "param", "sqlite"), tmp_path)
    yield store
    store.close()


@pytest.fixture
def world(tmp_path: Path, store: SqliteFile | PostgresDatabase) -> Iterator[Rehearsal]:
    with rehearse(tmp_path, **store.environment) as running:
        yield running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """One running world for the stories of a file that use different invoices, customers and cards and do not ask what day it is."""
    with rehearse(tmp_path_factory.mktemp("shared")) as running:
        yield running
