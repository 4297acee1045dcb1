"""A broken promise made short: the same world with less and less trouble in it, then its neighbours, as long as the same promise breaks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dunr.core.facts import Facts
from dunr.core.value import replace
from dunr.simulate.chaos import play
from dunr.simulate.checkers.broken import PromiseBroken
from dunr.simulate.timeline import timeline
from dunr.simulate.weather import CALM, Weather, in_words
from dunr.simulate.world import World

NEIGHBOURS = 60
ROUNDS_MAX = 3
TROUBLES = tuple(name for name in Weather.__struct_fields__ if name not in ("policy", "acts_count"))


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The shortest world that was found: its story for people, and a timeline for tests/core."""

    seed: int
    weather: Weather
    story: str
    timeline: str


def shrink(seed: int, facts: Facts) -> Shrunk | None:
    """The shortest world in which the promise breaks that this seed breaks; None where it breaks none."""
    world, broken = play(seed, facts)
    if broken is None:
        return None
    weather = world.weather
    world.dissolve()
    for _ in range(ROUNDS_MAX):
        before = weather
        for calmer in _calmer(weather):
            tried = replace(weather, **calmer)
            if tried != weather and _breaks(seed, facts, tried, broken.promise):
                weather = tried
        if weather == before:
            break
    return min(_found(seed, facts, weather, broken.promise), key=lambda one: one.story.count("\n"))


def _calmer(weather: Weather) -> Iterator[dict[str, Any]]:
    """Everything that may be left out, one at a time, people's acts last."""
    for name in TROUBLES:
        yield {name: getattr(CALM, name)}
    yield {"policy": CALM.policy}
    for count in range(weather.acts_count):
        yield {"acts_count": count}


def _breaks(seed: int, facts: Facts, weather: Weather, promise: str) -> bool:
    world, broken = play(seed, facts, weather=weather)
    world.dissolve()
    return broken is not None and broken.promise == promise


def _found(seed: int, facts: Facts, weather: Weather, promise: str) -> Iterator[Shrunk]:
    """The world itself, and those of its neighbours that break the same promise."""
    for near in range(seed, seed + NEIGHBOURS):
        world, broken = play(near, facts, tells_story=True, weather=weather)
        if broken is not None and broken.promise == promise:
            yield _told(near, facts, weather, world, broken)
        world.dissolve()


def _told(seed: int, facts: Facts, weather: Weather, world: World, broken: PromiseBroken) -> Shrunk:
    assert world.story is not None
    text = f"seed {seed}: {in_words(weather)}\n{world.story.text()}\nPROMISE broken: {broken.promise}: {broken.seen}"
    return Shrunk(
        seed, weather, text, timeline(world.story.told, weather.policy, facts, f"{broken.promise}: {broken.seen}")
    )
