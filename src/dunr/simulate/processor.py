"""The simulated processor behind the port `Processor`: what our engine can see of it, and how often it cannot."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from random import Random

from dunr.core.answers import CannotSay, ChargeAnswer, Declined, LookUpAnswer, NotThere, Paid, Pending, RefreshAnswer
from dunr.core.attempt import Attempt
from dunr.core.expiring import ExpiringCard
from dunr.core.facts import ProcessorFacts
from dunr.core.glance import Listing
from dunr.core.snapshot import RawDecline, Snapshot
from dunr.core.terms import ChargeStatus, InvoiceStatus
from dunr.ports import ChargeRequest, Inbound, IntentAnswer, ObjectMissing, SnapshotUnavailable, Subject
from dunr.simulate.calls import Calls
from dunr.simulate.clock import SimClock
from dunr.simulate.turns import Turns
from dunr.simulate.updater import SimUpdater
from dunr.simulate.watching import Watch
from dunr.simulate.webhooks import PROCESSOR, Webhooks


class SimProcessor:
    """The verbs of `Processor` that worlds reach; each is one port call, so something else may happen before it.

    No webhook is signed here, no page is linked to, and nothing is taken over.
    """

    name = PROCESSOR

    def __init__(
        self, rng: Random, clock: SimClock, turns: Turns, webhooks: Webhooks, calls: Calls, watch: Watch
    ) -> None:
        """A processor with its books, its charge endpoint and its webhooks."""
        self.facts = ProcessorFacts()
        self._rng = rng
        self._clock = clock
        self._turns = turns
        self._webhooks = webhooks
        self._watch = watch
        self.calls = calls
        self.invoices = calls.invoices
        self.updater = SimUpdater(rng, calls.invoices, webhooks, watch)
        self.shows_keys = calls.weather.shows_keys

    # --- what arrives -----------------------------------------------------------------------------------------------------------

    def translate(self, inbound: Inbound) -> Subject:
        return self._webhooks.translate(inbound)

    # --- reading ----------------------------------------------------------------------------------------------------------------

    def _cannot_be_read(self, rate: float) -> bool:
        """Whether this reading fails: by bad luck, or in an outage of days."""
        now = self._clock.instant
        for begin, end in self.calls.outages:
            if begin <= now < end:
                return True
        return rate > 0 and self._rng.random() < rate

    def _read_or_raise(self) -> None:
        self._turns.port_call()
        if self._cannot_be_read(self.calls.weather.snapshot_failure_rate):
            raise SnapshotUnavailable("the processor answers 503")

    def snapshot(self, account: str, processor_invoice_id: str) -> Snapshot:
        self._read_or_raise()
        invoice = self.invoices.get(processor_invoice_id)
        if invoice is None:
            raise ObjectMissing(f"no invoice {processor_invoice_id}")
        return invoice.read(self._clock.instant, shows_keys=self.shows_keys)

    def invoices_of(self, account: str, subject: Subject) -> Sequence[str]:
        self._read_or_raise()
        return [
            invoice.id
            for invoice in self.invoices.values()
            if invoice.status is InvoiceStatus.OPEN
            and invoice.customer.id == subject.processor_customer_id
            and subject.processor_subscription_id in (None, invoice.subscription.id)
        ]

    def list_invoices(self, account: str, updated_since: datetime) -> Iterator[Listing]:
        self._read_or_raise()
        return iter([Listing(invoice_id) for invoice_id in self.invoices])

    def now(self, account: str) -> datetime | None:
        return self._clock.instant

    # --- charging ---------------------------------------------------------------------------------------------------------------

    def charge(self, request: ChargeRequest) -> ChargeAnswer:
        return self.calls.charge(request)

    def find_charge(self, account: str, processor_invoice_id: str, attempt: Attempt) -> LookUpAnswer:
        self._turns.port_call()
        if self._cannot_be_read(self.calls.weather.look_up_failure_rate):
            return CannotSay("the processor answers 503")
        charge = self.invoices[processor_invoice_id].charge_of(attempt.key)
        if charge is None:
            return NotThere()
        match charge.status:
            case ChargeStatus.SUCCEEDED | ChargeStatus.RETURNED:
                return Paid(charge.id, charge.amount_minor, charge.at)
            case ChargeStatus.PENDING:
                return Pending(charge.id)
            case ChargeStatus.DECLINED:
                return Declined(charge.id, charge.decline or RawDecline(None), charge.at, charge.intent_id)

    def cancel_attempt(self, account: str, processor_intent_id: str) -> IntentAnswer:
        self._turns.port_call()
        if self._cannot_be_read(self.calls.weather.snapshot_failure_rate):
            return IntentAnswer(cancelled=False, succeeded=False)
        for invoice in self.invoices.values():
            for charge in invoice.charges:
                if charge.intent_id == processor_intent_id and charge.status is ChargeStatus.SUCCEEDED:
                    return IntentAnswer(cancelled=False, succeeded=True)
        self.calls.cancelled_intents.add(processor_intent_id)
        self._watch.tell("processor", f"{processor_intent_id} is cancelled")
        return IntentAnswer(cancelled=True, succeeded=False)

    def list_expiring(
        self, account: str, until_month: str, processor_customer_id: str | None
    ) -> Iterator[ExpiringCard]:
        return iter(())

    def refresh_method(self, account: str, processor_customer_id: str, processor_method_id: str) -> RefreshAnswer:
        self._read_or_raise()
        return self.updater.refresh(processor_method_id, self.calls.weather)
