"""The daily look at everything: what a webhook should have told is a finding, what may still arrive is not."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from dunr.application import Application
from dunr.core.model import Case
from dunr.core.terms import AlertKind, CaseState, CloseReason
from dunr.core.value import replace
from dunr.errors import WishRejected
from dunr.manual_clock import StoreClock
from dunr.reconciliation import Finding, drift
from dunr.sweep import Sweep
from tests.engine.applications import alerts, case_of, running, settings, url_of
from tests.sandbox.processes import SandboxProcess

ACCOUNTS = (("sandbox", "acct_sandbox"),)


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[SandboxProcess]:
    """One that tells nobody: every webhook is lost."""
    process = SandboxProcess(tmp_path, None)
    yield process
    process.close()


@pytest.fixture
def application(tmp_path: Path, sandbox: SandboxProcess) -> Iterator[Application]:
    with running(settings(tmp_path, url_of(sandbox))) as application:
        yield application


def sweep(application: Application) -> Sweep:
    return Sweep(application.engine, application.reports, application.intake.alert, ACCOUNTS)


def pass_time(application: Application, sandbox: SandboxProcess, **span: float) -> None:
    assert isinstance(application.clock, StoreClock)
    at = application.clock.now() + timedelta(**span)
    application.clock.move(at)
    sandbox.to(at.isoformat())


def found(application: Application) -> list[str]:
    return [finding.what for finding in sweep(application).run().findings]


def test_a_failure_that_nobody_told_of_is_taken_in_and_told(application: Application, sandbox: SandboxProcess) -> None:
    sandbox.fail()
    pass_time(application, sandbox, hours=1)
    assert found(application) == ["failed at the processor, and unknown here until now"]
    assert case_of(application).state is CaseState.SCHEDULED
    assert found(application) == []
    application.runner.run_until_quiet()
    assert len(alerts(application, AlertKind.DRIFT)) == 1


def test_news_of_a_moment_ago_is_applied_and_no_finding(application: Application, sandbox: SandboxProcess) -> None:
    sandbox.fail()
    assert found(application) == []
    assert case_of(application).state is CaseState.SCHEDULED


def test_money_that_nobody_told_of(application: Application, sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sweep(application).run()
    sandbox.control("POST", "/invoices/in_1/pay")
    pass_time(application, sandbox, hours=1)
    assert found(application) == ["paid at the processor, and open here until now"]
    assert case_of(application).state is CaseState.RECOVERED


def test_a_void_and_a_cancellation_that_nobody_told_of(application: Application, sandbox: SandboxProcess) -> None:
    sandbox.fail("in_1")
    sandbox.fail("in_2", subscription="sub_2")
    sweep(application).run()
    pass_time(application, sandbox, hours=1)
    sandbox.control("POST", "/invoices/in_1/void")
    sandbox.control("POST", "/subscriptions/sub_2/cancel")
    assert sorted(found(application)) == [
        "cancelled at the processor, and open here until now",
        "voided at the processor, and open here until now",
    ]
    assert case_of(application, "in_2").closed_because is CloseReason.SUBSCRIPTION_ENDED


def test_an_attempt_without_an_answer_is_told_each_day(application: Application, sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("hang:8000000:succeed")
    sweep(application).run()
    pass_time(application, sandbox, days=1)
    application.runner.run_until_quiet()
    assert case_of(application).in_flight is not None
    sandbox.set(lookups_failing=True)
    pass_time(application, sandbox, hours=2)
    assert found(application) == ["an attempt has had no answer for more than an hour"]


def test_it_runs_once_a_day_whoever_asks(application: Application, sandbox: SandboxProcess) -> None:
    one, two = sweep(application), sweep(application)
    assert one.next_at() == two.next_at() == application.clock.now() + timedelta(days=1)
    assert not one.run_if_due()
    pass_time(application, sandbox, days=1)
    assert [one.run_if_due(), two.run_if_due(), one.run_if_due()] == [True, False, False]


def test_a_list_that_cannot_be_had_is_asked_for_again_in_an_hour(
    application: Application, sandbox: SandboxProcess
) -> None:
    one = sweep(application)
    one.next_at()
    sandbox.set(api_key_revoked=True)
    pass_time(application, sandbox, days=1)
    assert one.run_if_due()
    assert one.next_at() == application.clock.now() + timedelta(hours=1)


def test_a_sweep_that_was_killed_half_way_is_finished_by_the_next(
    application: Application, sandbox: SandboxProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 8):
        sandbox.fail(f"in_{number}", subscription=f"sub_{number}")
    monkeypatch.setattr("dunr.sweep.CASES_BETWEEN_SIGNS", 2)
    looked_at: list[str] = []
    dying, finishing = sweep(application), sweep(application)
    honest = dying.reconciliation.look

    def look(case_id: str) -> Iterator[Finding]:
        looked_at.append(case_id)
        if len(looked_at) == 6:
            raise KeyboardInterrupt
        return honest(case_id)

    monkeypatch.setattr(dying.reconciliation, "look", look)
    with pytest.raises(KeyboardInterrupt):
        dying.run()
    with pytest.raises(WishRejected, match="going on already"):
        finishing.run()
    pass_time(application, sandbox, minutes=16)
    rest = finishing.run()
    assert rest.went_on
    assert rest.looked_at_count == 3  # four were signed for
    assert {
        case.processor_invoice_id for case in application.reports.cases(state=None, text=None, limit=9, after=None)
    } == {f"in_{number}" for number in range(1, 8)}
    again = finishing.run()
    assert (again.went_on, again.looked_at_count, again.findings) == (False, 7, ())


def test_what_would_be_found_is_told_without_a_change(application: Application, sandbox: SandboxProcess) -> None:
    sandbox.fail()
    pass_time(application, sandbox, hours=1)
    reconciliation = sweep(application).reconciliation
    (case_id,) = reconciliation.listed(application.clock.now() - timedelta(days=2))
    found = ["failed at the processor, and unknown here until now"]
    assert [one.what for one in reconciliation.foresee(case_id)] == found
    assert [one.what for one in reconciliation.foresee(case_id)] == found
    assert not application.reports.cases(state=None, text=None, limit=9, after=None)
    sweep(application).run()
    sandbox.control("POST", "/invoices/in_1/pay")
    pass_time(application, sandbox, hours=1)
    assert [one.what for one in reconciliation.foresee(case_id)] == ["paid at the processor, and open here until now"]
    assert case_of(application).is_open


def test_one_case_that_cannot_be_looked_at_does_not_hide_the_others(
    application: Application, sandbox: SandboxProcess
) -> None:
    sandbox.fail("in_1")
    sweep(application).run()
    sandbox.set(snapshots_failing=True)
    pass_time(application, sandbox, hours=1)
    assert found(application) == []


def case(application: Application, sandbox: SandboxProcess) -> Case:
    sandbox.fail()
    sweep(application).run()
    return case_of(application)


def test_what_a_look_changed_in_words(application: Application, sandbox: SandboxProcess) -> None:
    before = case(application, sandbox)
    assert list(drift(before, before)) == []
    assert list(drift(before, replace(before, overpaid_minor=5, captured_minor=5))) == [
        "collected twice",
        "money came in at the processor that was unknown here until now",
    ]
