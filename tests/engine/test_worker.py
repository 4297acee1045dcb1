"""The worker's threads: what goes wrong in one case stays in it, and the same case is in one thread only."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from dunr.application import Application
from dunr.core.terms import AlertKind
from dunr.entry.logs import log_to_stderr
from dunr.entry.worker import start_worker
from dunr.errors import StoreUnavailable
from dunr.ports import Inbound, InboundState
from tests.engine.applications import alerts, running, settings


@contextmanager
def working(application: Application) -> Iterator[None]:
    stop = threading.Event()
    worker = start_worker(application, stop)
    try:
        yield
    finally:
        stop.set()
        assert worker.ended()


def until(question: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 20.0
    while not question():
        assert time.monotonic() < give_up, "it did not come to pass"
        time.sleep(0.02)


def receive(application: Application, *names: str) -> None:
    now = application.clock.now()
    body = b'{"data": {"invoice": "%s"}}'
    application.store.receive(
        [
            Inbound(
                key=f"sandbox:acct_sandbox:{name}",
                processor="sandbox",
                account="acct_sandbox",
                event_type="invoice.paid",
                live=False,
                received_at=now,
                body=body % name.split("/")[0].encode(),
                body_sha256=name,
            )
            for name in names
        ]
    )


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    with running(settings(tmp_path, clock="system", worker_threads=4)) as application:
        yield application


class Hands:
    """Stands in for `Intake.apply`, and sees who does what at the same time."""

    def __init__(self, application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
        self.application = application
        self.done: list[str] = []
        self.at_once_max: dict[str, int] = {}
        self.broken: set[str] = set()
        self.store_fails_count = 0
        self._now: dict[str, int] = {}
        self._lock = threading.Lock()
        monkeypatch.setattr(application.intake, "apply", self.apply)

    def apply(self, inbound: Inbound) -> None:
        name = inbound.key.rsplit(":", 1)[1]
        case = name.split("/")[0]
        with self._lock:
            self._now[case] = self._now.get(case, 0) + 1
            self.at_once_max[case] = max(self.at_once_max.get(case, 0), self._now[case])
        try:
            time.sleep(0.02)
            if case in self.broken:
                raise ZeroDivisionError("a bug in one case")
            if self.store_fails_count:
                self.store_fails_count -= 1
                raise StoreUnavailable("the disk is busy")
            self.application.intake._settle(inbound, InboundState.APPLIED, "done")
            with self._lock:
                self.done.append(name)
        finally:
            with self._lock:
                self._now[case] -= 1


def test_a_fault_in_one_case_is_told_and_the_others_go_on(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_to_stderr()
    monkeypatch.setattr("dunr.entry.worker.FAULT_WAIT_SECONDS", 0.5)
    monkeypatch.setattr("dunr.intake.WAIT_SECONDS", 1)
    hands = Hands(application, monkeypatch)
    hands.broken = {f"in_bad{number}" for number in range(150)}  # more than one batch, and all of them first
    receive(application, *sorted(hands.broken))
    receive(application, *(f"in_{number}" for number in range(20)))
    with working(application):
        until(lambda: len(hands.done) == 20)
        until(lambda: len(alerts(application, AlertKind.DEAD_LETTER)) > 0)
        hands.broken = set()
        until(lambda: len(hands.done) == 170)
    assert any("ZeroDivisionError" in text for text in alerts(application, AlertKind.DEAD_LETTER))


def test_the_same_case_is_in_one_thread_only(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = Hands(application, monkeypatch)
    names = [f"in_{case}/{number}" for number in range(10) for case in range(3)]
    receive(application, *names)
    with working(application):
        until(lambda: len(hands.done) == len(names))
    assert set(hands.at_once_max.values()) == {1}
    assert sorted(hands.done) == sorted(names)


def test_a_store_that_does_not_answer_is_asked_again(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = Hands(application, monkeypatch)
    hands.store_fails_count = 2
    receive(application, "in_1")
    with working(application):
        until(lambda: hands.done == ["in_1"])
    assert alerts(application, AlertKind.DEAD_LETTER) == []


def test_a_store_that_cannot_even_be_asked_is_left_alone_for_a_while(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands(application, monkeypatch)
    receive(application, "in_1")
    asked: list[float] = []
    real = application.store.unapplied

    def unapplied(now: datetime, limit: int) -> Sequence[Inbound]:
        asked.append(time.monotonic())
        if len(asked) < 3:
            raise StoreUnavailable("gone")
        return real(now, limit)

    monkeypatch.setattr(application.store, "unapplied", unapplied)
    with working(application):
        until(lambda: hands.done == ["in_1"])
    assert asked[1] - asked[0] >= 1.0
    assert asked[2] - asked[1] >= 2.0


def test_a_fault_in_the_asking_does_not_end_the_worker(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_to_stderr()
    hands = Hands(application, monkeypatch)
    receive(application, "in_1")
    real, asked = application.store.due, list[int]()

    def due(now: datetime, limit: int) -> Sequence[str]:
        asked.append(limit)
        if len(asked) == 1:
            raise ZeroDivisionError("a bug")
        return real(now, limit)

    monkeypatch.setattr(application.store, "due", due)
    with working(application):
        until(lambda: hands.done == ["in_1"])


def test_an_event_of_a_processor_that_is_gone_is_told_and_the_others_go_on(application: Application) -> None:
    log_to_stderr()
    receive(application, "in_1")
    application.processors.clear()
    with working(application):
        until(lambda: len(alerts(application, AlertKind.DEAD_LETTER)) == 1)


def test_an_event_on_which_we_break_becomes_a_dead_letter_and_a_redrive_applies_it(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_to_stderr()
    monkeypatch.setattr("dunr.entry.worker.FAULT_WAIT_SECONDS", 0.01)
    monkeypatch.setattr("dunr.intake.WAIT_SECONDS", 0)
    hands = Hands(application, monkeypatch)
    hands.broken = {"in_bad"}
    receive(application, "in_bad", "in_good")
    with working(application):
        until(lambda: len(application.reports.inbounds(state=InboundState.DEAD, limit=9)) == 1)
        until(lambda: hands.done == ["in_good"])
        [dead] = application.reports.inbounds(state=InboundState.DEAD, limit=9)
        assert (dead.tries_count, dead.note) == (5, "ZeroDivisionError: a bug in one case")
        hands.broken = set()
        assert application.intake.redrive(dead.key)
        until(lambda: hands.done == ["in_good", "in_bad"])
