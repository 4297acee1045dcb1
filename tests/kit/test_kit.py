"""The kit for people who write an adapter: the example's tests run as its readers run them, our own adapters sit the same exam, and the exam finds what is wrong."""

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from dunr.errors import BadRequest
from dunr.ports import Inbound, Subject
from dunr.testing.door_exam import Door, DoorExam
from dunr.testing.plugin import StandingClock
from dunr.testing.replay import Recorded, replay
from tests.fuzz import doors
from tests.source_tree import ROOT

EXAMPLE = ROOT / "examples" / "processor_adapter"


def test_the_example_s_tests_pass_where_dunr_is_installed_and_nothing_else_is_said(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLE)],
        cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


class Ours:
    """One of our own adapters, as the exam wants it."""

    def __init__(self, door: doors.Door) -> None:
        self.name = door.name
        self._door = door

    def verify(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Sequence[Inbound]:
        return (self._door.verify_at(body, headers, now),)

    def translate(self, inbound: Inbound) -> Subject:
        return self._door.translate(inbound)


class OurExam(DoorExam):
    now = doors.NOW
    door: doors.Door

    def make(self) -> Door:
        return Ours(self.door)

    def signed(self, body: bytes, at: datetime) -> Mapping[str, str]:
        assert at == doors.NOW
        return self.door.signed(body)

    def others_secret(self, body: bytes, at: datetime) -> Mapping[str, str]:
        assert at == doors.NOW
        return self.door.signed(body + b"?")

    def bodies(self) -> Sequence[bytes]:
        return self.door.corpus[:1]


class TestSandbox(OurExam):
    door = doors.DOORS[0]


class TestStripe(OurExam):
    door = doors.DOORS[1]


class TestBilling(OurExam):
    door = doors.DOORS[2]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("door", doors.DOORS, ids=str)
def test_what_our_adapters_take_does_not_depend_on_the_order(door: doors.Door, seed: int) -> None:
    recorded = [Recorded(door.corpus[0], door.signed(door.corpus[0]))]
    told = replay(Ours(door), recorded, seed, doors.NOW)
    assert len(told.keys) == 1
    assert told.deliveries_count == told.repeats_count + 1


class Believes(Ours):
    """An adapter that checks nothing."""

    def verify(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Sequence[Inbound]:
        assert headers is not None
        assert now is not None
        try:
            return super().verify(body, self._door.signed(body), doors.NOW)
        except BadRequest:
            return ()


class Renames(Ours):
    """An adapter whose keys depend on when it is asked."""

    serial = 0

    def verify(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Sequence[Inbound]:
        from dunr.core.value import replace

        type(self).serial += 1
        return [replace(one, key=f"{one.key}-{self.serial}") for one in super().verify(body, headers, now)]


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        (Believes, "test_what_was_not_signed_is_refused"),
        (Believes, "test_a_signature_that_is_old_or_from_the_future_is_refused"),
        (Believes, "test_what_is_signed_and_no_event_is_a_clear_refusal"),
        (Renames, "test_a_repeat_has_the_same_key"),
    ],
)
def test_the_exam_finds_what_is_wrong(kind: type[Ours], question: str) -> None:
    class Wrong(OurExam):
        door = doors.DOORS[0]

        def make(self) -> Door:
            return kind(self.door)

    asked: Any = getattr(Wrong(), question)
    with pytest.raises(AssertionError):
        asked()


def test_a_replay_finds_keys_that_change() -> None:
    door = doors.DOORS[0]
    recorded = [Recorded(door.corpus[0], door.signed(door.corpus[0])) for _ in range(1)]
    told = [replay(Renames(door), recorded, seed, doors.NOW) for seed in range(5)]
    assert max(len(one.keys) for one in told) > 1  # one event was taken for several


def test_our_own_tests_have_the_fixtures_too(dunr_clock: StandingClock, dunr_scenario: Callable[[str], object]) -> None:
    assert dunr_clock.now() == doors.NOW
    dunr_scenario(
        "2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n                  notice first\n"
    )
