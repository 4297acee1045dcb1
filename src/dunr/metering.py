"""Figures for a monitor: how much waits and since when, and how much has been done since the beginning.

What waits is counted where it lies, by indexes over nothing but what waits. What has been done is a sum that is kept in the store and goes on from where it was, so
that a history of millions costs nothing; all processes read the same sum, and none counts for itself. An instant younger than `ON_ITS_WAY` may still belong to a
commit on its way, so that the kept sum ends before it, and the rest is counted afresh each time.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Protocol, runtime_checkable

import msgspec

from dunr.core.value import Value
from dunr.ports import Store

TOTALS = "metering"
ON_ITS_WAY = timedelta(minutes=15)
KEPT_AGAIN_AFTER = timedelta(minutes=5)
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
NUMBER_MAX = 10  # attempts from this one on are one row
NO_REASON = "none"


class Levels(Value):
    """What waits now. An instant is that of the oldest, or None where nothing waits."""

    inbounds_count: int
    inbounds_oldest_at: datetime | None
    dead_letters_count: int
    due_cases_count: int
    due_cases_oldest_at: datetime | None
    unsettled: tuple[
        tuple[str, int, datetime], ...
    ]  # by outcome, attempts without a final one; and when the oldest was begun
    effects: tuple[tuple[str, int, datetime], ...]  # by kind, what is due and not done


class AttemptKind(Value):
    """What is told apart among attempts that have ended. Each field has few values."""

    number: int  # `NUMBER_MAX` and all above it are one
    reason: str  # of the decline that it answered
    trigger: str
    outcome: str


class EffectKind(Value):
    """What is told apart among effects that are done."""

    kind: str
    fate: str  # `sent`, `maybe_sent`, `undeliverable`, `dropped`, `done`


@runtime_checkable
class Metered(Protocol):
    """A store that can be measured."""

    def levels(self, now: datetime) -> Levels:
        """What waits."""
        ...

    def ended_attempts(self, from_at: datetime, until_at: datetime) -> Mapping[AttemptKind, int]:
        """Attempts that were settled in a span of time."""
        ...

    def done_effects(self, from_at: datetime, until_at: datetime) -> Mapping[EffectKind, int]:
        """Effects that were done in a span of time."""
        ...


class Totals(msgspec.Struct, frozen=True):
    """Everything before `until_at`."""

    until_at: datetime = BEGINNING
    attempts: tuple[tuple[AttemptKind, int], ...] = ()
    effects: tuple[tuple[EffectKind, int], ...] = ()


def totals(store: Store, metered: Metered, now: datetime) -> Totals:
    """Everything until now."""
    document = store.document(TOTALS)
    kept = msgspec.json.decode(document.body, type=Totals) if document is not None else Totals()
    until_at = now - ON_ITS_WAY
    if until_at - kept.until_at >= KEPT_AGAIN_AFTER:
        kept = _on(kept, metered, until_at)
        store.put_document(TOTALS, msgspec.json.encode(kept), document.version if document is not None else 0)
    return _on(kept, metered, max(now, kept.until_at) + timedelta(microseconds=1))


def _on(before: Totals, metered: Metered, until_at: datetime) -> Totals:
    """The sum with what was done since."""
    attempts, effects = Counter(dict(before.attempts)), Counter(dict(before.effects))
    attempts.update(metered.ended_attempts(before.until_at, until_at))
    effects.update(metered.done_effects(before.until_at, until_at))
    return Totals(until_at, tuple(attempts.items()), tuple(effects.items()))


def fate_of(note: str) -> str:
    """What became of an effect, as a word out of few."""
    word = note.split(":", 1)[0]
    return word if word in ("sent", "maybe_sent", "undeliverable", "dropped") else "done"
