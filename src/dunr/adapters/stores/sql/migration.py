"""Bringing a database up to this release while processes of the release before still run on it. The scripts are in the package.

A change of the tables has two parts, each a script of its own. The first (`NNNN_pre_what.py`) only adds, so that both releases can work on its result; it runs
when the first process of a release starts. The second (`NNNN_post_what.py`) takes away what only the release before needed; it runs when an operator says that
the last process of that release is gone, and otherwise before the first part of the release after. A process that finds a newer database than it knows works on
it, unless a second part has run that it does not know.

Most starts find nothing to run, so what is there is read from the names of the scripts, and Alembic is imported only where it has work.
"""

import re
from importlib.resources import files
from pathlib import Path

from sqlalchemy import Connection, delete, insert, inspect, select, text

from dunr.adapters.stores.sql.tables import identity
from dunr.errors import SettingsError

SCRIPTS = "dunr.adapters.stores:migrations"
NEEDS = "needs"  # in the table of the identity: the revision that a process must know to work here
POST = "_post_"
SCRIPT = re.compile(r"(\d{4})_\w+\.py")  # its serial is its revision


def upgrade(connection: Connection, scripts: str = SCRIPTS) -> None:
    """Run what has not been run yet, up to the last first part. Raises `SettingsError` where the database has left this release behind."""
    known = _revisions(scripts)
    present = _present(connection)
    if present is not None and present not in known:
        _refuse_where_left_behind(connection, known)
        return
    wanted = list(known)
    while POST in known[wanted[-1]]:
        wanted.pop()
    if present is None or len(wanted) - 1 > list(known).index(present):
        _run_up_to(wanted[-1], connection, scripts)


def finish(connection: Connection, scripts: str = SCRIPTS) -> None:
    """Run the second parts of this release as well. From then on no process of the release before may start, and that is written down first."""
    known = _revisions(scripts)
    upgrade(connection, scripts)
    newest = list(known)[-1]
    if _present(connection) not in known or POST not in known[newest]:
        return
    alone = not connection.in_transaction()
    connection.execute(delete(identity).where(identity.c.name == NEEDS))
    connection.execute(insert(identity), {"name": NEEDS, "value": newest, "counter": None})
    if alone:
        connection.commit()
    _run_up_to(newest, connection, scripts)


def _run_up_to(revision: str, connection: Connection, scripts: str) -> None:
    from alembic import command  # noqa: PLC0415 - see above
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", scripts)
    command.upgrade(config, revision)


def _revisions(scripts: str) -> dict[str, str]:
    """The revisions that this release knows, oldest first, with the names of their files. `scripts` is a folder, or `package:folder`."""
    package, _, folder = scripts.rpartition(":")
    place = files(package).joinpath(folder) if package else Path(folder)
    names = (SCRIPT.fullmatch(file.name) for file in place.joinpath("versions").iterdir())
    return dict(sorted((name[1], name[0]) for name in names if name is not None))


def _present(connection: Connection) -> str | None:
    """The revision of the database. The look leaves no transaction open that the scripts would then be part of."""
    alone = not connection.in_transaction()
    revision = None
    if inspect(connection).has_table("alembic_version"):
        revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    if alone:
        connection.rollback()
    return revision


def _refuse_where_left_behind(connection: Connection, known: dict[str, str]) -> None:
    alone = not connection.in_transaction()
    needs = connection.execute(select(identity.c.value).where(identity.c.name == NEEDS)).scalar_one_or_none()
    if alone:
        connection.rollback()
    if needs is not None and needs not in known:
        raise SettingsError(
            f"this database was brought up to a newer dunr (tables {needs}), on which this one cannot work: start the newer one"
        )
