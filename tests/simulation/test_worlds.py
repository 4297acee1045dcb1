"""The unmutated engine keeps every promise: in worlds that are always the same, and in a few that nobody has seen before."""

import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

import dunr
from dunr.facts.load import load_facts
from dunr.simulate import chaos
from dunr.simulate.cores import run_on_cores

ALWAYS_SEED = 1
ALWAYS_WORLDS = 600
FRESH_WORLDS = 200
READ_WORLDS = 60
ONCE_BROKEN = (
    278966466782,  # an attempt was withdrawn by a read that was eleven minutes old
)
SOURCE = Path(dunr.__file__).parent
OF_A_MACHINE = re.compile(r"\d-\d\d-\d\dT\d\d:|\b\d+ (usd|eur|jpy)\b")  # instants, and amounts in minor units


def told(result: chaos.ChaosResult) -> str:
    return "\n\n".join(f"{one.promise}: {one.seen}\n{one.story}" for one in result.violations)


def test_worlds_that_are_always_the_same_keep_every_promise() -> None:
    result = chaos.run(ALWAYS_WORLDS, ALWAYS_SEED)
    print(
        f"{result.worlds} worlds, {result.mean_steps:.1f} steps a world, {result.steps_per_second:,.0f} steps a second"
    )
    assert not result.violations, told(result)
    assert result.mean_steps > 10


@pytest.mark.parametrize("seed", ONCE_BROKEN)
def test_worlds_that_once_broke_a_promise_keep_it(seed: int) -> None:
    result = chaos.run(1, seed)
    assert not result.violations, told(result)


def test_fresh_worlds_keep_every_promise() -> None:
    seed = secrets.randbelow(2**40)
    print(f"fresh seed {seed}")
    result = chaos.run(FRESH_WORLDS, seed)
    assert not result.violations, f"seed {seed}\n{told(result)}"


def test_a_seed_plays_the_same_world_in_every_process() -> None:
    code = "from dunr.simulate.chaos import run; r = run(40, 7); print(r.steps, len(r.violations))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1, outputs


def test_worlds_come_out_the_same_however_many_cores_play_them() -> None:
    alone, shared = (run_on_cores(250, 7, jobs) for jobs in (1, 3))
    assert shared.jobs == 3
    assert (shared.worlds, shared.steps, shared.violations) == (alone.worlds, alone.steps, alone.violations)


def test_a_story_is_told_when_and_by_whom_and_why() -> None:
    text = chaos.tell(1, load_facts())
    assert "is charged for the first time" in text
    assert "ChargeFailed of in_1" in text
    assert "\u00b7 " in text


def test_no_reason_and_no_alert_shows_an_instant_or_an_amount_as_a_machine_keeps_it() -> None:
    facts, texts = load_facts(), set()
    for seed in range(READ_WORLDS):
        world, _ = chaos.play(seed, facts)
        texts |= {
            why
            for case in world.store.cases(state=None, text=None, limit=1000, after=None)
            for entry in world.store.audit(case.id, 1000)
            for why in (entry.what, *entry.why)
        }
        texts |= {alert.text for alert in world.watch.messages.alerts}
    assert len(texts) > 300
    assert not [text for text in texts if OF_A_MACHINE.search(text)]


def test_no_sentence_in_the_source_is_built_of_an_instant_or_an_amount_as_a_machine_keeps_it() -> None:
    built = re.compile(r'f"[^"]* [^"]*isoformat\(\)|minor\} \{[a-z_.]*currency')
    places = [*SOURCE.glob("core/**/*.py"), *SOURCE.glob("*.py")]
    assert len(places) > 80
    assert [
        f"{place.name}: {line.strip()}"
        for place in places
        for line in place.read_text().splitlines()
        if built.search(line)
    ] == []
