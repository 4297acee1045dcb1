"""A failing seed is told shortly, and as a timeline that can be kept as a test of the core."""

import pytest

from dunr.facts.load import load_facts
from dunr.simulate import chaos
from dunr.simulate.cores import WORLDS_IN_A_SHARE, run_for
from dunr.simulate.shrinking import shrink
from dunr.simulate.timeline import timeline
from dunr.testing.scenario import ScenarioError, play
from tests.simulation import planted_bugs
from tests.simulation.planted_bugs import Plant

pytestmark = pytest.mark.endurance  # each plays hundreds of worlds again and again

SEED = 1
WORLDS = 60


@pytest.mark.parametrize(
    "plant",
    [planted_bugs.voids_are_not_heard, planted_bugs.a_part_is_taken_for_all, planted_bugs.late_money_is_ignored],
)
def test_what_a_planted_bug_breaks_is_told_shortly_and_can_be_pasted(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = load_facts()
    facts = plant(monkeypatch, facts) or facts
    first = chaos.run(WORLDS, SEED, facts=facts, violations_max=1).violations[0]
    found = shrink(first.seed, facts)
    assert found is not None
    assert first.promise in found.story
    assert found.story.count("\n") <= first.story.count("\n")
    print(found.story, found.timeline, sep="\n\n")
    assert "first charge fails" in found.timeline
    assert f"# broken: {first.promise}" in found.timeline
    play(found.timeline, facts, found.weather.policy)


def test_a_bug_of_the_core_that_was_pasted_fails_as_soon_as_it_is_mended() -> None:
    """Then the line that says what the bug did is put right, and the test stays."""
    facts = load_facts()
    with pytest.MonkeyPatch.context() as patch:
        planted_bugs.a_part_is_taken_for_all(patch, facts)
        first = chaos.run(WORLDS, SEED, facts=facts, violations_max=1).violations[0]
        found = shrink(first.seed, facts)
    assert found is not None
    with pytest.raises(ScenarioError, match="is"):
        play(found.timeline, facts, found.weather.policy)


def test_a_world_that_keeps_every_promise_is_not_shrunk() -> None:
    assert shrink(SEED, load_facts()) is None


def test_every_story_can_be_told_as_a_timeline_that_the_core_plays() -> None:
    facts, acts = load_facts(), 0
    for seed in range(SEED, SEED + WORLDS):
        world, broken = chaos.play(seed, facts, tells_story=True)
        assert broken is None
        assert world.story is not None
        text = timeline(world.story.told, world.weather.policy, facts)
        play(text, facts, world.weather.policy)
        acts += sum(line[:2] == "20" for line in text.splitlines())
    assert acts > 5 * WORLDS


def test_worlds_are_played_as_long_as_they_are_given_and_each_seed_once() -> None:
    """At least one batch, whatever the time; the seeds of the batches follow each other."""
    result = run_for(0.0, SEED, 1)
    assert result.worlds == WORLDS_IN_A_SHARE
    longer = run_for(1.0, SEED, 1)
    assert longer.worlds % WORLDS_IN_A_SHARE == 0 or longer.worlds > result.worlds
    assert longer.violations == ()
