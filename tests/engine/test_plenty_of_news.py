"""A snapshot that has more to tell than is taken in at once: nobody takes the rest for read, and whoever looks next goes on."""

from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from dunr.application import Application
from dunr.core.events import PayNow
from dunr.core.snapshot import ChargeSnapshot, RawDecline, Snapshot
from dunr.core.terms import ChargeStatus
from dunr.core.value import replace
from dunr.engine import EVENTS_OF_ONE_SNAPSHOT_MAX, LOOKS_MAX
from dunr.errors import WishRejected
from dunr.ports import Processor, SnapshotUnavailable
from tests.engine.applications import case_of, running, settings, url_of
from tests.sandbox.processes import Receiver, SandboxProcess

CASE = "sandbox:acct_sandbox:in_1"
TAKEN_IN = LOOKS_MAX * EVENTS_OF_ONE_SNAPSHOT_MAX


class Talkative:
    """The processor, at which somebody else has tried so often already."""

    def __init__(self, processor: Processor, tries_count: int) -> None:
        self._processor, self._tries_count = processor, tries_count

    def __getattr__(self, name: str) -> object:
        return getattr(self._processor, name)

    def snapshot(self, account: str, invoice_id: str) -> Snapshot:
        seen = self._processor.snapshot(account, invoice_id)
        first_at = seen.charges[0].at
        tries = (
            ChargeSnapshot(
                f"ch_foreign_{number}",
                None,
                seen.invoice.amount_due_minor,
                ChargeStatus.DECLINED,
                first_at + timedelta(seconds=number),
                RawDecline("do_not_honor"),
            )
            for number in range(self._tries_count)
        )
        return replace(seen, charges=(*seen.charges, *tries))


def _tries_known(application: Application) -> int:
    return sum(name.startswith("ch_foreign_") for name in case_of(application).foreign_charge_ids)


def test_the_rest_is_not_taken_for_read(tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver) -> None:
    with running(settings(tmp_path, url_of(sandbox))) as application:
        receiver.answer = lambda _: 200
        sandbox.fail()
        sandbox.quiet()
        engine, known = application.engine, application.engine.parts.processors
        engine.look(CASE)
        known["sandbox"] = cast(Processor, Talkative(known["sandbox"], TAKEN_IN + 1))
        with pytest.raises(SnapshotUnavailable, match="more news than is taken in at once; the next look goes on"):
            engine.look(CASE)
        assert _tries_known(application) == TAKEN_IN
        look = engine.look(CASE)
        assert (look.read is not None, _tries_known(application)) == (True, TAKEN_IN + 1)


def test_nobody_pays_on_news_that_is_half_read(tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver) -> None:
    with running(settings(tmp_path, url_of(sandbox))) as application:
        receiver.answer = lambda _: 200
        sandbox.fail()
        sandbox.quiet()
        engine, known = application.engine, application.engine.parts.processors
        engine.look(CASE)
        known["sandbox"] = cast(Processor, Talkative(known["sandbox"], TAKEN_IN + 1))
        with pytest.raises(WishRejected, match="cannot be read now"):
            engine.wish(CASE, PayNow("customer"))
        assert case_of(application).in_flight is None
