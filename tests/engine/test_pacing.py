"""One rate for all processes that share a store: threads and processes together keep to it, and a refusal slows all of them down."""

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dunr.adapters.stores.memory import MemoryStore
from dunr.errors import StoreUnavailable
from dunr.pacing import SharedPace
from dunr.ports import Document, ObjectMissing, SnapshotUnavailable
from tests.engine.applications import running, settings, url_of
from tests.sandbox.processes import SandboxProcess

START = datetime(2026, 6, 23, 10, tzinfo=UTC)


class Time:
    """It passes only while somebody sleeps. Each sleeper wakes at its own instant."""

    def __init__(self) -> None:
        self.at = START
        self.left: list[datetime] = []

    def now(self) -> datetime:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def time() -> Time:
    return Time()


def test_two_processes_keep_to_one_rate(time: Time) -> None:
    store = MemoryStore()
    one, other = (SharedPace(store, "stripe:acct", 40.0, time.now, time.sleep) for _ in range(2))
    for _ in range(200):
        assert one.take(60.0)
        assert other.take(60.0)
    passed_seconds = (time.at - START).total_seconds()
    assert 400 / 40.0 <= passed_seconds <= 400 / 40.0 * 1.6, "slower than what is allowed, and never faster"


def test_a_busy_process_asks_the_store_a_few_times_a_second(time: Time) -> None:
    store = MemoryStore()
    pace = SharedPace(store, "stripe:acct", 40.0, time.now, time.sleep)
    for _ in range(400):
        assert pace.take(60.0)
    document = store.document("pace:stripe:acct")
    assert document is not None
    assert document.version <= 400 / 10 + 10, "ten calls for each write, after a few smaller ones"


def test_a_process_that_seldom_asks_takes_nothing_from_the_others(time: Time) -> None:
    store = MemoryStore()
    seldom, busy = (SharedPace(store, "stripe:acct", 40.0, time.now, time.sleep) for _ in range(2))
    for _ in range(20):
        assert seldom.take(60.0)
        for _ in range(19):
            assert busy.take(60.0)
    assert (time.at - START).total_seconds() <= 400 / 40.0 * 1.3


def test_nothing_is_sent_that_would_have_to_wait_for_too_long(time: Time) -> None:
    pace = SharedPace(MemoryStore(), "stripe:acct", 1.0, time.now, time.sleep)
    assert pace.take(0.0)
    assert not pace.take(0.5)
    assert time.at == START
    assert pace.take(1.2), "the turn that was refused is still there"
    assert time.at == START + timedelta(seconds=1.1)


def test_a_call_whose_turn_has_passed_while_the_machine_slept_waits_for_another(time: Time) -> None:
    def sleep_too_long(seconds: float) -> None:
        time.sleep(seconds + (3.0 if time.at == START else 0.0))

    pace = SharedPace(MemoryStore(), "stripe:acct", 1.0, time.now, sleep_too_long)
    assert pace.take(0.0)
    assert pace.take(60.0)
    assert time.at >= START + timedelta(seconds=4), "not at the instant that had passed"
    assert pace.take(60.0)
    assert not pace.take(0.5)


def test_a_refusal_slows_the_other_process_down_too(time: Time) -> None:
    store = MemoryStore()
    one, other = (SharedPace(store, "stripe:acct", 4.0, time.now, time.sleep) for _ in range(2))
    for _ in range(8):
        assert one.take(60.0)
    one.refused()
    one.refused()
    began_at = time.at
    for _ in range(4):
        assert other.take(60.0)
    assert (time.at - began_at) / 3 >= timedelta(seconds=0.4)


class Gone(MemoryStore):
    def document(self, name: str) -> Document | None:
        raise StoreUnavailable(f"{name} cannot be read")


def test_without_the_store_nothing_is_sent(time: Time) -> None:
    pace = SharedPace(Gone(), "stripe:acct", 4.0, time.now, time.sleep)
    assert not pace.take(60.0)
    pace.refused()


@pytest.fixture
def refusing(sandbox: SandboxProcess) -> SandboxProcess:
    """A processor that takes twenty calls a second."""
    sandbox.fail()
    sandbox.set(rate_limit_per_second=20)
    return sandbox


def test_two_processes_of_many_threads_meet_no_rate_limit(tmp_path: Path, refusing: SandboxProcess) -> None:
    """Each would be allowed the whole rate; together they keep below what the processor allows."""
    wanted = settings(tmp_path, url_of(refusing), sandbox_rate_max=20)
    failures: list[str] = []
    with running(wanted) as one, running(wanted) as other:

        def look(application: object) -> None:
            for _ in range(5):
                try:
                    application.processors["sandbox"].snapshot("acct_sandbox", "in_1")  # type: ignore[attr-defined]
                except (SnapshotUnavailable, ObjectMissing) as failure:
                    failures.append(str(failure))

        threads = [threading.Thread(target=look, args=(application,)) for application in (one, other) * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []
