"""Each planted bug is caught within a bounded number of worlds; without it, the same worlds keep every promise (`test_worlds`)."""

import pytest

from dunr.facts.load import load_facts
from dunr.simulate import chaos
from tests.simulation import planted_bugs
from tests.simulation.planted_bugs import PLANTED, Plant

SEED = 1


RARE = (
    planted_bugs.trusts_old_looks,
    planted_bugs.overpayments_are_booked_and_told_to_nobody,
)  # met in hundreds of worlds


def marked(plant: Plant) -> list[pytest.MarkDecorator]:
    return [pytest.mark.endurance] if plant in RARE else []


@pytest.mark.parametrize(
    ("plant", "worlds_max"),
    [pytest.param(plant, worlds_max, id=plant.__name__, marks=marked(plant)) for plant, worlds_max in PLANTED],
)
def test_a_planted_bug_is_caught(plant: Plant, worlds_max: int, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = load_facts()
    result = chaos.run(worlds_max, SEED, facts=plant(monkeypatch, facts) or facts, violations_max=1)
    assert result.violations, f"{plant.__name__} survived {worlds_max} worlds"
    found = result.violations[0]
    print(f"{plant.__name__}: caught in world {result.worlds}, {found.promise}: {found.seen}")
