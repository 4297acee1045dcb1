"""The shell around a cancellation: nothing is charged until it is confirmed, and a person hears of one that never is."""

from datetime import timedelta
from pathlib import Path

from dunr.core.decision import Decision
from dunr.core.effects import CancelAttempt
from dunr.core.terms import AlertKind
from dunr.parcels import Change
from dunr.performing import NOTHING_READ, UNCONFIRMED_TRIES
from tests.engine.applications import alerts, case_of, intake, running, settings, url_of
from tests.sandbox.processes import Receiver, SandboxProcess


def test_a_cancellation_that_is_never_confirmed_is_told_once(
    tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver
) -> None:
    with running(settings(tmp_path, url_of(sandbox))) as application:
        intake(receiver, application)
        sandbox.fail()
        sandbox.quiet()
        application.runner.run_until_quiet()
        effect = CancelAttempt("cancel/pi_gone", case_of(application).id, "pi_gone")
        application.store.commit((Change(NOTHING_READ, Decision(("asked",), effects=(effect,))),))
        told = []
        for _ in range(UNCONFIRMED_TRIES + 3):
            days_later = application.clock.now() + timedelta(days=30)
            waiting = application.store.undone(days_later, 100)
            application.performer.perform(next(one for one in waiting if one.effect == effect))
            told.append(len(alerts(application, AlertKind.UNSETTLED_ATTEMPT)))
        assert told == [0] * UNCONFIRMED_TRIES + [1] * 3
        (text,) = alerts(application, AlertKind.UNSETTLED_ATTEMPT)
        assert "pi_gone at the processor is not confirmed after 7 tries, and nothing is charged" in text
