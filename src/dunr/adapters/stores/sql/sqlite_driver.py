"""The driver's own connection to a SQLite file, for the few statements that each transaction and each event needs: building them anew would cost more than they do."""

import sqlite3

from sqlalchemy import Connection


def driver_of(connection: Connection) -> sqlite3.Connection:
    """The connection under SQLAlchemy's, in the same transaction."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver
