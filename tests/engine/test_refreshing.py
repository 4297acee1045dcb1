"""The shell around a request for fresher details: kept until it is answered, made by nobody who may not send, and forgotten where nobody waits for it."""

from pathlib import Path

from dunr.application import Application
from dunr.core.terms import CaseState
from tests.engine.applications import case_of, intake, running, settings, url_of
from tests.sandbox.processes import Receiver, SandboxProcess

EXPIRED = {"code": "expired_card", "decline_code": "expired_card"}


def fails(sandbox: SandboxProcess, application: Application) -> None:
    sandbox.fail(decline=EXPIRED, card={"id": "pm_1", "expires": "2026-05"})
    sandbox.quiet()
    application.runner.run_until_quiet()


def asked_count(sandbox: SandboxProcess) -> int:
    return len(sandbox.http.get("/sandbox/refreshes").json())


def test_nobody_is_asked_while_sending_is_stopped(tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver) -> None:
    with running(settings(tmp_path, url_of(sandbox), policy="by_reason")) as application:
        intake(receiver, application)
        application.rulebook.stop("charges", "*", "a person wants to look")
        fails(sandbox, application)
        assert asked_count(sandbox) == 0
        assert case_of(application).method_notes.pending_refresh is not None
        assert case_of(application).state is CaseState.AWAITING_CUSTOMER


def test_nobody_is_asked_for_an_invoice_that_was_paid_meanwhile(
    tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver
) -> None:
    with running(settings(tmp_path, url_of(sandbox), policy="by_reason")) as application:
        intake(receiver, application)
        application.rulebook.stop("charges", "*", "a person wants to look")
        fails(sandbox, application)
        sandbox.control("POST", "/invoices/in_1/pay")
        sandbox.quiet()
        application.runner.run_until_quiet()
        assert case_of(application).state is CaseState.RECOVERED
        (record,) = application.reports.effects(kind="RefreshMethod", case_id=None, limit=10)
        undone = application.store.undone(application.clock.now().replace(year=2030), 100)
        for one in undone:
            if one.effect.key == record.effect.key:
                application.performer.perform(one)
        (record,) = application.reports.effects(kind="RefreshMethod", case_id=None, limit=10)
        assert (record.note, asked_count(sandbox)) == ("nobody waits for it any more", 0)
