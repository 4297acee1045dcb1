"""The port `Processor` for a merchant's own billing system.

What is owed stands in the charge book, since nobody else keeps it; the two calls of the contract, *charge* and *look up*, are all that is asked of the merchant.
What such a system does not have (hosted pages, updaters, intents) is answered with that, and its capabilities name none of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from dunr.adapters.processors.admission import WebhookAccount
from dunr.adapters.processors.billing_http import answers, events, reading
from dunr.adapters.processors.billing_http.facts import FACTS
from dunr.adapters.processors.billing_http.wire import ChargeCall, LookUpAnswerOnWire, LookUpCall
from dunr.adapters.processors.signed_calls import SignedCalls
from dunr.charge_book import ChargeBook, LeftCharge
from dunr.core import keys
from dunr.core.answers import CannotSay, ChargeAnswer, LookUpAnswer, Missed, RefreshAnswer, Refused, RefusedKind
from dunr.core.attempt import Attempt
from dunr.core.expiring import ExpiringCard
from dunr.core.glance import Listing
from dunr.core.model import Case
from dunr.core.snapshot import ChargeSnapshot, Snapshot
from dunr.core.terms import SLOW_RAILS, Outcome
from dunr.ports import (
    ChargeRequest,
    Clock,
    Inbound,
    IntentAnswer,
    ObjectMissing,
    Refs,
    SnapshotUnavailable,
    Store,
    Subject,
)


class Addresses:
    """Where the billing system takes its two calls."""

    def __init__(self, charge_url: str, look_up_url: str, update_url: str | None) -> None:
        """`update_url` is the merchant's page where a customer changes what they pay by."""
        self.charge_url = charge_url
        self.look_up_url = look_up_url
        self.update_url = update_url


