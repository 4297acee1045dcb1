"""What time forgot: once a day, everything that the processor lists and everything that is open here is looked at.

It is safe late, because of the look before every send. How far it has come is kept in the store, so that a sweep that was killed half-way is finished by whoever
comes next, and two never run side by side.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
import structlog

from dunr.core import keys
from dunr.core.glance import Glance
from dunr.core.terms import AlertKind
from dunr.core.value import Value, replace
from dunr.daily_record import record_day
from dunr.engine import Engine
from dunr.errors import WishRejected
from dunr.expiry_notices import ExpiryNotices
from dunr.happenings import tell
from dunr.holders import has_died
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
Listed = tuple[str, Glance | None]  # a case, and what the list told of its invoice
Told = Callable[[int, int], None]  # how many are done, of how many


class Progress(Value):
    """How far the newest sweep has come: the case that was looked at last, or None before the first and after the last.

    `again_at` is when anybody may begin or go on; where the process of the `holder` is known to have died, that is now.
    """

    begun_at: datetime
    again_at: datetime
    is_over: bool
    after: str | None = None
    changed_since: datetime | None = None
    holder: str = ""
    ended_at: datetime | None = (
        None  # the last one that was finished, and how much it found since it was begun or taken over
    )
    findings_count: int = 0


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep came to."""

    findings: tuple[Finding, ...]
    looked_at_count: int
    read_whole_count: int  # of which so many had more to say than the list did
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
        hands_count: int = 1,
        meet: Callable[[Alert], None] | None = None,
    ) -> None:
        """`accounts` are the pairs of processor and account to walk through; `forget` makes the store let go of what is old.

        So many `hands_count` look at once, and `meet` is asked before anything is looked at.
        """
        self.engine = engine
        self.reports = reports
        self.alert = alert
        self.accounts = accounts
        self.reconciliation = Reconciliation(engine, reports, accounts)
        self._forget = forget
        self._hands_count = hands_count
        self._meet = meet
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
        if before is not None and not before.is_over and now < before.again_at and not has_died(before.holder):
            until = f"{before.again_at:%Y-%m-%d %H:%M:%S} UTC"
            raise WishRejected(f"A sweep is going on already. If it has died, it can be finished from {until} on.", 409)
        progress = self._begun(before, now, changed_within)
        if not self._write(progress, version):
            raise WishRejected("Another sweep has begun at this moment.", 409)
        try:
            if self._meet is not None:
                self._meet(self.alert)
            listed = self.reconciliation.listed(progress.changed_since or progress.begun_at)
        except SnapshotUnavailable:
            self._write(replace(progress, again_at=now + AGAIN_AFTER_FAILURE), version + 1)
            raise
        left = _left(tuple(listed.items()), progress.after)
        findings, read_whole_count = self._look_at(left, len(listed), progress, version + 1, told)
        self._end(progress, len(left), len(findings))
        return Swept(findings, len(left), read_whole_count, before is not None and not before.is_over)

    def _begun(self, before: Progress | None, now: datetime, changed_within: timedelta) -> Progress:
        """A new sweep, or the rest of the one that nobody finished. What changed since the one before counts, however long ago that was."""
        again_at, holder = now + GIVEN_UP_AFTER, self.engine.parts.holder
        if before is not None and not before.is_over:
            return replace(before, again_at=again_at, holder=holder)
        since = now - changed_within
        if before is not None:
            since = min(since, before.begun_at)
        known = before or Progress(now, again_at, is_over=True)
        return Progress(
            now,
            again_at,
            is_over=False,
            changed_since=since,
            holder=holder,
            ended_at=known.ended_at,
            findings_count=known.findings_count,
        )

    def _look_at(
        self, left: tuple[Listed, ...], total_count: int, progress: Progress, version: int, told: Told | None
    ) -> tuple[tuple[Finding, ...], int]:
        """Some cases at a time, with a sign of life after each lot; what was found, and how many were read whole."""
        findings: list[Finding] = []
        done_count, read_whole_count = total_count - len(left), 0
        with ThreadPoolExecutor(self._hands_count, thread_name_prefix="dunr-sweep") as threads:
            for first in range(0, len(left), CASES_BETWEEN_SIGNS):
                lot = left[first : first + CASES_BETWEEN_SIGNS]
                looked = map(self._look, lot) if self._hands_count == 1 else threads.map(self._look, lot)
                for found in looked:
                    done_count += 1
                    read_whole_count += found is not None
                    findings.extend(found or ())
                    if told is not None:
                        told(done_count, total_count)
                sign = replace(progress, again_at=self.engine.clock.now() + GIVEN_UP_AFTER, after=lot[-1][0])
                if not self._write(sign, version):
                    raise WishRejected("Another process took this sweep over, since it had said nothing for long.", 409)
                version += 1
        return tuple(findings), read_whole_count

    def _look(self, listed: Listed) -> tuple[Finding, ...] | None:
        """What a look at one case finds; None where the list had said it all."""
        if not self.reconciliation.needs_look(*listed):
            return None
        found = tuple(self.reconciliation.look(listed[0]))
        self._tell(found)
        return found

    def _end(self, progress: Progress, looked_at_count: int, findings_count: int) -> None:
        """What is done once a day besides."""
        for name, account in self.accounts:
            self._expiry_notices.record_due(name, account)
        record_day(self.engine.store, self.reports, self.engine.clock.now())
        if self._forget is not None:
            self._forget(self.engine.clock.now())
        _, version = self._read()
        ended_at = self.engine.clock.now()
        tell("sweep_finished", looked_at=looked_at_count, findings=findings_count)
        over = Progress(progress.begun_at, progress.begun_at + EVERY, is_over=True, ended_at=ended_at)
        self._write(replace(over, findings_count=findings_count), version)

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


def _left(listed: tuple[Listed, ...], after: str | None) -> tuple[Listed, ...]:
    """What is left after the case that was looked at last; everything where it is not in the list any more."""
    place = next((number for number, (case_id, _) in enumerate(listed, start=1) if case_id == after), 0)
    return listed[place:]


def forgetting(forget: Forget | None, kept: timedelta) -> Callable[[datetime], None] | None:
    """What makes a store forget what is older, a little at a time; None where it cannot."""
    if forget is None:
        return None

    def forget_all(now: datetime) -> None:
        while forget(now, kept, FORGOTTEN_AT_ONCE_MAX):
            pass

    return forget_all
