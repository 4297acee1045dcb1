"""Recorded webhooks, delivered as badly as processors do: repeated, late, out of order, some of them lost for days. Always the same for one seed.

What comes out must not depend on it: each event is taken once, under one key, and what has to be looked at is the same in the end.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from dunr.adapters.stores.memory import MemoryStore
from dunr.errors import BadEvent
from dunr.ports import InboundState, Receipt, Subject
from dunr.testing.door_exam import Door

DELAYS_SECONDS = (0, 1, 40, 900, 7_200, 90_000, 250_000)
REPEATS_MAX = 4
PAGE = 100


@dataclass(frozen=True, slots=True)
class Recorded:
    """One webhook as it came. The signature must hold at every instant of the replay, so sign with a wide tolerance, or sign anew in `Door.verify`'s clock."""

    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay came to: how many deliveries it took, how many of them were repeats, and what there is to be looked at."""

    deliveries_count: int
    repeats_count: int
    keys: frozenset[str]
    subjects: frozenset[Subject]
    unreadable: frozenset[str]


def replay(door: Door, recorded: Sequence[Recorded], seed: int, now: datetime) -> Replayed:
    """Deliver everything at least once in the order of this seed. Raises `AssertionError` where an event is taken twice, or not at all."""
    store, taken = MemoryStore(), 0
    deliveries = sorted(_deliveries(len(recorded), Random(seed)), key=lambda one: one[0])  # noqa: S311 - seeded on purpose
    keys: set[str] = set()
    for _, number in deliveries:
        inbounds = door.verify(recorded[number].body, recorded[number].headers, now)
        receipts = store.receive(inbounds)
        taken += sum(receipt is Receipt.NEW for receipt in receipts)
        assert Receipt.CONFLICT not in receipts, f"webhook {number}: a known key came with another body"
        keys |= {inbound.key for inbound in inbounds}
    assert taken == len(keys), f"{len(keys)} events were taken {taken} times"
    subjects, unreadable = set(), set()
    for inbound in store.inbounds(state=InboundState.WAITING, limit=len(keys) + 1):
        try:
            subjects.add(door.translate(inbound))
        except BadEvent:
            unreadable.add(inbound.key)
    return Replayed(
        len(deliveries), len(deliveries) - len(recorded), frozenset(keys), frozenset(subjects), frozenset(unreadable)
    )


def _deliveries(count: int, rng: Random) -> Iterator[tuple[timedelta, int]]:
    """When each webhook comes, and comes again."""
    for number in range(count):
        for _ in range(rng.randint(1, REPEATS_MAX)):
            yield timedelta(seconds=number + rng.choice(DELAYS_SECONDS)), number
