"""What time forgot: once a day, everything that the processor lists and everything that is open here is looked at.

It is safe late, because of the look before every send. How far it has come is kept in the store, so that a sweep that was killed half-way is finished by whoever
comes next, and two never run side by side.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
import structlog

from dunr.core import keys
from dunr.core.terms import AlertKind
from dunr.core.value import Value, replace
from dunr.daily_record import record_day
from dunr.engine import Engine
from dunr.errors import WishRejected
from dunr.expiry_notices import ExpiryNotices
from dunr.happenings import tell
from dunr.ports import Reports, SnapshotUnavailable
from dunr.reconciliation import Finding, Reconciliation

SWEPT = "sweep-progress"
EVERY = timedelta(days=1)
AGAIN_AFTER_FAILURE = timedelta(hours=1)
GIVEN_UP_AFTER = timedelta(minutes=15)  # a sweep that has said nothing for so long has died
CASES_BETWEEN_SIGNS = 25
CHANGED_WITHIN = timedelta(days=2)
FORGOTTEN_AT_ONCE_MAX = 500

_log = structlog.get_logger()

Alert = Callable[[AlertKind, str, str], None]
Forget = Callable[
    [datetime, timedelta, int], int
]  # now, how old what stays may be, and how much at once; how much went
Told = Callable[[int, int], None]  # how many are done, of how many


class Progress(Value):
    """How far the newest sweep has come: the case that was looked at last, or None before the first and after the last. `again_at` is when anybody may begin or go on."""

    begun_at: datetime
    again_at: datetime
    is_over: bool
    after: str | None = None
    ended_at: datetime | None = (
        None  # the last one that was finished, and how much it found since it was begun or taken over
    )
    findings_count: int = 0


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep came to."""

    findings: tuple[Finding, ...]
    looked_at_count: int
    went_on: bool  # with what another one had left


class Sweep:
    """The daily look at everything. One process does it each day, whichever is first."""

    def __init__(
        self,
        engine: Engine,
        reports: Reports,
        alert: Alert,
        accounts: tuple[tuple[str, str], ...],
        forget: Callable[[datetime], None] | None = None,
    ) -> None:
        """`accounts` are the pairs of processor and account to walk through; `forget` makes the store let go of what is old."""
        self.engine = engine
        self.reports = reports
        self.alert = alert
        self.accounts = accounts
        self.reconciliation = Reconciliation(engine, reports, accounts)
        self._forget = forget
        self._expiry_notices = ExpiryNotices(engine)

    def next_at(self) -> datetime:
        """When the next one is due. A store that was never swept begins its day now."""
        now = self.engine.clock.now()
        progress, version = self._read()
        if progress is None:
            progress = Progress(now, now + EVERY, is_over=True)
            self._write(progress, version)
        return progress.again_at

    def run_if_due(self) -> bool:
        """Sweep where a day has passed and nobody else has begun, or where somebody who had begun has died; whether we did."""
        now = self.engine.clock.now()
        progress, _ = self._read()
        if progress is None or now < progress.again_at:
            return False
        try:
            self.run()
        except WishRejected:
            return False
        except SnapshotUnavailable as failure:
            _log.warning("sweep_not_finished", why=str(failure))
        return True

    def run(self, told: Told | None = None, *, changed_within: timedelta = CHANGED_WITHIN) -> Swept:
        """Look at everything, and alert for each finding.

        Raises `WishRejected` where another sweep is going on, and `SnapshotUnavailable` where the list cannot be had; then it is due again in an hour.
        """
        now = self.engine.clock.now()
        before, version = self._read()
        if before is not None and not before.is_over and now < before.again_at:
            until = f"{before.again_at:%Y-%m-%d %H:%M:%S} UTC"
            raise WishRejected(f"A sweep is going on already. If it has died, it can be finished from {until} on.", 409)
        went_on = before is not None and not before.is_over
        begun_at = before.begun_at if before is not None and went_on else now
        progress = Progress(
            begun_at,
            now + GIVEN_UP_AFTER,
            False,
            before.after if before is not None and went_on else None,
            before.ended_at if before is not None else None,
            before.findings_count if before is not None else 0,
        )
        if not self._write(progress, version):
            raise WishRejected("Another sweep has begun at this moment.", 409)
        try:
            case_ids = self.reconciliation.case_ids(begun_at - changed_within)
        except SnapshotUnavailable:
            self._write(replace(progress, again_at=now + AGAIN_AFTER_FAILURE), version + 1)
            raise
        left = _left(case_ids, progress.after)
        findings = self._look_at(left, len(case_ids), progress, version + 1, told)
        return Swept(findings, len(left), went_on)

    def _look_at(
        self, left: tuple[str, ...], total_count: int, progress: Progress, version: int, told: Told | None
    ) -> tuple[Finding, ...]:
        """Case by case, with a sign of life in between."""
        findings: list[Finding] = []
        done_count = total_count - len(left)
        for count, case_id in enumerate(left, start=1):
            found = tuple(self.reconciliation.look(case_id))
            self._tell(found)
            findings.extend(found)
            if told is not None:
                told(done_count + count, total_count)
            if count % CASES_BETWEEN_SIGNS == 0:
                again_at = self.engine.clock.now() + GIVEN_UP_AFTER
                if not self._write(replace(progress, again_at=again_at, after=case_id), version):
                    raise WishRejected("Another process took this sweep over, since it had said nothing for long.", 409)
                version += 1
        for name, account in self.accounts:
            self._expiry_notices.record_due(name, account)
        record_day(self.engine.store, self.reports, self.engine.clock.now())
        if self._forget is not None:
            self._forget(self.engine.clock.now())
        ended_at = self.engine.clock.now()
        tell("sweep_finished", looked_at=len(left), findings=len(findings))
        self._write(
            Progress(progress.begun_at, progress.begun_at + EVERY, True, None, ended_at, len(findings)), version
        )
        return tuple(findings)

    def _tell(self, findings: tuple[Finding, ...]) -> None:
        """One alert a day for each."""
        for finding in findings:
            about = f"{finding.case_id}/{keys.audit_hash('', finding.what)[:12]}/{self.engine.clock.now():%Y-%m-%d}"
            self.alert(AlertKind.DRIFT, about, f"{finding.case_id}: {finding.what}")

    def progress(self) -> Progress | None:
        """How far the newest sweep has come, and what the one before it came to; None where nobody has ever swept."""
        return self._read()[0]

    def _read(self) -> tuple[Progress | None, int]:
        document = self.engine.store.document(SWEPT)
        if document is None:
            return None, 0
        return msgspec.json.decode(document.body, type=Progress), document.version

    def _write(self, progress: Progress, version: int) -> bool:
        return self.engine.store.put_document(SWEPT, msgspec.json.encode(progress), version)


def _left(case_ids: tuple[str, ...], after: str | None) -> tuple[str, ...]:
    """What is left after the case that was looked at last; everything where it is not in the list any more."""
    return case_ids[case_ids.index(after) + 1 :] if after in case_ids else case_ids


def forgetting(forget: Forget | None, kept: timedelta) -> Callable[[datetime], None] | None:
    """What makes a store forget what is older, a little at a time; None where it cannot."""
    if forget is None:
        return None

    def forget_all(now: datetime) -> None:
        while forget(now, kept, FORGOTTEN_AT_ONCE_MAX):
            pass

    return forget_all
