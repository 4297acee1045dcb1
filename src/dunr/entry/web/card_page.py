"""What a customer's page shows of a case, in words and numbers that are ready to be read. Decides nothing and asks nobody."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from dunr.core.calendar import local_instant
from dunr.core.decide.customers import CUSTOMER_PROMISES_MAX
from dunr.core.model import Case, Customer
from dunr.core.policy import Policy
from dunr.core.terms import CaseState, DeclineKind, DeclineReason
from dunr.entry.web.face import WebFace
from dunr.entry.web.speech import Speech
from dunr.facts.currencies import exponent
from dunr.mail.dates import date_text, zone_of
from dunr.mail.money import amount_text
from dunr.ports import Refs

OTHERS_MAX = 20


@dataclass(frozen=True, slots=True)
class OtherInvoice:
    """Another open invoice of the same customer. `link` opens its own page."""

    invoice: str
    amount: str
    next_date: str | None
    link: str


@dataclass(frozen=True, slots=True)
class PromiseDays:
    """The days on which a customer may promise to pay; `last_text` is the last one in words."""

    first: str
    last: str
    last_text: str


@dataclass(frozen=True, slots=True)
class CardPage:
    """One case as its page shows it."""

    merchant: str
    invoice: str
    amount: str
    is_open: bool
    is_paid: bool
    is_processing: bool
    is_paused: bool
    is_card_usable: bool
    asks_to_confirm: bool
    reminders_link: str
    next_date: str | None
    pause_date: str | None
    promise: PromiseDays | None
    others: tuple[OtherInvoice, ...]


class Wallet:
    """A case with what hangs on it, as one page reads it."""

    def __init__(self, face: WebFace, case: Case) -> None:
        """Read the customer and the policy, once."""
        self._face = face
        self.case = case
        application = face.application
        self.customer: Customer | None = application.store.load(case.id, Refs()).customer
        self.policy: Policy = application.rulebook.policy(case.policy_hash)
        payer = self.customer.payer if self.customer is not None else None
        self.payer_locale = payer.locale if payer is not None else None
        self.zone: ZoneInfo = zone_of(payer.timezone if payer is not None else None, self.policy.timezone)

    def page(self, say: Speech, link_of: Callable[[Case], str], reminders_link: str) -> CardPage:
        """What the page shows. The dates are those of the plan, in the customer's own timezone."""
        case = self.case
        step, reason = case.plan.next_step, case.deciding_reason
        kind = self._face.application.engine.facts.reasons[reason].kind if reason is not None else None
        return CardPage(
            merchant=self._face.settings.merchant_name,
            invoice=case.processor_invoice_id,
            amount=amount(case, say),
            is_open=case.is_open,
            is_paid=case.amount_due_minor == 0,
            is_processing=case.in_flight is not None,
            is_paused=case.paused_at is not None,
            is_card_usable=kind not in (DeclineKind.ACTION, DeclineKind.HARD),
            asks_to_confirm=reason is DeclineReason.AUTHENTICATION_REQUIRED,
            reminders_link=reminders_link,
            next_date=self.day(step.at, say) if step is not None else None,
            pause_date=self.day(case.plan.pause_at, say) if case.plan.pause_at and case.paused_at is None else None,
            promise=self._promise_days(say),
            others=self._others(say, link_of),
        )

    def day(self, at: datetime, say: Speech) -> str:
        """A day as the customer reads it."""
        return date_text(at, self.zone, say.locale)

    def promised_at(self, on: date) -> datetime:
        """The instant that a promised day stands for: the policy's time of day, where the customer lives."""
        return local_instant(on, self.policy.at_hour, self.policy.at_minute, self.zone.key)

    def _promise_days(self, say: Speech) -> PromiseDays | None:
        """From tomorrow to the last day that the policy allows; None where a promise would move nothing."""
        case, now = self.case, self._face.now()
        movable = case.state is CaseState.SCHEDULED and case.in_flight is None and not case.holds
        if not movable or (case.beside is not None and case.beside.is_left):
            return None
        if case.promises_count >= CUSTOMER_PROMISES_MAX:
            return None
        first, last = _local(now, self.zone) + timedelta(days=1), now + timedelta(days=self.policy.promise_days_max)
        last_day = _local(last, self.zone)
        if self.promised_at(last_day) > last:
            last_day -= timedelta(days=1)
        if last_day < first:
            return None
        return PromiseDays(first.isoformat(), last_day.isoformat(), self.day(self.promised_at(last_day), say))

    def _others(self, say: Speech, link_of: Callable[[Case], str]) -> tuple[OtherInvoice, ...]:
        """The customer's other open invoices, oldest first."""
        found: list[OtherInvoice] = []
        for known in self.customer.cases[: OTHERS_MAX + 1] if self.customer is not None else ():
            case = self._face.application.store.load(known.case_id, Refs()).case
            if case is None or case.id == self.case.id or not case.is_open or case.amount_due_minor == 0:
                continue
            step = case.plan.next_step
            next_date = self.day(step.at, say) if step is not None else None
            found.append(OtherInvoice(case.processor_invoice_id, amount(case, say), next_date, link_of(case)))
        return tuple(found)


def amount(case: Case, say: Speech) -> str:
    """What is due, as the customer reads it."""
    return amount_text(case.amount_due_minor, case.currency, exponent(case.processor, case.currency), say.locale)


def _local(at: datetime, zone: ZoneInfo) -> date:
    return at.astimezone(zone).date()
