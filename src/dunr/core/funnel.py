"""What recovery comes to, counted over cases. So far: how often fresher details of a payment method were asked for, were there, and led to a payment."""

from collections.abc import Sequence

from dunr.core.method_notes import Refresh
from dunr.core.model import Case
from dunr.core.terms import Outcome, Trigger
from dunr.core.value import Value


class RefreshLine(Value):
    """The line of the updater in the funnel. Cryptograms of network tokens are asked for before each step, and are counted apart."""

    asked_count: int = 0
    hit_count: int = 0
    paid_count: int = 0  # attempts that followed a hit and succeeded
    cryptogram_asked_count: int = 0
    cryptogram_hit_count: int = 0

    @property
    def hit_rate(self) -> float | None:
        """Hits among the answered requests after a decline, from 0 to 1; None where there was none."""
        return self.hit_count / self.asked_count if self.asked_count else None


def refresh_line(cases: Sequence[Case]) -> RefreshLine:
    """The line over these cases. A request that has no answer yet is not counted."""
    answered = [one for case in cases for one in case.method_notes.refreshes if not one.is_pending]
    updater = [one for one in answered if one.reason is not None]
    cryptograms = [one for one in answered if one.reason is None]
    paid_count = sum(
        attempt.trigger is Trigger.UPDATER and attempt.outcome is Outcome.SUCCEEDED
        for case in cases
        for attempt in case.attempts
    )
    return RefreshLine(len(updater), _hits(updater), paid_count, len(cryptograms), _hits(cryptograms))


def _hits(refreshes: Sequence[Refresh]) -> int:
    return sum(one.is_hit for one in refreshes)
