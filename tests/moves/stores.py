"""A store with some thousand cases, made once, and what a test asks of two stores."""

import shutil
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from dunr.adapters.stores.sql.moves.raw import read
from dunr.adapters.stores.sql.moves.tally import Tally, tally
from dunr.adapters.stores.sql.store import SqlStore
from dunr.testing.history import History

NOW = datetime(2026, 12, 1, tzinfo=UTC)
ENDED, SCHEDULED = 300, 100


@cache
def filled() -> Path:
    """A file with a history, that has been at work: its surroundings are recorded."""
    path = Path(mkdtemp(prefix="dunr-filled-")) / "dunr.db"
    store = SqlStore(f"sqlite:///{path}")
    store.migrate()
    History(worlds=20).fill(f"sqlite:///{path}", ended=ENDED, scheduled=SCHEDULED, now=NOW)
    store.put_document("policy:known", b"{}", 0)
    store.close()
    return path


def store_in(folder: Path) -> Path:
    """A file of the test's own, with its surroundings recorded as the first start records them."""
    path = folder / "dunr.db"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(filled(), path)
    store = SqlStore(url_of(path))
    store.migrate()
    store.record_identity(store.identity())
    store.close()
    return path


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def counted(url: str) -> Tally:
    with read(url) as reader:
        return tally(reader)
