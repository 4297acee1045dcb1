"""How many signed events a second the intake takes and stores, against dj-stripe and against the least that a durable intake must do.

Each is a real process on a SQLite file with `synchronous=FULL`, all on this machine and under the same load, in turns; the median of three rounds is told. A round counts
only what was acknowledged, and afterwards the rows of each file are counted: who acknowledged what is not there has no figure.
"""

import os
import secrets
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

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
DJANGO_THREADS = 16  # the quickest of 1, 4 and 16
WANTED_OF_DJ_STRIPE = 10.0
WANTED_OF_BARE = 0.5
SECRET = "whsec_benchmark"


class NotStoredError(Exception):
    """A server acknowledged events that are not in its file."""


@dataclass
class Contender:
    """One server: how it is started, where it takes events, and what counts those that it stored."""

    folder: Path
    command: list[str]
    path: str
    database: Path
    counting: str
    port: int
    environment: dict[str, str]
    preparing: list[str] | None = None
    rounds: list[Load] = field(default_factory=list)
    acknowledged_count: int = 0

    def start(self, opened: ExitStack) -> None:
        """Start it, wait until it listens, and have it ended at the end."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DUNR_")}
        environment |= self.environment
        if self.preparing is not None:
            subprocess.run(self.preparing, env=environment, cwd=self.folder, check=True, timeout=READY_SECONDS)
        log = opened.enter_context((self.folder / "server.log").open("wb"))
        process = subprocess.Popen(self.command, env=environment, cwd=self.folder, stdout=log, stderr=log)
        opened.callback(_end, process)
        self._wait(process)
        self._sender = Sender(self.port, self.path, SECRET)
        self.acknowledged_count = self._sender.drive(WARM_SECONDS).acknowledged_count

    def _wait(self, process: "subprocess.Popen[bytes]") -> None:
        give_up_at = time.monotonic() + READY_SECONDS
        while True:
            if process.poll() is not None or time.monotonic() > give_up_at:
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
        load = self._sender.drive(ROUND_SECONDS)
        self.rounds.append(load)
        self.acknowledged_count += load.acknowledged_count

    def rate(self) -> float:
        """The median of the rounds, in events a second. Raises `NotStoredError`."""
        store = sqlite3.connect(f"{self.database.as_uri()}?mode=ro", uri=True)
        try:
            (stored_count,) = store.execute(self.counting).fetchone()
        finally:
            store.close()
        if stored_count != self.acknowledged_count:
            raise NotStoredError(
                f"{self.path}: {self.acknowledged_count} events were acknowledged and {stored_count} are stored."
            )
        return statistics.median(load.rate for load in self.rounds)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask it to go, and insist where it does not."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_port() -> int:
    """A port below the range from which the system takes by itself, where it stays free until the server has it."""
    while True:
        port = 10_000 + secrets.randbelow(22_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def dunr(folder: Path) -> Contender:
    """`dunr serve --no-worker` for an account of Stripe. Nobody is asked anything: what would be done with the events is a worker's."""
    port = _free_port()
    return Contender(
        folder=folder,
        command=[str(Path(sys.executable).with_name("dunr")), "serve", "--no-worker"],
        path="/webhooks/stripe",
        database=folder / "data" / "dunr.db",
        counting="SELECT count(DISTINCT key) FROM inbounds WHERE state = 'waiting' AND length(body) > 5000",
        port=port,
        environment={
            "DUNR_DATA": str(folder / "data"),
            "DUNR_PORT": str(port),
            "DUNR_PROCESSOR": "stripe",
            "DUNR_ACCOUNT": "acct_bench",
            "DUNR_STRIPE_API_KEY": "sk_test_benchmark",
            "DUNR_STRIPE_URL": "http://127.0.0.1:9",
            "DUNR_WEBHOOK_SECRETS": SECRET,
        },
    )


def bare_handler(folder: Path) -> Contender:
    """The bare handler on the same server as dunr, in dunr's own environment."""
    port = _free_port()
    return Contender(
        folder=folder,
        command=[
            *(sys.executable, "-m", "uvicorn", "bare_handler:app", "--app-dir", str(PEERS)),
            *("--port", str(port), "--log-level", "warning", "--no-access-log"),
        ],
        path="/webhook",
        database=folder / "bare.db",
        counting="SELECT count(*) FROM events WHERE length(body) > 5000",
        port=port,
        environment={"BENCH_DATABASE": str(folder / "bare.db"), "BENCH_SECRET": SECRET},
    )


def dj_stripe(folder: Path) -> Contender:
    """dj-stripe's own view in one gunicorn process with threads."""
    port = _free_port()
    return Contender(
        folder=folder,
        command=[
            *(str(PEER_BIN / "gunicorn"), "dj_stripe:application", "--chdir", str(PEERS)),
            *("--bind", f"127.0.0.1:{port}", "--workers", "1", "--worker-class", "gthread"),
            *("--threads", str(DJANGO_THREADS), "--keep-alive", "60", "--log-level", "warning"),
        ],
        path="/stripe/webhook/7c7f0f0e-6f0c-4a8e-9d59-3f1f4f6a2b10/",
        database=folder / "django.db",
        counting="SELECT count(*) FROM djstripe_webhookeventtrigger WHERE valid AND length(body) > 5000",
        port=port,
        environment={"BENCH_DATABASE": str(folder / "django.db"), "BENCH_SECRET": SECRET},
        preparing=[str(PEER_BIN / "python"), str(PEERS / "dj_stripe.py")],
    )


def rows() -> Iterator[Row]:
    """Ours to each of the others. dj-stripe is left out, aloud, where `make bench` did not install it."""
    BUILD.mkdir(exist_ok=True)
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir=BUILD)))
        makers = [dunr, bare_handler]
        if (PEER_BIN / "gunicorn").exists():
            makers.append(dj_stripe)
        else:
            print("Intake against dj-stripe is left out: run `make bench`, which installs it.", file=sys.stderr)
        contenders: list[Contender] = []
        for maker in makers:
            own_folder = folder / maker.__name__
            own_folder.mkdir()
            contenders.append(maker(own_folder))
            contenders[-1].start(opened)
        for _ in range(ROUNDS):
            for contender in contenders:
                contender.take_turn()
        ours, bare, *others = [contender.rate() for contender in contenders]
        for theirs in others:
            yield Row("intake of Stripe events", "a second", ours, theirs, "dj-stripe", WANTED_OF_DJ_STRIPE)
        peer = "a bare handler with group commit"
        yield Row("intake of Stripe events, bare", "a second", ours, bare, peer, WANTED_OF_BARE)
