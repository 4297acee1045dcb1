"""Who runs next: workers and requests as greenlets in one thread, interleaved, killed and frozen at their port calls by the seed.

A task runs until it has made as many port calls as its turn allows; then the world goes on with another. A killed task is never continued, which is what a crash
looks like from outside; a frozen one goes on minutes or hours later, as a process does after SIGSTOP. Between two port calls a task only computes, so that a kill
before a port call is the same as one right after the call before.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Protocol, cast

import greenlet  # type: ignore[import-untyped]  # the package has no types

from dunr.simulate.clock import SimClock

TURN_LENGTHS = (1, 1, 2, 3, 5, 8, 13)  # port calls in one turn where somebody else could run
LONELY_TURN_LENGTH = 80
PERIL = 4
FREEZE_SECONDS = (20, 90, 280, 320, 700, 2_000, 8_000, 30_000)


class Greenlet(Protocol):
    """The part of a greenlet that is used here."""

    dead: bool

    def switch(self) -> None:
        """Go on where it left off."""
        ...


class Task:
    """A worker, or one request of a person."""

    __slots__ = ("asleep_until", "calls_left", "freeze_seconds_max", "greenlet", "holder", "idle", "name", "on_kill")

    def __init__(
        self, name: str, holder: str, body: Callable[[], None], on_kill: Callable[[], None] | None = None
    ) -> None:
        """A task that has not begun. `holder` is its engine's name in leases; `on_kill` is told when it is killed."""
        self.name = name
        self.holder = holder
        self.greenlet = cast(Greenlet, greenlet.greenlet(body))
        self.on_kill = on_kill
        self.asleep_until: datetime | None = None
        self.calls_left = 0
        self.idle = False
        self.freeze_seconds_max: int | None = None  # None: as long as you like


class Turns:
    """The tasks of a world, and which of them has its turn."""

    def __init__(self, rng: Random, clock: SimClock, kill_rate: float, freeze_rate: float) -> None:
        """No task yet. The rates are per turn of a task."""
        self._rng = rng
        self._clock = clock
        self._hub = cast(Greenlet, greenlet.getcurrent())
        self.kill_rate = kill_rate
        self.freeze_rate = freeze_rate
        self.tasks: list[Task] = []
        self.current: Task | None = None

    # --- inside a task ----------------------------------------------------------------------------------------------------------

    def port_call(self) -> None:
        """Called by every port before it does anything: here somebody else may run, for as long as they like."""
        task = self.current
        if task is None:
            return
        task.calls_left -= 1
        if task.calls_left < 0:
            self._hub.switch()

    def sleep(self, seconds: float) -> None:
        """The task waits for the network."""
        task = self.current
        if task is not None and seconds > 0:
            task.asleep_until = self._clock.instant + timedelta(seconds=seconds)
            self._hub.switch()

    def perilous_moment(self) -> None:
        """Between an intent and its send, or an answer and its record: where a crash or a freeze hurts most, they are likelier."""
        task, chance = self.current, self._rng.random() / PERIL
        if task is None or chance >= self.kill_rate + self.freeze_rate:
            return
        if chance >= self.kill_rate:
            self.sleep(self._rng.choice(FREEZE_SECONDS))
            return
        if task.on_kill is not None:
            task.on_kill()
        raise greenlet.GreenletExit

    def rest(self) -> None:
        """A worker found nothing to do: it goes on when something is due."""
        assert self.current is not None, "only a task rests"
        self.current.idle = True
        self._hub.switch()

    # --- inside the world -------------------------------------------------------------------------------------------------------

    def add(self, task: Task) -> None:
        """Let a task take part."""
        self.tasks.append(task)

    def ready(self) -> list[Task]:
        """The tasks that could go on now, idle ones aside."""
        now = self._clock.instant
        return [t for t in self.tasks if not t.idle and (t.asleep_until is None or t.asleep_until <= now)]

    def idlers(self) -> list[Task]:
        """The workers that would go on if something were due."""
        now = self._clock.instant
        return [t for t in self.tasks if t.idle and (t.asleep_until is None or t.asleep_until <= now)]

    def next_wake_at(self) -> datetime | None:
        """When the first sleeper wakes."""
        now = self._clock.instant
        return min(
            [t.asleep_until for t in self.tasks if t.asleep_until is not None and t.asleep_until > now], default=None
        )

    def give(self, task: Task, *, alone: bool) -> str:
        """Give a task its turn; what became of it: `ran`, `ended`, `killed` or `froze`."""
        rng = self._rng
        chance = rng.random()
        if chance < self.kill_rate:
            self.tasks.remove(task)
            if task.on_kill is not None:
                task.on_kill()
            return "killed"
        if chance < self.kill_rate + self.freeze_rate:
            seconds = rng.choice(FREEZE_SECONDS)
            if task.freeze_seconds_max is None or seconds <= task.freeze_seconds_max:
                task.asleep_until = self._clock.instant + timedelta(seconds=seconds)
                return "froze"
        task.asleep_until, task.idle = None, False
        task.calls_left = LONELY_TURN_LENGTH if alone else TURN_LENGTHS[int(rng.random() * len(TURN_LENGTHS))]
        self.current = task
        try:
            task.greenlet.switch()
        finally:
            self.current = None
        if task.greenlet.dead:
            self.tasks.remove(task)
            return "ended"
        return "ran"
