"""Time that is moved by hand never jumps over work, ours or the sandbox's."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dunr.application import Application
from dunr.core.terms import AlertKind, CaseState
from dunr.errors import WishRejected
from dunr.manual_clock import SandboxClock, advance
from tests.engine.applications import alerts, case_of, intake, notices, running, settings, url_of
from tests.sandbox.processes import Receiver, SandboxProcess

DAY = 86_400
PAYER = {"id": "cus_1", "email": "zoe@example.com"}


@pytest.fixture
def clock(sandbox: SandboxProcess) -> Iterator[SandboxClock]:
    clock = SandboxClock(url_of(sandbox))
    yield clock
    clock.close()


@pytest.fixture
def application(tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver) -> Iterator[Application]:
    with running(settings(tmp_path, url_of(sandbox))) as application:
        intake(receiver, application)
        yield application


def test_three_weeks_at_once_happen_one_instant_after_another(
    application: Application, sandbox: SandboxProcess, clock: SandboxClock
) -> None:
    sandbox.fail(customer=PAYER)
    sandbox.script("decline:insufficient_funds")
    moved = advance(application, clock, seconds=21 * DAY)
    assert [row["at"] for row in sandbox.requests()] == [
        "2026-06-24T09:00:00Z",
        "2026-06-29T09:00:00Z",
        "2026-07-02T09:00:00Z",
        "2026-07-07T09:00:00Z",
    ]
    case = case_of(application)
    assert case.paused_at == datetime(2026, 7, 7, 9, tzinfo=UTC)
    assert notices(application) == [
        (kind, "sent") for kind in ("first", "reminder", "reminder", "final_warning", "paused")
    ]
    assert moved.now == application.clock.now() == clock.face().now == datetime(2026, 7, 14, 10, tzinfo=UTC)
    assert moved.next_due_at is None
    assert not alerts(application, AlertKind.DRIFT)


def test_the_answer_names_what_is_due_next(
    application: Application, sandbox: SandboxProcess, clock: SandboxClock
) -> None:
    sandbox.fail(customer=PAYER)
    moved = advance(application, clock, seconds=0)
    assert moved.next_due_at == datetime(2026, 6, 24, 9, tzinfo=UTC)
    assert case_of(application).state is CaseState.SCHEDULED


def test_a_late_result_of_the_sandbox_comes_true_at_its_own_instant(
    application: Application, sandbox: SandboxProcess, clock: SandboxClock
) -> None:
    sandbox.fail(customer=PAYER)
    sandbox.script("hang:45:succeed")
    advance(application, clock, to=datetime(2026, 6, 24, 9, 0, 44, tzinfo=UTC))
    assert case_of(application).in_flight is not None
    advance(application, clock, seconds=1)
    case = case_of(application)
    assert case.state is CaseState.RECOVERED
    assert case.attempts[-1].settled_at == datetime(2026, 6, 24, 9, 0, 45, tzinfo=UTC)
    assert sandbox.captures() == 1


def test_webhooks_that_are_lost_are_found_by_the_sweep_on_the_way(
    application: Application, sandbox: SandboxProcess, clock: SandboxClock
) -> None:
    advance(application, clock, seconds=0)
    sandbox.set(drop_webhooks=True)
    sandbox.fail(customer=PAYER)
    advance(application, clock, seconds=DAY // 2)
    assert alerts(application, AlertKind.DRIFT) == []
    advance(application, clock, seconds=DAY)
    assert case_of(application).state is CaseState.SCHEDULED
    assert len(alerts(application, AlertKind.DRIFT)) == 1
    sandbox.control("POST", "/invoices/in_1/pay")
    advance(application, clock, seconds=2 * DAY)
    assert case_of(application).state is CaseState.RECOVERED
    assert len(alerts(application, AlertKind.DRIFT)) == 2
    assert sandbox.captures() == 1


def test_advances_wait_for_each_other(application: Application, sandbox: SandboxProcess, clock: SandboxClock) -> None:
    sandbox.fail(customer=PAYER)
    sandbox.script("decline:insufficient_funds")
    threads = [threading.Thread(target=lambda: advance(application, clock, seconds=DAY)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert application.clock.now() == datetime(2026, 6, 28, 10, tzinfo=UTC)
    assert len(sandbox.requests()) == 1


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"to": datetime(2026, 7, 1, tzinfo=UTC), "seconds": 5},
        {"to": datetime(2026, 7, 1)},  # noqa: DTZ001 - without a zone on purpose
        {"to": datetime(2026, 6, 23, 9, tzinfo=UTC)},
        {"seconds": -1},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"to": datetime(9999, 12, 31, tzinfo=UTC)},
    ],
)
def test_a_target_that_cannot_be_meant_is_refused(tmp_path: Path, wish: dict[str, object]) -> None:
    with running(settings(tmp_path)) as application:
        with pytest.raises(WishRejected):
            advance(application, None, **wish)  # type: ignore[arg-type]  # wrong on purpose
        assert application.clock.now() == datetime(2026, 6, 23, 10, tzinfo=UTC)


def test_a_command_beside_a_server_on_the_manual_clock_has_the_same_time_without_being_told(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as served:
        advance(served, None, seconds=DAY)
        with running(settings(tmp_path, clock="stored", clock_start=None)) as command:
            assert command.clock.now() == served.clock.now() == datetime(2026, 6, 24, 10, tzinfo=UTC)
            assert command.settings.clock == "manual"


def test_a_store_that_nobody_moved_by_hand_goes_by_the_machines_clock(tmp_path: Path) -> None:
    with running(settings(tmp_path, clock="stored", clock_start=None)) as application:
        assert application.settings.clock == "system"
        assert datetime.now(UTC) - application.clock.now() < timedelta(minutes=1)


def test_the_systems_clock_cannot_be_moved(tmp_path: Path) -> None:
    with running(settings(tmp_path, clock="system")) as application, pytest.raises(WishRejected, match="manual"):
        advance(application, None, seconds=1)


def test_a_sandbox_that_does_not_answer_is_said(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as application:
        nobody = SandboxClock("http://127.0.0.1:9")
        with pytest.raises(WishRejected, match="running"):
            advance(application, nobody, seconds=1)
        nobody.close()


def test_a_sandbox_that_was_moved_alone_is_caught_up_with(
    application: Application, sandbox: SandboxProcess, clock: SandboxClock
) -> None:
    sandbox.to("2026-06-23T12:00:00Z")
    assert advance(application, clock, seconds=60).now == datetime(2026, 6, 23, 10, 1, tzinfo=UTC)
    assert clock.face().now == datetime(2026, 6, 23, 12, tzinfo=UTC)
    advance(application, clock, seconds=2 * 3600)
    assert clock.face().now == application.clock.now() == datetime(2026, 6, 23, 12, 1, tzinfo=UTC)
    assert application.clock.now() - timedelta(hours=2, minutes=1) == datetime(2026, 6, 23, 10, tzinfo=UTC)
