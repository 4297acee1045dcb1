"""What a report about a mail comes to: an address that is written to no more, and a person who hears of it. No charge is ever moved by it.

A report counts only where its token proves that we wrote to the customer's present address about that case; a forged one, or one about a mail that nobody knows,
changes nothing.
"""

import structlog

from dunr.core.events import NoticeBounced, NoticeComplained
from dunr.core.model import Case
from dunr.engine import Engine
from dunr.mail.reports import Feedback, FeedbackKind
from dunr.mail.return_paths import ReturnPaths
from dunr.ports import Refs
from dunr.suppressions import Suppressions, name_of

_log = structlog.get_logger()


class FeedbackTaker:
    """Takes reports in, from wherever they come."""

    def __init__(self, engine: Engine, paths: ReturnPaths) -> None:
        """Keep the engine, and what proves tokens."""
        self._engine = engine
        self._paths = paths
        self.suppressions = Suppressions(engine.store)

    def take(self, feedback: Feedback) -> str:
        """What became of a report, in words. Taking it twice is harmless."""
        about = self._paths.about(feedback.token) if feedback.token is not None else None
        if feedback.token is None or about is None:
            return "ignored: it is about no mail of ours"
        rows = self._engine.store.load(about, Refs())
        if rows.case is None:  # a notice about a card is about the customer's own row
            rows = self._engine.store.load(None, Refs(customer_id=about))
        address = rows.customer.payer.email if rows.customer is not None else None
        if address is None or not self._paths.proves(feedback.token, about, address):
            _log.warning("report_not_proved", kind=feedback.kind.value)
            return "ignored: nothing proves that we wrote to that address"
        if feedback.kind is FeedbackKind.TRANSIENT:
            return f"noted: {feedback.why}; the next mail still goes"
        if self.suppressions.of(address) is not None:
            return "known already"
        self.suppressions.put(address, feedback.kind, feedback.why, self._engine.clock.now())
        if rows.case is not None:
            self._tell(rows.case, feedback, name_of(address))
        return f"the address is written to no more: {feedback.why}"

    def _tell(self, case: Case, feedback: Feedback, name: str) -> None:
        """A person hears of it, and the time before a pause runs from now where the warning was what came back."""
        key = f"{case.id}/{name}"
        if feedback.kind is FeedbackKind.COMPLAINT:
            self._engine.step(case.id, NoticeComplained(key))
            return
        warned = case.warned_at is not None and case.paused_at is None and case.is_open
        why = f"a mail came back ({feedback.why}), and nothing more is sent to that address"
        self._engine.step(case.id, NoticeBounced(key, warned, why))
