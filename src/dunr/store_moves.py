"""Carrying a whole store: backup, restore, and the move from one kind of database to the other, by the addresses of the stores.

What is to be held meanwhile is decided here: nothing is sent from either side of a move. First the brake goes on in the source, and what is on the wire may land;
then nobody writes there any more; the target takes no process until everything was counted, and is then adopted under a new epoch. No case is looked at for that:
the look before each send is what protects a payer, and the source has written nothing since the first row was copied.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dunr.core.segments import PolicySet
from dunr.errors import NotCarried, SettingsError
from dunr.rulebook import KINDS, MOVED, StoredRulebook

if TYPE_CHECKING:
    from dunr.adapters.stores.sql.moves.backup import Carried
    from dunr.adapters.stores.sql.moves.move import Move, Moved
    from dunr.adapters.stores.sql.store import SqlStore

LANDING_SECONDS_MAX = 60.0  # what has no answer then is in flight in the target too, and is looked up there
LANDING_LOOK_SECONDS = 0.5
MEMORY = "memory:"

Told = Callable[[str, int, int], None]  # what is done, and how much of how much


def backup(url: str, path: Path, told: Told | None = None) -> "Carried":
    """Write a store into one file that was proved by restoring it. Raises `NotCarried` where it could not be."""
    from dunr.adapters.stores.sql.moves.backup import backup as back_up  # noqa: PLC0415 - an adapter

    return back_up(_address(url), path, _of("Counting", told))


def restore(path: Path, url: str, told: Told | None = None) -> "Carried":
    """Fill an empty store from a backup. It is a copy, and sends nothing until it is adopted."""
    from dunr.adapters.stores.sql.moves.backup import restore as put_back  # noqa: PLC0415 - an adapter

    return put_back(path, _address(url), _of("Counting", told))


def move(source_url: str, target_url: str, instance: str | None, told: Told | None = None) -> "Moved":
    """Move a store, or go on with a move that was interrupted. Afterwards the source sends no more, and the target does."""
    from dunr.adapters.stores.sql.moves.move import Moved  # noqa: PLC0415 - an adapter

    with _move(source_url, target_url, instance) as (moving, source, target):
        if moving.is_over:
            raise NotCarried(f"This store was moved to {moving.target_shown} already.")
        if not moving.has_begun:
            name = moving.reserve()
            _land(moving, source, told)
            moving.freeze(name)
        went_on_from = moving.copy(_of("Copying", told))
        proved = moving.prove(_of("Counting", told))
        moving.end(lambda: _begin(target))
        return Moved(proved.rows, went_on_from, proved.chains_count, proved.balances, proved.problems)


def give_up(source_url: str, target_url: str, instance: str | None) -> bool:
    """Take back a move that is not over; False where there is none."""
    with _move(source_url, target_url, instance) as (moving, source, _):
        was_moving = moving.give_up()
        rulebook = StoredRulebook(source, _no_policies)
        was_stopped = any(stop.scope == MOVED for stop in rulebook.all_stops())
        for kind in KINDS:
            rulebook.resume(kind, MOVED)
    return was_moving or was_stopped


@contextmanager
def _move(source_url: str, target_url: str, instance: str | None) -> "Iterator[tuple[Move, SqlStore, SqlStore]]":
    """Both stores with their tables, for nobody but us."""
    from dunr.adapters.stores.sql.moves.move import Move  # noqa: PLC0415 - an adapter
    from dunr.adapters.stores.sql.store import SqlStore  # noqa: PLC0415 - an adapter

    with Move(source_url, target_url) as moving:
        if not moving.source_path.is_file():
            raise NotCarried(f"There is no store at {source_url}.")
        source, target = SqlStore(source_url, instance=instance), SqlStore(target_url, instance=instance)
        try:
            for store in (source, target):
                store.migrate(held=True)
            yield moving, source, target
        finally:
            source.close()
            target.close()


def _land(moving: "Move", source: "SqlStore", told: Told | None) -> None:
    """Begin nothing new in the source, and let what is on the wire land."""
    rulebook = StoredRulebook(source, _no_policies)
    for kind in KINDS:
        rulebook.stop(kind, MOVED, "this store is being moved")
    give_up_at = time.monotonic() + LANDING_SECONDS_MAX
    while (count := moving.running_count()) and time.monotonic() < give_up_at:
        if told is not None:
            told(f"Waiting for {count} attempts", 0, 1)
        time.sleep(LANDING_LOOK_SECONDS)


def _begin(target: "SqlStore") -> None:
    """Make the target its own: a new epoch, its own surroundings, and no brake of the move."""
    rulebook = StoredRulebook(target, _no_policies)
    rulebook.raise_epoch()
    target.record_identity(target.identity())
    for kind in KINDS:
        rulebook.resume(kind, MOVED)


def _no_policies() -> PolicySet:
    raise AssertionError("no case opens while a store is moved")


def _address(url: str) -> str:
    if url == MEMORY:
        raise SettingsError('store = "memory:" keeps nothing that could be carried: name a database')
    return url


def _of(what: str, told: Told | None) -> Callable[[int, int], None] | None:
    return None if told is None else lambda done, total: told(what, done, total)
