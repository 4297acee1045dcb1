"""Processes of dunr that start in a moment.

Most of the time that a `dunr serve` takes to start goes into imports, and a run of the tests starts hundreds. So a nursery imports everything once and runs
nothing, and whoever wants a process gets one forked from it. That is a process like any other: memory, files, environment and standard streams of its own; it
is frozen and killed by its number, and ends as the interpreter ends. The console script itself is started where the tests are about it (tests/entry/cli).
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from tests.elsewhen import CLOCK_AHEAD, set_clock_ahead

ROOT = Path(__file__).resolve().parent.parent
READY = b"ready"
WISH_BYTES_MAX = 1 << 17
PACKAGES = ("dunr.adapters", "dunr.entry", "dunr.facts", "dunr.mail", "dunr.sandbox", "dunr.settings")
# What those import only once they run.
LATE = (
    *("alembic.command", "dunr.adoption", "dunr.bootstrap", "httpcore", "typer._adapters"),
    *("uvicorn.lifespan.on", "uvicorn.loops.auto", "uvicorn.loops.uvloop"),
    *("uvicorn.protocols.http.auto", "uvicorn.protocols.http.httptools_impl", "uvicorn.protocols.websockets.auto"),
)


class Process:
    """One process from the nursery, by the names that `subprocess.Popen` has for the same things."""

    def __init__(self, pid: int, end: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._end = end
        self._asking = threading.Lock()

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        return self._ended(0.0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
        return code

    def _ended(self, timeout: float | None) -> int | None:
        """The nursery writes the code when it has buried the process."""
        with self._asking:
            if self.returncode is None and select.select([self._end], [], [], timeout)[0]:
                self.returncode = int(os.read(self._end, 16))
                os.close(self._end)
            return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(
    *words: str,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    stdout: "IO[Any] | None" = None,
    stderr: "IO[Any] | None" = None,
) -> Process:
    """Start `dunr …` or `dunr.sandbox …`, by the first word. A stream that is not given is ours."""
    return _nursery().start(words, os.environ if environment is None else environment, folder, stdout, stderr)


def run(
    *words: str,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    timeout: float = 120.0,
    check: bool = False,
) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end, and what it said."""
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        process = start(*words, environment=environment, folder=folder, stdout=stdout, stderr=stderr)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        said = []
        for stream in (stdout, stderr):
            stream.seek(0)
            said.append(stream.read())
    done = subprocess.CompletedProcess(words, code, *said)
    if check:
        assert not code, f"{words} ended with {code}:\n{said[0]}{said[1]}"
    return done


class _Nursery:
    """The door to the process that forks."""

    def __init__(self) -> None:
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.nursery", str(theirs.fileno())]
        self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        self._turn = threading.Lock()
        assert self._door.recv(len(READY)) == READY, "the nursery did not start"

    def start(
        self,
        words: tuple[str, ...],
        environment: Mapping[str, str],
        folder: Path | None,
        stdout: "IO[Any] | None",
        stderr: "IO[Any] | None",
    ) -> Process:
        wish = {"words": words, "environment": dict(environment), "folder": str(folder or Path.cwd())}
        with self._turn:
            ours, theirs = os.pipe()
            streams = [1 if stdout is None else stdout.fileno(), 2 if stderr is None else stderr.fileno()]
            socket.send_fds(self._door, [json.dumps(wish).encode()], [*streams, theirs])
            os.close(theirs)
            return Process(int(self._door.recv(16)), ours)

    def close(self) -> None:
        self._door.close()
        self._process.wait()


@cache
def _nursery() -> _Nursery:
    opened = _Nursery()
    atexit.register(opened.close)
    return opened


# --- the nursery ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wish:
    """What a process shall be."""

    words: list[str]
    environment: dict[str, str]
    folder: str
    streams: tuple[int, int]

    def live(self) -> None:
        """Be it, from the fork to the end."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(self.environment)
        time.tzset()
        ahead_seconds = float(self.environment.get(CLOCK_AHEAD, "0"))
        if ahead_seconds:
            set_clock_ahead(ahead_seconds)
        for number, stream in enumerate(self.streams, start=1):
            os.dup2(stream, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - buffered as befits what it now is
        sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.argv = self.words
        sys.modules["__main__"] = ModuleType("__main__")  # by which a command line finds its own name
        program = "dunr.entry.cli" if self.words[0] == "dunr" else f"{self.words[0]}.__main__"
        importlib.import_module(program).main()


def tend(door: socket.socket) -> Wish | None:
    """Fork whatever is wished, and tell how each one ended. Comes back with the wish in the one that was forked, and with None when nobody is there to wish."""
    woken, waking = os.pipe()
    for end in (woken, waking):
        os.set_blocking(end, False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the door says when it is over
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking)
    ends: dict[int, int] = {}
    door.send(READY)
    while True:
        ready, _, _ = select.select([door.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            for pid, code in _buried():
                with suppress(BrokenPipeError):  # nobody cares any more
                    os.write(ends[pid], str(code).encode())
                os.close(ends.pop(pid))
        if door.fileno() in ready:
            message, streams, _, _ = socket.recv_fds(door, WISH_BYTES_MAX, 3)
            if not message:
                break
            pid = os.fork()
            if not pid:
                signal.set_wakeup_fd(-1)
                return Wish(**json.loads(message), streams=(streams[0], streams[1]))
            ends[pid] = streams[2]
            for stream in streams[:2]:
                os.close(stream)
            door.send(str(pid).encode())
    for pid in ends:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return None


def _buried() -> Iterator[tuple[int, int]]:
    """The processes that have ended since we last looked, and how: by a code, or by a signal's number below zero."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            yield pid, os.waitstatus_to_exitcode(status)


def prepare() -> None:
    """Import what a process of dunr may come to need."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith(".lambdas"):  # it puts itself together when it is imported
                importlib.import_module(module.name)
    for late in LATE:
        importlib.import_module(late)
    # What each would read anew as it starts: the certificates that their clients believe.
    importlib.import_module("dunr.certificates").trusted()
    importlib.import_module("dunr.sandbox.machine").trusted()
    gc.collect()
    gc.freeze()  # what is shared stays shared


if __name__ == "__main__":
    opened = socket.socket(fileno=int(sys.argv[1]))
    prepare()
    assert threading.active_count() == 1, "a process with threads cannot be forked in safety"
    wished = tend(opened)
    if wished is not None:
        opened.detach()
        wished.live()
