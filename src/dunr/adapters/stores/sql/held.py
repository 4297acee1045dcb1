"""A store that is being carried somewhere else, or that was: who may not write to it, and who may not begin on it.

The marks are rows of the identity. A source of a move keeps its reason on the high-water mark, which every write raises, so that from one transaction on no
process can write any more; a target, and a store that is being restored, name what comes in, and no process begins on a half of it.
"""

from sqlalchemy import Connection, delete, insert, select, update

from dunr.adapters.stores.sql.columns import Cells
from dunr.adapters.stores.sql.database import Database
from dunr.adapters.stores.sql.high_water import MARK
from dunr.adapters.stores.sql.tables import identity
from dunr.errors import SettingsError

OUT = "moving/out"  # value: the move; counter: whether it is over
IN = "moving/in"  # value: the move that fills this store
PLACE = "moving/in/"  # and of each table, how far it has come

UNDER_WAY, OVER = 0, 1


def refuse_to_begin(database: Database) -> None:
    """Raises `SettingsError` where this store is the half of a move, or was left by one."""
    rows = {row.name: row for row in database.rows(select(identity).where(identity.c.name.in_((OUT, IN))))}
    if IN in rows:
        raise SettingsError(
            "this store is not filled yet: finish what fills it (`dunr db copy`, with the same addresses again), or begin with an empty one"
        )
    if OUT in rows and rows[OUT].counter == OVER:
        raise SettingsError(f"{why_frozen(database)}: write that address as store, in dunr.toml or DUNR_STORE")
    if OUT in rows:
        raise SettingsError(
            f"{why_frozen(database)}: finish it with `dunr db copy`, or take it back with `dunr db copy --give-up`"
        )


def why_frozen(database: Database) -> str:
    """The reason that stands on the mark."""
    rows = database.rows(select(identity.c.value).where(identity.c.name == MARK))
    return rows[0].value if rows and rows[0].value is not None else ""


def freeze(database: Database, move: str, why: str, counter: int) -> None:
    """Let nobody write to this store from now on."""

    def work(connection: Connection) -> None:
        connection.execute(update(identity).where(identity.c.name == MARK).values(value=why))
        _put(connection, OUT, move, counter)

    database.prepare(work)


def thaw(database: Database) -> None:
    """Let everybody write to this store again."""

    def work(connection: Connection) -> None:
        connection.execute(update(identity).where(identity.c.name == MARK).values(value=None))
        connection.execute(delete(identity).where(identity.c.name == OUT))

    database.prepare(work)


def moves_out(database: Database) -> tuple[str, bool] | None:
    """The move that this store is the source of, and whether it is over."""
    rows = database.rows(select(identity).where(identity.c.name == OUT))
    return (rows[0].value, rows[0].counter == OVER) if rows else None


def moves_in(database: Database) -> str | None:
    """The move that fills this store."""
    rows = database.rows(select(identity.c.value).where(identity.c.name == IN))
    return rows[0].value if rows else None


def receive_from(database: Database, move: str) -> None:
    """Let nobody begin on this store until it is filled. Forgets how far another move had come."""

    def work(connection: Connection) -> None:
        connection.execute(delete(identity).where(identity.c.name.startswith(PLACE)))
        _put(connection, IN, move, None)

    database.prepare(work)


def received(database: Database) -> None:
    """The store is filled."""
    database.prepare(
        lambda connection: connection.execute(delete(identity).where(identity.c.name.startswith(IN))).rowcount
    )


def places(database: Database) -> dict[str, int]:
    """How far each table has come."""
    rows = database.rows(select(identity.c.name, identity.c.counter).where(identity.c.name.startswith(PLACE)))
    return {row.name.removeprefix(PLACE): row.counter for row in rows}


def _put(connection: Connection, name: str, value: str, counter: int | None) -> None:
    cells: Cells = {"name": name, "value": value, "counter": counter}
    connection.execute(delete(identity).where(identity.c.name == name))
    connection.execute(insert(identity), cells)
