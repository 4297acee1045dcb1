"""How many due attempts one worker drains on PostgreSQL, against procrastinate's worker with jobs that do nothing; and what cases of the far future cost.

Each round is a process of its own on a database of its own, in turns, on a server that syncs. Charging is stubbed out. See `drainer` for what is counted.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

from benchmarks.measuring import Row
from benchmarks.serving import PEER_BIN, PEERS, ROOT, ROUNDS
from tests.postgres import Server, server

COUNT = 1_000
FUTURE_COUNT = 200_000
ROUND_SECONDS_MAX = 900.0
WANTED_OF_PROCRASTINATE = 3.0
WANTED_OF_NONE_PENDING = 0.9


@dataclass
class Drainer:
    """One way to drain, and what its rounds came to."""

    command: list[str]
    future_count: int
    rates: list[float] = field(default_factory=list)
    processor_rates: list[float] = field(default_factory=list)

    def take_turn(self, where: Server) -> None:
        """One round."""
        name = where.create()
        try:
            command = [*self.command, where.url(name), str(COUNT), str(self.future_count)]
            ended = subprocess.run(
                command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, timeout=ROUND_SECONDS_MAX
            )
        finally:
            where.drop(name)
        told = json.loads(ended.stdout)
        self.rates.append(told["count"] / told["seconds"])
        self.processor_rates.append(told["count"] / told["processor_seconds"])


def rows() -> Iterator[Row]:
    """Ours to procrastinate's, and ours to our own with nothing pending."""
    if not (PEER_BIN / "procrastinate").exists():
        print("Draining is left out: run `make bench`, which installs procrastinate.", file=sys.stderr)
        return
    ours = [sys.executable, "-m", "benchmarks.drainer"]
    theirs = [str(PEER_BIN / "python"), str(PEERS / "procrastinate_drain.py")]
    alone, beside_many, peer = Drainer(ours, 0), Drainer(ours, FUTURE_COUNT), Drainer(theirs, 0)
    where = server(durable=True)
    for _ in range(ROUNDS):
        for drainer in (alone, beside_many, peer):
            drainer.take_turn(where)
    pairs = (
        ("due attempts drained", alone, peer, "procrastinate", WANTED_OF_PROCRASTINATE),
        ("drained, 200,000 pending", beside_many, alone, "none pending", WANTED_OF_NONE_PENDING),
    )
    for name, one, other, other_name, wanted in pairs:
        yield Row(name, "a second", median(one.rates), median(other.rates), other_name, wanted)
        yield Row(
            f"{name}, by processor time",
            "a second",
            median(one.processor_rates),
            median(other.processor_rates),
            other_name,
            wanted,
        )
