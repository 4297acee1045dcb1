"""Which database a URL names."""

from importlib.util import find_spec

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from dunr.adapters.stores.sql.dialect import Dialect
from dunr.adapters.stores.sql.sqlite import SqliteDialect
from dunr.errors import SettingsError


def dialect_of(url: str, busy_seconds: float, connections_max: int) -> Dialect:
    """The dialect for a database URL. `connections_max` bounds what one process opens where there is a server."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise SettingsError("DUNR_STORE is no URL; write sqlite:///dunr.db or postgresql://user@host/dunr") from None
    kind = parsed.get_backend_name()
    if kind == "sqlite":
        if parsed.database in (None, "", ":memory:"):
            raise SettingsError(
                "DUNR_STORE names no file; write sqlite:///dunr.db, or memory: for a store that forgets"
            )
        return SqliteDialect(parsed, busy_seconds)
    if kind == "postgresql":
        if not parsed.database:
            raise SettingsError("DUNR_STORE names no database; write postgresql://user@host/dunr")
        if find_spec("psycopg") is None:
            raise SettingsError(
                'DUNR_STORE names PostgreSQL, whose driver is missing: install it with pip install "dunr[postgres]"'
            )
        from dunr.adapters.stores.sql.postgres import PostgresDialect  # noqa: PLC0415 - its driver is an extra

        return PostgresDialect(parsed, busy_seconds, connections_max)
    raise SettingsError(
        f"DUNR_STORE names {kind}, which dunr cannot use; try sqlite:///dunr.db or postgresql://user@host/dunr"
    )
