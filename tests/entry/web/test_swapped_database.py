"""The database is swapped beneath a server that runs: whoever watches it must hear that it cannot keep anything."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx

from tests.entry.web.desk import application_for, desk, event, signed


def backed_up(folder: Path) -> tuple[Path, Path]:
    """The database, and a consistent copy of it as it is now."""
    database, backup = folder / "data" / "dunr.db", folder / "backup"
    with closing(sqlite3.connect(database)) as here, closing(sqlite3.connect(backup)) as there:
        here.backup(there)
    return database, backup


def deliver(client: httpx.Client, name: str) -> int:
    body = event(name)
    return client.post("/webhooks/sandbox", content=body, headers=signed(body)).status_code


def test_an_older_database_put_back_makes_the_server_unready_as_long_as_it_refuses_events(tmp_path: Path) -> None:
    with desk(application_for(tmp_path, store=f"sqlite:///{tmp_path}/data/dunr.db")) as client:
        database, backup = backed_up(tmp_path)
        assert deliver(client, "evt_1") == 200
        assert client.get("/readyz").json()["status"] == "ready"
        with closing(sqlite3.connect(backup)) as old, closing(sqlite3.connect(database)) as here:
            old.backup(here)
        assert deliver(client, "evt_2") == 503
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200


def test_another_file_in_its_place_makes_it_unready_too(tmp_path: Path) -> None:
    with desk(application_for(tmp_path, store=f"sqlite:///{tmp_path}/data/dunr.db")) as client:
        database, backup = backed_up(tmp_path)
        shutil.move(backup, database)
        assert client.get("/readyz").status_code == 503
