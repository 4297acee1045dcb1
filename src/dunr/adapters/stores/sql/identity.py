"""What tells this database from a copy of it.

A copy elsewhere is another file (inode, birth time), or lives on another server, timeline or database; an older file put back in its place is behind the
high-water mark that was left beside it, and a dump put back into its own database was written by another transaction. What the surroundings looked like is
recorded in the database itself, so a copy carries the record of where it came from. A restart, a checkpoint, a VACUUM and a redeploy change none of it.
"""

import uuid
from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select

from dunr.adapters.stores.sql.columns import Cells
from dunr.adapters.stores.sql.database import Database
from dunr.adapters.stores.sql.high_water import MARK
from dunr.adapters.stores.sql.tables import identity

DATABASE_ID = "database"
RECORDED = "recorded/"
MISSING = "missing"

ALL = select(identity.c.name, identity.c.value, identity.c.counter)


def begin(connection: Connection) -> None:
    """Give a database that has just been made an id of its own. Its mark rises once its surroundings are recorded."""
    if connection.execute(ALL).first() is not None:
        return
    cells: list[Cells] = [
        {"name": DATABASE_ID, "value": str(uuid.uuid4()), "counter": None},
        {"name": MARK, "value": None, "counter": 0},
    ]
    connection.execute(insert(identity), cells)


def present_identity(database: Database, instance: str | None) -> Mapping[str, str]:
    """What the database and its surroundings look like now."""
    beside = database.high_water.beside()  # before the mark inside, which may rise at any moment
    inside = {row.name: row for row in database.rows(ALL)}
    present = {"store": database.dialect.name, DATABASE_ID: str(inside[DATABASE_ID].value)}
    present |= database.dialect.surroundings(database.rows)
    if database.dialect.path is not None:
        present["mark"] = str(inside[MARK].counter)
        present["mark_beside"] = MISSING if beside is None else str(beside)
    if instance is not None:
        present["instance"] = instance
    return present


def recorded_identity(database: Database) -> Mapping[str, str]:
    """What was recorded last; empty where nothing was."""
    rows = database.rows(ALL.where(identity.c.name.startswith(RECORDED)))
    return {row.name.removeprefix(RECORDED): row.value for row in rows}


def record_identity(database: Database, present: Mapping[str, str]) -> None:
    """Take this for the database's own surroundings from now on, and set the high-water mark above what either place
    says.
    """

    def record(connection: Connection) -> int | None:
        connection.execute(delete(identity).where(identity.c.name.startswith(RECORDED)))
        cells = [{"name": f"{RECORDED}{name}", "value": value, "counter": None} for name, value in present.items()]
        connection.execute(insert(identity), cells)
        return database.high_water.overtake(connection)

    database.high_water.create()
    database.high_water.leave(database.prepare(record))
