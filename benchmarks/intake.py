"""How many signed events a second the intake takes and stores, against dj-stripe and against the least that a durable intake must do.

Each is a real process on a SQLite file with `synchronous=FULL`. A round counts only what was acknowledged, and afterwards the rows of each file are counted: who
acknowledged what is not there has no figure.
"""

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.event import SECRET, signed_events
from benchmarks.measuring import Row
from benchmarks.serving import BUILD, PEER_BIN, PEERS, Contender, both_rows, free_port, take_turns

DJANGO_THREADS = 16  # the quickest of 1, 4 and 16
WANTED_OF_DJ_STRIPE = 10.0
WANTED_OF_BARE = 0.5


class NotStoredError(Exception):
    """A server acknowledged events that are not in its file."""


@dataclass(kw_only=True)
class Keeper(Contender):
    """A server that keeps events: in which file, and what counts those that it stored there."""

    database: Path
    counting: str

    def check_stored(self) -> None:
        """Raise `NotStoredError` unless everything that was acknowledged is in the file."""
        store = sqlite3.connect(f"{self.database.as_uri()}?mode=ro", uri=True)
        try:
            (stored_count,) = store.execute(self.counting).fetchone()
        finally:
            store.close()
        if stored_count != self.answered_count:
            raise NotStoredError(
                f"{self.command[0]}: {self.answered_count} events were acknowledged and {stored_count} are stored."
            )


def dunr(folder: Path) -> Keeper:
    """`dunr serve --no-worker` for an account of Stripe. Nobody is asked anything: what would be done with the events is a worker's."""
    port = free_port()
    return Keeper(
        folder=folder,
        command=[str(Path(sys.executable).with_name("dunr")), "serve", "--no-worker"],
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
        requests=signed_events(port, "/webhooks/stripe"),
        database=folder / "data" / "dunr.db",
        counting="SELECT count(DISTINCT key) FROM inbounds WHERE state = 'waiting' AND length(body) > 5000",
    )


def bare_handler(folder: Path) -> Keeper:
    """The bare handler on the same server as dunr, in dunr's own environment."""
    port = free_port()
    return Keeper(
        folder=folder,
        command=[
            *(sys.executable, "-m", "uvicorn", "bare_handler:app", "--app-dir", str(PEERS)),
            *("--port", str(port), "--log-level", "warning", "--no-access-log"),
        ],
        port=port,
        environment={"BENCH_DATABASE": str(folder / "bare.db"), "BENCH_SECRET": SECRET},
        requests=signed_events(port, "/webhook"),
        database=folder / "bare.db",
        counting="SELECT count(*) FROM events WHERE length(body) > 5000",
    )


def dj_stripe(folder: Path) -> Keeper:
    """dj-stripe's own view in one gunicorn process with threads."""
    port = free_port()
    return Keeper(
        folder=folder,
        command=[
            *(str(PEER_BIN / "gunicorn"), "dj_stripe:application", "--chdir", str(PEERS)),
            *("--bind", f"127.0.0.1:{port}", "--workers", "1", "--worker-class", "gthread"),
            *("--threads", str(DJANGO_THREADS), "--keep-alive", "60", "--log-level", "warning"),
        ],
        port=port,
        environment={"BENCH_DATABASE": str(folder / "django.db"), "BENCH_SECRET": SECRET},
        requests=signed_events(port, "/stripe/webhook/7c7f0f0e-6f0c-4a8e-9d59-3f1f4f6a2b10/"),
        preparing=[str(PEER_BIN / "python"), str(PEERS / "dj_stripe.py")],
        database=folder / "django.db",
        counting="SELECT count(*) FROM djstripe_webhookeventtrigger WHERE valid AND length(body) > 5000",
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
        keepers: list[Keeper] = []
        for maker in makers:
            own_folder = folder / maker.__name__
            own_folder.mkdir()
            keepers.append(maker(own_folder))
            keepers[-1].start(opened)
        take_turns(keepers)
        for keeper in keepers:
            keeper.check_stored()
        ours, bare, *others = keepers
        for theirs in others:
            yield from both_rows("intake of Stripe events", ours, theirs, "dj-stripe", WANTED_OF_DJ_STRIPE)
        peer = "a bare handler with group commit"
        yield from both_rows("intake of Stripe events, bare", ours, bare, peer, WANTED_OF_BARE)
