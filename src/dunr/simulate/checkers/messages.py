"""What left us: at most one *paused* and one *receipt* per case and round; alerts that a person must have got."""

from collections import Counter

from dunr.core.effects import Notice, RaiseAlert
from dunr.core.terms import AlertKind, NoticeKind
from dunr.simulate.checkers.broken import PromiseBroken

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