class BillingProcessor:
    """The billing system, as the engine sees it."""

    name = events.NAME
    facts = FACTS

    def __init__(
        self, account: WebhookAccount, client: SignedCalls | None, addresses: Addresses, store: Store, clock: Clock
    ) -> None:
        """Keep the connection, where there is one; nothing is asked yet."""
        self.account = account
        self._client = client
        self._addresses = addresses
        self._book = ChargeBook(store)
        self._store = store
        self._clock = clock

    def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            self._client.close()

    # --- what arrives -----------------------------------------------------------------------------------------------------------

    def verify(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Sequence[Inbound]:
        """Check the signature over the raw bytes, then decode what kind of report it is."""
        return (events.received(body, headers, self.account, now),)

    def translate(self, inbound: Inbound) -> Subject:
        """Which charge the event is about."""
        return events.subject_of(inbound)

    # --- reading ----------------------------------------------------------------------------------------------------------------

    def snapshot(self, account: str, processor_invoice_id: str) -> Snapshot:
        """What the book, our own case and the billing system's look-up say of a charge."""
        charge, case = self._charge(account, processor_invoice_id), self._case(account, processor_invoice_id)
        now = self._clock.now()
        attempts, returned = (case.attempts, case.returned_charge_ids) if case is not None else ((), ())
        ours = tuple(
            shown
            for one in attempts
            if (shown := reading.came_back(one, returned) or self._shown(one, charge, now)) is not None
        )
        return reading.snapshot_of(charge, ours, now, live=self.account.live)

    def _shown(self, attempt: Attempt, charge: LeftCharge, now: datetime) -> ChargeSnapshot | None:
        """What an attempt came to. Only a charge that the billing system still works on, or that its rail may take back, is asked about."""
        may_come_back = attempt.method is not None and attempt.method.rail in SLOW_RAILS
        if attempt.outcome is Outcome.PENDING or (attempt.outcome is Outcome.SUCCEEDED and may_come_back):
            found = answers.shown(attempt, self._look_up(charge.id, attempt, now), now)
            if found is not None:
                return found
        return reading.collected(attempt)

    def invoices_of(self, account: str, subject: Subject) -> Sequence[str]:
        """Every event names its charge."""
        return ()

    def list_invoices(self, account: str, updated_since: datetime) -> Iterator[Listing]:
        """The book is ours: nothing in it can have changed without us."""
        return iter(())

    def now(self, account: str) -> datetime | None:
        """The contract asks no clock of a billing system."""
        return None

    # --- charging ---------------------------------------------------------------------------------------------------------------

    def charge(self, request: ChargeRequest) -> ChargeAnswer:
        """One call of an attempt. Whatever happens on the way is an answer."""
        charge = self._book.find(request.account, request.processor_invoice_id)
        if charge is None:
            return Refused(RefusedKind.NOT_FOUND, "not_in_the_book")
        call = ChargeCall(
            charge=charge.id,
            key=request.key,
            amount_minor=request.amount_minor,
            currency=request.currency,
            instrument=request.processor_method_id,
            customer=charge.customer_id,
            subscription=charge.subscription_id,
            period_start_on=charge.period_start_on,
            facts=charge.facts,
        )
        assert self._client is not None, "who is only advised is not called"
        answer = self._client.post(self._addresses.charge_url, call, request.key, {"idempotency-key": request.key})
        return answers.of_charge_call(answer, request.amount_minor, self._clock.now())

    def find_charge(self, account: str, processor_invoice_id: str, attempt: Attempt) -> LookUpAnswer:
        """What became of an attempt, by its key."""
        if account != self.account.account:
            return CannotSay("this account is not configured here; set DUNR_ACCOUNT")
        now = self._clock.now()
        return answers.of_look_up(self._look_up(processor_invoice_id, attempt, now), attempt.amount_minor, now)

    def _look_up(self, charge_id: str, attempt: Attempt, now: datetime) -> LookUpAnswerOnWire | CannotSay:
        message_id = f"{attempt.key}/look-up/{now.timestamp():.0f}"
        assert self._client is not None, "who is only advised is not called"
        answer = self._client.post(self._addresses.look_up_url, LookUpCall(charge_id, attempt.key), message_id)
        return answers.told_by_look_up(answer)

    # --- what such a system does not have ---------------------------------------------------------------------------------------

    def cancel_attempt(self, account: str, processor_intent_id: str) -> IntentAnswer:
        """The contract knows no intents, so that none can be cancelled."""
        return IntentAnswer(cancelled=False, succeeded=False)

    def list_expiring(
        self, account: str, until_month: str, processor_customer_id: str | None
    ) -> Iterator[ExpiringCard]:
        """The contract lists no instruments."""
        return iter(())

    def refresh_method(self, account: str, processor_customer_id: str, processor_method_id: str) -> RefreshAnswer:
        """The contract has no updater."""
        return Missed("the billing system has no updater")

    def take_over(self, account: str, processor_invoice_id: str) -> None:
        """Nobody else collects what was left to us."""

    def update_link(self, account: str, processor_customer_id: str, processor_invoice_id: str | None) -> str:
        """The merchant's own page, where there is one. Raises `SnapshotUnavailable`."""
        if self._addresses.update_url is None:
            raise SnapshotUnavailable(
                "there is no page where the customer could change what they pay by; set billing_update_url"
            )
        return self._addresses.update_url

    # --- asking -----------------------------------------------------------------------------------------------------------------

    def _charge(self, account: str, charge_id: str) -> LeftCharge:
        """The charge in the book. Raises `SnapshotUnavailable` or `ObjectMissing`."""
        if account != self.account.account:
            raise SnapshotUnavailable("this account is not configured here; set DUNR_ACCOUNT")
        charge = self._book.find(account, charge_id)
        if charge is None:
            raise ObjectMissing(f"no charge {charge_id!r} was left to dunr")
        return charge

    def _case(self, account: str, charge_id: str) -> Case | None:
        """What we know of the charge ourselves."""
        return self._store.load(keys.case_id(self.name, account, charge_id), Refs()).case
