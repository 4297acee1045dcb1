"""The port `Processor` for one account of Stripe and those connected to it. Knows which call answers which question, and keeps no state but the connection."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import structlog
from stripe.params import InvoicePayParams

from dunr.adapters.processors.exchange import NoAnswer
from dunr.adapters.processors.stripe import answers, events, finding, intents, links
from dunr.adapters.processors.stripe.client import Answer, StripeConnection
from dunr.adapters.processors.stripe.events import StripeAccount
from dunr.adapters.processors.stripe.facts import FACTS
from dunr.adapters.processors.stripe.finding import Causes, Window
from dunr.adapters.processors.stripe.gathering import EXPAND, Gatherer, intents_of
from dunr.adapters.processors.stripe.inspection import Inspector
from dunr.adapters.processors.stripe.listing import Lister
from dunr.adapters.processors.stripe.reading import charges_of, snapshot_of
from dunr.adapters.processors.stripe.subjects import subject_of
from dunr.adapters.processors.stripe.wire import Listed, Named
from dunr.core.answers import (
    CannotSay,
    ChargeAnswer,
    Declined,
    LookUpAnswer,
    Missed,
    NotNow,
    RefreshAnswer,
    Refreshed,
    Refused,
    RefusedKind,
    Unanswered,
)
from dunr.core.attempt import Attempt
from dunr.core.expiring import ExpiringCard
from dunr.core.glance import Listing
from dunr.core.snapshot import Snapshot
from dunr.core.value import replace
from dunr.inspection import Check
from dunr.ports import ChargeRequest, Inbound, IntentAnswer, ObjectMissing, Pace, SnapshotUnavailable, Subject

SOURCE_PREFIXES = ("src_", "ba_")  # on file since before there were payment methods; cards from then are both
CHARGE_PREFIXES = ("ch_", "py_")
NO_CAUSES: Causes = {}

_log = structlog.get_logger()


class StripeProcessor:
    """Stripe, as the engine sees it."""

    name = events.NAME
    facts = FACTS

    def __init__(self, account: StripeAccount, connection: StripeConnection) -> None:
        """Keep the connection; nothing is asked yet."""
        self._account = account
        self._connection = connection

    @classmethod
    def opened(
        cls, account: StripeAccount, *, url: str, api_key: str, timeout_seconds: float, pace: Pace
    ) -> "StripeProcessor":
        """A processor with a connection of its own."""
        return cls(
            account,
            StripeConnection(
                url=url,
                api_key=api_key,
                account=account.account,
                timeout_seconds=timeout_seconds,
                pace=pace,
            ),
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._connection.close()

    # --- what arrives -----------------------------------------------------------------------------------------------------------

    def verify(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Sequence[Inbound]:
        """Check the signature over the raw bytes, then decode id, type, account, version and mode, and nothing else."""
        return (events.received(body, headers, self._account, now),)

    def translate(self, inbound: Inbound) -> Subject:
        """What the event is about."""
        return subject_of(inbound)

    # --- reading ----------------------------------------------------------------------------------------------------------------

    def snapshot(self, account: str, processor_invoice_id: str) -> Snapshot:
        """One consistent reading of this account, in this mode; any other is no reading at all."""
        told = snapshot_of(self._gatherer(account).all_about(processor_invoice_id))
        if told.live != self._account.live:
            raise SnapshotUnavailable("the API key is of the other mode; correct live or stripe_api_key")
        return told

    def invoices_of(self, account: str, subject: Subject) -> Sequence[str]:
        """The invoices of a subscription, the open ones of a customer, and those that a charge, an intent or a dispute leads to."""
        return self._lister(account).of_subject(subject)

    def list_invoices(self, account: str, updated_since: datetime) -> Iterator[Listing]:
        """Open invoices, then the changed ones, each once, a hundred in a call. Stripe tells of changes for thirty days."""
        return self._lister(account).open_or_changed(updated_since)

    def now(self, account: str) -> datetime | None:
        """Stripe's clock, or None where it cannot be read."""
        try:
            self._refuse_other(account)
            invoices, options = self._connection.v1.invoices, self._connection.options(account)
            return self._connection.read_dated(lambda: invoices.list({"limit": 1}, options), Listed[Named])[1]
        except (SnapshotUnavailable, ObjectMissing):
            return None

    # --- charging ---------------------------------------------------------------------------------------------------------------

    def charge(self, request: ChargeRequest) -> ChargeAnswer:
        """One call of an attempt: this invoice, with this method, off session, under this key. It names no amount: Stripe takes what is due."""
        if not self._account.serves(request.account):
            return NotNow("not_sent_other_account")
        invoices, options = self._connection.v1.invoices, self._connection.options(request.account, request.key)
        params = _pay_params(request)
        try:
            answer = self._connection.once(lambda: invoices.pay(request.processor_invoice_id, params, options))
        except NoAnswer as nothing:
            return Unanswered(str(nothing)) if nothing.sent else NotNow("not_reached")
        _log.info(
            "stripe_charge_answered", key=request.key, status=answer.status, processor_request_id=answer.request_id
        )
        return self._completed(request, answer)

    def _completed(self, request: ChargeRequest, answer: Answer) -> ChargeAnswer:
        """The answer with what it leaves out: why Stripe's own rules declined, or what made the request senseless."""
        told = answers.of_pay(answer)
        try:
            match told:
                case Declined(processor_charge_id=charge_id) if (charge_id or "").startswith(CHARGE_PREFIXES):
                    assert charge_id is not None, "it has a prefix"
                    charge = self._gatherer(request.account).charge(charge_id)
                    return replace(told, raw=charge.raw_decline(told.raw))
                case Refused(kind=RefusedKind.BAD_REQUEST):
                    invoice, _ = self._gatherer(request.account).invoice(request.processor_invoice_id)
                    return replace(told, kind=RefusedKind.NOT_PAYABLE) if answers.not_payable(invoice) else told
                case _:
                    return told
        except (SnapshotUnavailable, ObjectMissing) as failure:
            _log.info("stripe_answer_left_as_it_was", key=request.key, why=str(failure))
            return told

    def find_charge(self, account: str, processor_invoice_id: str, attempt: Attempt) -> LookUpAnswer:
        """What became of an attempt, by the events that name its key, else by time, amount and card. Only a whole reading without it means that it is not there."""
        try:
            gatherer = self._gatherer(account)
            invoice, _ = gatherer.invoice(processor_invoice_id)
            told = gatherer.charges_paying(invoice)
        except (SnapshotUnavailable, ObjectMissing) as failure:
            return CannotSay(str(failure))
        charges, through = charges_of(invoice, told, {}), intents_of(invoice).values()
        window = finding.window_of(attempt, charges, through)
        causes = self._causes(gatherer, window) if window is not None else NO_CAUSES
        return finding.fate_of(attempt, charges, through, causes)

    def _causes(self, gatherer: Gatherer, window: Window) -> Causes:
        """The requests behind what happened, or nothing where the key may not read events."""
        try:
            return gatherer.causes(window)
        except (SnapshotUnavailable, ObjectMissing) as failure:
            _log.warning("stripe_events_not_read", why=str(failure))
            return NO_CAUSES

    def cancel_attempt(self, account: str, processor_intent_id: str) -> IntentAnswer:
        """Take an intent out of the way of the next attempt; see `intents`."""
        if not self._account.serves(account):
            return intents.UNCONFIRMED
        return intents.cancel(self._connection, account, processor_intent_id)

    def list_expiring(
        self,
        account: str,  # noqa: ARG002 - the port names what others need
        until_month: str,  # noqa: ARG002
        processor_customer_id: str | None,  # noqa: ARG002
    ) -> Iterator[ExpiringCard]:
        """Nothing: Stripe lists no cards by their expiry, and writes to their holders by itself, if told to."""
        return iter(())

    def refresh_method(self, account: str, processor_customer_id: str, processor_method_id: str) -> RefreshAnswer:
        """The method as it stands now. Stripe cannot be asked for an update; it keeps cards fresh by itself, and a reading shows whether it did."""
        method = self._gatherer(account).method(processor_customer_id, processor_method_id).seen()
        return Refreshed(method) if method is not None else Missed("Stripe keeps no such payment method for retries")

    def take_over(self, account: str, processor_invoice_id: str) -> None:
        """`auto_advance` off: from then on Stripe neither retries the invoice nor moves it on by itself."""
        self._refuse_other(account)
        invoices, options = self._connection.v1.invoices, self._connection.options(account)
        self._connection.read(lambda: invoices.update(processor_invoice_id, {"auto_advance": False}, options), Named)

    def update_link(self, account: str, processor_customer_id: str, processor_invoice_id: str | None) -> str:
        """A fresh page of Stripe's."""
        self._refuse_other(account)
        return links.fresh_page(self._connection, account, processor_customer_id, processor_invoice_id)

    def inspect(self, account: str, webhook_url: str) -> Iterator[Check]:
        """What `dunr doctor` asks; see `inspection`."""
        return Inspector(self._connection, self._account, account).checks(webhook_url)

    # --- for whom ---------------------------------------------------------------------------------------------------------------

    def _gatherer(self, account: str) -> Gatherer:
        self._refuse_other(account)
        return Gatherer(self._connection, account)

    def _lister(self, account: str) -> Lister:
        self._refuse_other(account)
        return Lister(self._connection, account)

    def _refuse_other(self, account: str) -> None:
        if not self._account.serves(account):
            raise SnapshotUnavailable(
                "this account is not configured here; set DUNR_ACCOUNT or DUNR_STRIPE_CONNECTED_ACCOUNTS"
            )


def _pay_params(request: ChargeRequest) -> InvoicePayParams:
    """What is asked for, always with the method named: Stripe would go on with the subscription's own else."""
    params: InvoicePayParams = {"off_session": True, "expand": EXPAND}
    if request.processor_method_id.startswith(SOURCE_PREFIXES):
        params["source"] = request.processor_method_id
    else:
        params["payment_method"] = request.processor_method_id
    return params
