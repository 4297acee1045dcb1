"""Acme's adapter sits the exam, and takes recorded webhooks in any order. Run it with: pytest examples/processor_adapter"""

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from acme import AcmeDoor

from dunr.testing.door_exam import Door, DoorExam
from dunr.testing.plugin import SandboxFixture, StandingClock
from dunr.testing.replay import Recorded

NOW = datetime(2026, 6, 23, 10, tzinfo=UTC)
BODIES = (
    b'{"event_id":"e1","kind":"payment.failed","test":true,"invoice":"inv_1"}',
    b'{"event_id":"e2","kind":"payment.succeeded","test":true,"invoice":"inv_1"}',
    b'{"event_id":"e3","kind":"payment.failed","test":true}',
    b'{"event_id":"e4","kind":"payout.sent","test":true}',
    b'{"event_id":"e5","kind":"payment.failed","test":false,"invoice":"inv_2"}',
)


def signed(body: bytes, at: datetime, secret: str = "ours") -> Mapping[str, str]:
    second = int(at.timestamp())
    mac = hmac.new(secret.encode(), f"{second}.".encode() + body, hashlib.sha256).hexdigest()
    return {"Acme-Signature": f"time={second};mac={mac}"}


class TestAcme(DoorExam):
    now = NOW

    def make(self) -> Door:
        return AcmeDoor("acct_1", "ours", live=False)

    def signed(self, body: bytes, at: datetime) -> Mapping[str, str]:
        return signed(body, at)

    def others_secret(self, body: bytes, at: datetime) -> Mapping[str, str]:
        return signed(body, at, "theirs")

    def bodies(self) -> Sequence[bytes]:
        return BODIES


@pytest.mark.parametrize("seed", range(20))
def test_recorded_webhooks_come_to_the_same_in_any_order(dunr_replay: Callable[..., Any], seed: int) -> None:
    recorded = [Recorded(body, signed(body, NOW)) for body in BODIES]
    told = dunr_replay(AcmeDoor("acct_1", "ours", live=False), recorded, seed, NOW)
    assert len(told.keys) == len(BODIES)
    assert {subject.processor_invoice_id for subject in told.subjects} == {"inv_1"}
    assert told.unreadable == {"acme:acct_1:e3"}


def test_a_policy_of_ours_keeps_its_dates(dunr_scenario: Callable[..., Any]) -> None:
    dunr_scenario(
        """
        policy steps=2d,3d floor=2d,3d
        2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                          state scheduled; next 2026-06-25 10:00; notice first
        """
    )


def test_a_sandbox_and_a_clock_are_there(dunr_sandbox: SandboxFixture, dunr_clock: StandingClock) -> None:
    dunr_sandbox.fail("in_1")
    dunr_sandbox.script("pm_1", "succeed")
    assert dunr_sandbox.http.get("/sandbox/clock").json()["now"] == "2026-06-23T10:00:00Z"
    assert dunr_clock.advance(days=1).isoformat() == "2026-06-24T10:00:00+00:00"
