"""A store that meets an account for the first time: what was past due before is a matter for an import, and nobody is charged, mailed or paused for it unasked.

Asked before the first news is applied, by whichever process comes first, and answered once. Where the processor lists open invoices that failed before, the import's own
brake goes on, and `dunr import --agree` takes it off. A store that has cases, or was imported, has met its account. Where the processor cannot be asked, nothing is
applied yet. Only a list with glances tells; a processor that lists ids alone is met as it is.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from dunr.core.glance import why_no_case
from dunr.core.terms import AlertKind
from dunr.first_import import PROGRESS, WHY
from dunr.ports import Clock, Processor, Reports, Store
from dunr.rulebook import IMPORTED, KINDS, StoredRulebook

MET = "met-account"
BEFORE = timedelta(hours=1)  # what failed less long before the first start is news

Alert = Callable[[AlertKind, str, str], None]


class FirstStart:
    """Asked again and again, and silent from the second time on."""

    def __init__(
        self,
        store: Store,
        reports: Reports,
        rulebook: StoredRulebook,
        clock: Clock,
        processors: dict[str, Processor],
        accounts: tuple[tuple[str, str], ...],
    ) -> None:
        """Nothing is read yet."""
        self._store = store
        self._reports = reports
        self._rulebook = rulebook
        self._clock = clock
        self._processors = processors
        self._accounts = accounts
        self._has_met = False

    def meet(self, alert: Alert) -> None:
        """Find out, where nobody has yet, whether anything was past due before. Raises `SnapshotUnavailable` where that cannot be known."""
        if self._has_met:
            return
        if not self._is_known():
            for name, account in self._accounts:
                count = sum(1 for _ in self._past_due(name, account, self._clock.now()))
                if count:
                    self._hold(name, account, count, alert)
            self._store.put_document(MET, self._clock.now().isoformat().encode(), 0)
        self._has_met = True

    def _is_known(self) -> bool:
        return (
            any(self._store.document(name) is not None for name in (MET, PROGRESS))
            or len(self._reports.cases(state=None, text=None, limit=1, after=None)) > 0
        )

    def _past_due(self, name: str, account: str, now: datetime) -> Iterator[str]:
        """Invoices that would become cases and failed before we came."""
        for one in self._processors[name].list_invoices(account, now):
            if one.glance is None:
                return
            if why_no_case(one.glance) is None:
                failed_at = one.glance.told.invoice.first_failed_at
                if failed_at is not None and now - failed_at > BEFORE:
                    yield one.processor_invoice_id

    def _hold(self, name: str, account: str, count: int, alert: Alert) -> None:
        """The brake first: whoever is killed here is followed by somebody who asks again."""
        for kind in KINDS:
            self._rulebook.stop(kind, IMPORTED, WHY)
        text = (
            f"{name} lists {count} open invoices of {account} that failed before dunr came. Nobody is charged, mailed or paused: run `dunr import`, look at what it "
            "says, and then `dunr import --agree`."
        )
        alert(AlertKind.DEBT_LEFT_OPEN, f"{name}:{account}", text)
