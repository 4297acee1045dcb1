"""Which recorded effects this process has in its hands: each is claimed by itself, so that two workers never do the same one at once.

A claim lasts as long as a lease. Whoever dies or freezes with one in hand is followed when it has passed, and does nothing more once it notices. What must not be
repeated is marked in the claim right before it is done, so that whoever follows knows that it may have happened.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock

from dunr.core.effects import StopSending
from dunr.happenings import tell
from dunr.ports import Clock, Store, Undone


class Claims:
    """Takes, marks, puts off and gives back effects, for any number of threads."""

    def __init__(self, store: Store, clock: Clock, lease_seconds: int) -> None:
        """Nothing is in hand."""
        self._store = store
        self._clock = clock
        self._lasts = timedelta(seconds=lease_seconds)
        self._lock = Lock()
        self._held: dict[str, Undone] = {}

    @contextmanager
    def holding(self, undone: Undone) -> Iterator[Undone | None]:
        """An effect in hand until the block ends; None where somebody else has it, or has done it.

        What is neither done nor put off by then, because something was wrong with it, is due again when the lease has passed.
        """
        held = self._store.claim(undone, self._clock.now() + self._lasts)
        try:
            self._keep(undone.effect.key, held)
            yield held
        finally:
            self._keep(undone.effect.key, None)

    def mark(self, held: Undone, note: str) -> Undone | None:
        """Say in the claim what is about to be done, with all of its time before it; None where it is not ours any more, and then it must not be done."""
        marked = self._store.claim(held, self._clock.now() + self._lasts, note)
        self._keep(held.effect.key, marked)
        return marked

    def done(self, held: Undone, note: str) -> None:
        """It is done, whoever holds it now."""
        self._store.done(held.effect.key, self._clock.now(), note)
        _tell("effect_done", held, note)

    def defer(self, held: Undone, due_at: datetime, note: str) -> None:
        """It did not work for now."""
        self._store.defer(held, due_at, note)
        _tell("effect_deferred", held, note)

    def give_back(self) -> int:
        """Let others have at once what is still in hand, for a process that ends; how many that was. Marks stay, so what may have left is not sent again."""
        with self._lock:
            held = list(self._held.values())
            self._held.clear()
        return sum(self._store.claim(one, self._clock.now()) is not None for one in held)

    def _keep(self, key: str, held: Undone | None) -> None:
        with self._lock:
            if held is None:
                self._held.pop(key, None)
            else:
                self._held[key] = held


def _tell(event: str, held: Undone, note: str) -> None:
    effect = held.effect
    case_id = None if isinstance(effect, StopSending) else effect.case_id
    tell(event, kind=type(effect).__name__, case=case_id, key=effect.key, note=note, tries=held.tries_count)
