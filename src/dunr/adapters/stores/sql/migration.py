"""Bringing a database up to this release, without a configuration file: the scripts are in the package."""

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

SCRIPTS = "dunr.adapters.stores:migrations"


def upgrade(connection: Connection) -> None:
    """Run what has not been run yet, inside the transaction of the connection."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", SCRIPTS)
    command.upgrade(config, "head")
