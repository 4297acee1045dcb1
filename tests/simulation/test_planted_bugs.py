"""Each planted bug is caught within a bounded number of worlds; without it, the same worlds keep every promise (`test_worlds`)."""

import pytest

from dunr.facts.load import load_facts
from dunr.simulate import chaos
from tests.simulation.planted_bugs import PLANTED, Plant

SEED = 1


@pytest.mark.parametrize(("plant", "worlds_max"), PLANTED, ids=[plant.__name__ for plant, _ in PLANTED])
def test_a_planted_bug_is_caught(plant: Plant, worlds_max: int, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = load_facts()
    result = chaos.run(worlds_max, SEED, facts=plant(monkeypatch, facts) or facts, violations_max=1)
    assert result.violations, f"{plant.__name__} survived {worlds_max} worlds"
    found = result.violations[0]
    print(f"{plant.__name__}: caught in world {result.worlds}, {found.promise}: {found.seen}")
