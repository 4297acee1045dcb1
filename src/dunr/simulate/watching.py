"""One place where everything that happens in a world is seen: by the checkers always, by the story where one is told."""

from collections.abc import Callable, Sequence
from datetime import datetime

from dunr.core.decision import Decision
from dunr.core.effects import Notice, Publish, RaiseAlert
from dunr.core.model import Case
from dunr.ports import Change, ChargeRequest, Delivery
from dunr.simulate.books import Charge, Invoice
from dunr.simulate.checkers.messages import MessagesChecker
from dunr.simulate.checkers.rows import RowsChecker
from dunr.simulate.checkers.sending import SendingChecker
from dunr.simulate.clock import SimClock
from dunr.simulate.story import Story

WITHDRAWING = ("AttemptWithdrawn", "AttemptNotFound", "AttemptOverdue", "AttemptSettledByHand")
LEFT = (Delivery.SENT, Delivery.MAYBE_SENT)


class Watch:
    """Passes what happens on to the checkers. `case_of` reads a case without being a port call."""

    def __init__(self, clock: SimClock, story: Story | None) -> None:
        """Watch from the start of a world."""
        self._clock = clock
        self.story = story
        self.sending = SendingChecker()
        self.rows = RowsChecker()
        self.messages = MessagesChecker()
        self.case_of: Callable[[str], Case | None] = lambda _: None
        self.begun: Callable[[str], bool] = lambda _: False
        self.ended_there: Callable[[str], bool] = lambda _: True

    def tell(self, who: str, what: str, why: Sequence[str] = ()) -> None:
        """Add to the story, if there is one."""
        if self.story is not None:
            self.story.tell(who, what, why)

    # --- at the processor -------------------------------------------------------------------------------------------------------

    def sent(self, request: ChargeRequest, invoice: Invoice, entered_at: datetime, holder: str) -> None:
        """A charge request leaves us."""
        self.tell("dunr", f"asks for {request.amount_minor} under {request.key} by {request.processor_method_id}")
        case = self.case_of(f"sandbox:acct:{invoice.id}")
        self.sending.sent(request, invoice, entered_at, case)
        self.sending.held(request, entered_at, holder)

    def captured(self, invoice: Invoice, charge: Charge) -> None:
        """Money moved."""
        by = charge.key or "somebody else"
        self.tell(
            "processor", f"{charge.id} captures {charge.amount_minor} of {invoice.id} for {by}; {invoice.due_minor} due"
        )
        self.sending.captured(invoice, charge)

    # --- in the store -----------------------------------------------------------------------------------------------------------

    def committed(self, who: str, change: Change, decision: Decision) -> None:
        """A decision is durable."""
        now = self._clock.instant
        if self.story is not None and decision.case is not None:
            entry = decision.audit[-1]
            self.tell(who, f"{entry.what} of {decision.case.processor_invoice_id}: {_shown(decision.case)}", entry.why)
        before, case = change.rows.case, decision.case
        if case is not None and case.attempt_number_last != (before.attempt_number_last if before is not None else 0):
            self.sending.intent(case, now)
        if decision.method is not None:
            self.sending.card_written(decision.method, now)
        if case is not None and decision.audit[-1].what == "NoticeBounced":
            self.rows.undeliverable(case, decision.audit[-1].at)
        if case is not None and decision.audit[-1].what in WITHDRAWING:
            self.sending.withdrawn(case, self.begun)
        self.rows.committed(before, decision)
        if decision.subscription is not None and decision.subscription.ended_at is not None:
            there = self.ended_there(decision.subscription.id)
            self.rows.ended(decision.subscription, ended_there=there)

    # --- to people --------------------------------------------------------------------------------------------------------------

    def mailed(self, notice: Notice, delivery: Delivery) -> None:
        """A notice was handed to the mail server."""
        self.tell("mail", f"{notice.kind} of {notice.processor_invoice_id} to the customer: {delivery}")
        if delivery in LEFT:
            self.messages.mailed(notice)
        if delivery is not Delivery.FAILED_FOR_NOW:
            self.rows.warned(notice, self._clock.instant)

    def published(self, message: Publish) -> None:
        """The application heard about access."""
        self.tell("application", f"hears that access is {message.access} (version {message.access_version})")

    def alerted(self, alert: RaiseAlert) -> None:
        """A person heard of trouble."""
        self.tell("alert", alert.text)
        self.messages.alerted(alert)


def _shown(case: Case) -> str:
    """Where a case stands, in few words."""
    flight = f", attempt {case.in_flight.number} in flight" if case.in_flight is not None else ""
    held = f", held ({len(case.holds)})" if case.holds else ""
    return f"{case.state}, {case.amount_due_minor} due, access {case.access}{flight}{held}"
