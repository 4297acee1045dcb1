"""The servers of a benchmark: real processes on this machine, under the same load, in turns, and what each came to by the clock on the wall and by the processor.

A wall clock tells more about who else uses the machine than about a server; the time that a server's processes have been on a processor does so less.
"""

import os
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.load import Load, Sender
from benchmarks.measuring import Row

ROOT = Path(__file__).parents[1]
PEERS = ROOT / "benchmarks" / "peers"
BUILD = ROOT / "build"  # on a real disk, which a folder for temporary files may not be
PEER_BIN = BUILD / "bench-venv" / "bin"

ROUNDS = 3
ROUND_SECONDS = 4.0
WARM_SECONDS = 1.0
READY_SECONDS = 60.0
STOP_SECONDS = 20.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Contender:
    """One server: how it is started, and what it is sent."""

    folder: Path
    command: list[str]
    port: int
    environment: dict[str, str]
    requests: Iterator[bytes]
    preparing: list[str] | None = None
    rounds: list[Load] = field(default_factory=list)
    processor_seconds: list[float] = field(default_factory=list)
    answered_count: int = 0

    def start(self, opened: ExitStack) -> None:
        """Start it, wait until it listens, and have it ended at the end."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DUNR_")}
        environment |= self.environment
        if self.preparing is not None:
            subprocess.run(self.preparing, env=environment, cwd=self.folder, check=True, timeout=READY_SECONDS)
        log = opened.enter_context((self.folder / "server.log").open("wb"))
        self._process = subprocess.Popen(self.command, env=environment, cwd=self.folder, stdout=log, stderr=log)
        opened.callback(_end, self._process)
        self._wait()
        self._sender = Sender(self.port, self.requests)
        self.answered_count = self._sender.drive(WARM_SECONDS).answered_count

    def _wait(self) -> None:
        give_up_at = time.monotonic() + READY_SECONDS
        while True:
            if self._process.poll() is not None or time.monotonic() > give_up_at:
                said = (self.folder / "server.log").read_text(errors="replace")[-3000:]
                raise RuntimeError(f"{self.command[0]} did not start:\n{said}")
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return

    def take_turn(self) -> None:
        """One round of load."""
        begun = processor_seconds_of(self._process.pid)
        load = self._sender.drive(ROUND_SECONDS)
        self.processor_seconds.append(processor_seconds_of(self._process.pid) - begun)
        self.rounds.append(load)
        self.answered_count += load.answered_count

    def rate(self) -> float:
        """The median of the rounds, in answers a second."""
        return median(load.rate for load in self.rounds)

    def processor_rate(self) -> float:
        """The median of the rounds, in answers a second that its processes were on a processor."""
        rounds = zip(self.rounds, self.processor_seconds, strict=True)
        return median(load.answered_count / seconds for load, seconds in rounds)


def processor_seconds_of(pid: int) -> float:
    """How long a process and its children, which may have been forked to serve, have been on a processor until now."""
    seconds = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if pid in (int(stat.parent.name), int(fields[1])):
            seconds += (int(fields[11]) + int(fields[12])) / TICKS
    return seconds


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask it to go, and insist where it does not."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """A port below the range from which the system takes by itself, where it stays free until the server has it."""
    while True:
        port = 10_000 + secrets.randbelow(22_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def take_turns(contenders: Sequence[Contender]) -> None:
    """All rounds, so that a busy moment slows everybody."""
    for _ in range(ROUNDS):
        for contender in contenders:
            contender.take_turn()


def both_rows(name: str, ours: Contender, peer: Contender, peer_name: str, target: float) -> Iterator[Row]:
    """Ours to the other's, by the wall and by the processor."""
    yield Row(name, "a second", ours.rate(), peer.rate(), peer_name, target)
    yield Row(f"{name}, by processor time", "a second", ours.processor_rate(), peer.processor_rate(), peer_name, target)
