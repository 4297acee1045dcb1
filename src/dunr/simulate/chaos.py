"""Many worlds, one after another: how many steps they took, how fast, and the story of each in which a promise was broken."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter, process_time

from dunr.core.facts import Facts
from dunr.facts.load import load_facts
from dunr.simulate.checkers.broken import PromiseBroken
from dunr.simulate.weather import Weather, in_words
from dunr.simulate.world import World

VIOLATIONS_TOLD_MAX = 5
WORLDS_BETWEEN_SWEEPS = 100  # of rubbish


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken promise: `seed` plays its world again."""

    seed: int
    promise: str
    seen: str
    story: str


@dataclass(frozen=True, slots=True)
class ChaosResult:
    """What a run came to. A step is one committed decision; `cpu_seconds` is the time of all its processes together."""

    worlds: int
    steps: int
    violations: tuple[Violation, ...]
    seed: int
    seconds: float
    cpu_seconds: float
    jobs: int = 1

    @property
    def steps_per_second(self) -> float:
        """Committed decisions per second of the run, the simulation included."""
        return self.steps / self.seconds if self.seconds else 0.0

    @property
    def steps_per_cpu_second(self) -> float:
        """The same for one core that does nothing else."""
        return self.steps / self.cpu_seconds if self.cpu_seconds else 0.0

    @property
    def worlds_per_second(self) -> float:
        """Worlds per second."""
        return self.worlds / self.seconds if self.seconds else 0.0

    @property
    def mean_steps(self) -> float:
        """Steps in the mean world."""
        return self.steps / self.worlds if self.worlds else 0.0


def play(
    seed: int, facts: Facts, *, tells_story: bool = False, weather: Weather | None = None
) -> tuple[World, PromiseBroken | None]:
    """One world from its seed, and the promise that it broke. `weather` stands in for the one that the seed draws."""
    world = World(seed, facts, tells_story=tells_story, weather=weather)
    try:
        world.live()
    except PromiseBroken as broken:
        return world, broken
    return world, None


def tell(seed: int, facts: Facts) -> str:
    """The story of a world, ending with the promise that was broken, if one was."""
    world, broken = play(seed, facts, tells_story=True)
    assert world.story is not None
    if broken is not None:
        world.story.tell("PROMISE", f"{broken.promise.upper()} -- broken: {broken.seen}")
    return f"seed {seed}: {in_words(world.weather)}\n{world.story.text()}"


@contextmanager
def _rubbish_waits() -> Iterator[None]:
    """A world makes tens of thousands of values that all go when it ends; looking for rubbish among them meanwhile costs a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    gc.freeze()  # what was there before is no rubbish
    try:
        yield
    finally:
        gc.unfreeze()
        if was_on:
            gc.enable()


def run(worlds: int, seed: int, *, facts: Facts | None = None, violations_max: int | None = None) -> ChaosResult:
    """Play `worlds` worlds with the seeds from `seed` on; stop early after `violations_max` violations."""
    facts = facts or load_facts()
    steps, played = 0, 0
    violations: list[Violation] = []
    begun, cpu_begun = perf_counter(), process_time()
    with _rubbish_waits():
        for world_seed in range(seed, seed + worlds):
            world, broken = play(world_seed, facts)
            steps += world.steps_count
            played += 1
            if played % WORLDS_BETWEEN_SWEEPS == 0:
                gc.collect()
            world.dissolve()
            if broken is not None:
                story = tell(world_seed, facts) if len(violations) < VIOLATIONS_TOLD_MAX else ""
                violations.append(Violation(world_seed, broken.promise, broken.seen, story))
                if violations_max is not None and len(violations) >= violations_max:
                    break
    return ChaosResult(played, steps, tuple(violations), seed, perf_counter() - begun, process_time() - cpu_begun)
