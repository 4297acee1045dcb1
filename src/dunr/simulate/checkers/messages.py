"""What left us: each mail once, and at most one *paused* and one *receipt* per case and round; alerts that a person must have got."""

from collections import Counter

from dunr.core.effects import Notice, RaiseAlert
from dunr.core.terms import AlertKind, NoticeKind
from dunr.simulate.checkers.broken import PromiseBroken

REPEATED_WHEN_UNSURE = frozenset({NoticeKind.FINAL_WARNING, NoticeKind.PAUSED})
ONCE_A_ROUND = frozenset({NoticeKind.PAUSED, NoticeKind.RECEIPT})


class MessagesChecker:
    """Keeps what was handed to the mail server and to the merchant."""

    def __init__(self) -> None:
        """Nothing has left."""
        self.keys: dict[tuple[str, int, NoticeKind], str] = {}
        self.times: Counter[str] = Counter()
        self.alerts: list[RaiseAlert] = []

    def mailed(self, notice: Notice) -> None:
        """A notice left, or may have left."""
        self.times[notice.key] += 1
        most = 2 if notice.is_warning or notice.kind in REPEATED_WHEN_UNSURE else 1
        if self.times[notice.key] > most:
            raise PromiseBroken("a mail leaves once", f"{notice.key} left {self.times[notice.key]} times")
        if notice.kind not in ONCE_A_ROUND:
            return
        slot = (notice.case_id, notice.round, notice.kind)
        if self.keys.setdefault(slot, notice.key) != notice.key:
            raise PromiseBroken("one notice of its kind per round", f"{self.keys[slot]} and {notice.key} both left")

    def alerted(self, alert: RaiseAlert) -> None:
        """A person was told."""
        self.alerts.append(alert)

    def has_alert(self, kind: AlertKind, case_id: str) -> bool:
        """Whether a person heard of this about a case."""
        return any(alert.kind is kind and alert.case_id == case_id for alert in self.alerts)
