"""The port `Processor` for one account of the sandbox. Knows which call answers which question, and keeps no state but the connection."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from dunr.adapters.processors.admission import WebhookAccount
from dunr.adapters.processors.exchange import Answer, Kind, NoAnswer, Unreadable
from dunr.adapters.processors.sandbox import answers, events
from dunr.adapters.processors.sandbox.client import SandboxClient, path
from dunr.adapters.processors.sandbox.reading import CardRefreshed, ExpiringListed, SnapshotOnWire
from dunr.adapters.processors.sandbox.wire import (
    AccountRead,
    ChargesFound,
    IntentRead,
    InvoiceLeft,
    InvoicesListed,
    LinkRead,
    SubscriptionRead,
)
from dunr.core.answers import (
    CannotSay,
    ChargeAnswer,
    LookUpAnswer,
    Missed,
    NotNow,
    RefreshAnswer,
    Refreshed,
    Unanswered,
)
from dunr.core.attempt import Attempt
from dunr.core.expiring import ExpiringCard
from dunr.core.facts import ProcessorFacts
from dunr.core.glance import Listing
from dunr.core.snapshot import Snapshot
from dunr.core.terms import InvoiceStatus
from dunr.core.value import replace
from dunr.inspection import Check, Level
from dunr.ports import (
    ChargeRequest,
    Inbound,
    IntentAnswer,
    KeyRefused,
    ObjectMissing,
    SnapshotUnavailable,
    Subject,
)

UNAUTHORIZED, NOT_FOUND = 401, 404
PAGES_MAX = 1000
INVOICES_OF_ONE_MAX = 50  # the newest of a subscription or customer


class SandboxProcessor:
    """The sandbox, as the engine sees it. `facts` follows what the sandbox says in each look-up."""

    name = events.NAME

    def __init__(self, account: WebhookAccount, client: SandboxClient, facts: ProcessorFacts) -> None:
        """Keep the connection; nothing is asked yet."""
        self.facts = facts
        self._account = account
        self._client = client

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    # --- what arrives -----------------------------------------------------------------------------------------------------------

    def verify(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Sequence[Inbound]:
        """Check the signature over the raw bytes, then decode id, type, account and mode, and nothing else."""
        return (events.received(body, headers, self._account, now),)

    def translate(self, inbound: Inbound) -> Subject:
        """What the event is about."""
        return events.subject_of(inbound)

    # --- reading ----------------------------------------------------------------------------------------------------------------

    def snapshot(self, account: str, processor_invoice_id: str) -> Snapshot:
        """One consistent reading of this account, in this mode; any other is no reading at all."""
        told = self._read(account, path("invoices", processor_invoice_id, "snapshot"), SnapshotOnWire)
        if told.account != account or told.live != self._account.live:
            raise SnapshotUnavailable("the API key belongs to another account or mode; correct the settings")
        return told.seen()

    def invoices_of(self, account: str, subject: Subject) -> Sequence[str]:
        """All invoices of a subscription, since one that is settled may be the only one to know it; open ones of a customer."""
        if subject.processor_subscription_id is not None:
            read = self._read(account, path("subscriptions", subject.processor_subscription_id), SubscriptionRead)
            return read.invoices[-INVOICES_OF_ONE_MAX:]
        if subject.processor_customer_id is None:
            return ()
        listed = self._read(account, path("customers", subject.processor_customer_id, "invoices"), InvoicesListed)
        return [one.id for one in listed.invoices if one.status is InvoiceStatus.OPEN][-INVOICES_OF_ONE_MAX:]

    def list_invoices(self, account: str, updated_since: datetime) -> Iterator[Listing]:
        """Open invoices, then the changed ones, each once, by their ids alone."""
        told: set[str] = set()
        for query in ({"status": "open"}, {"updated_since": updated_since.isoformat()}):
            for invoice in self._listed(account, query):
                if invoice not in told:
                    told.add(invoice)
                    yield Listing(invoice)

    def _listed(self, account: str, query: Mapping[str, str]) -> Iterator[str]:
        cursor: dict[str, str] = {}
        for _ in range(PAGES_MAX):
            page = self._read(account, "/invoices", InvoicesListed, {**query, **cursor})
            yield from (invoice.id for invoice in page.invoices)
            if page.next_cursor is None:
                return
            cursor = {"cursor": page.next_cursor}
        raise SnapshotUnavailable(f"the list of invoices did not end after {PAGES_MAX} pages")

    def now(self, account: str) -> datetime | None:
        """The sandbox's clock, or None where it cannot be read."""
        try:
            return self._read(account, "/account", AccountRead).now
        except (SnapshotUnavailable, ObjectMissing):
            return None

    # --- charging ---------------------------------------------------------------------------------------------------------------

    def charge(self, request: ChargeRequest) -> ChargeAnswer:
        """One call of an attempt. Whatever happens on the way is an answer."""
        if request.account != self._account.account:
            return NotNow("not_sent_other_account")
        body = {
            "amount_minor": request.amount_minor,
            "currency": request.currency,
            "card": request.processor_method_id,
        }
        place = path("invoices", request.processor_invoice_id, "charge")
        try:
            answer = self._client.post(place, body, {"idempotency-key": request.key})
        except NoAnswer as nothing:
            return Unanswered(str(nothing)) if nothing.sent else NotNow("not_reached")
        return answers.of_charge_call(answer)

    def find_charge(self, account: str, processor_invoice_id: str, attempt: Attempt) -> LookUpAnswer:
        """What became of an attempt, by its key. Only a whole answer without the charge means that it is not there."""
        query = {"invoice": processor_invoice_id, "key": attempt.key}
        try:
            found = self._read(account, "/charges", ChargesFound, query)
        except (SnapshotUnavailable, ObjectMissing) as failure:
            return CannotSay(str(failure))
        if found.settle_after_seconds != self.facts.settle_after_seconds:
            self.facts = replace(self.facts, settle_after_seconds=found.settle_after_seconds)
        return answers.of_look_up(found.charges, attempt.key)

    def cancel_attempt(self, account: str, processor_intent_id: str) -> IntentAnswer:
        """Cancel an intent; only what the sandbox says of it counts."""
        try:
            told = self._post(account, path("intents", processor_intent_id, "cancel"), {}, IntentRead)
        except (SnapshotUnavailable, ObjectMissing):
            return IntentAnswer(cancelled=False, succeeded=False)
        status = told.intent.status
        return IntentAnswer(cancelled=status == "cancelled", succeeded=status == "succeeded")

    def list_expiring(
        self, account: str, until_month: str, processor_customer_id: str | None
    ) -> Iterator[ExpiringCard]:
        """The sandbox's list of cards that expire by then."""
        whose = {"customer": processor_customer_id} if processor_customer_id is not None else {}
        cursor: dict[str, str] = {}
        for _ in range(PAGES_MAX):
            page = self._read(account, "/cards/expiring", ExpiringListed, {"until": until_month, **whose, **cursor})
            yield from (one.seen() for one in page.cards)
            if page.next_cursor is None:
                return
            cursor = {"cursor": page.next_cursor}
        raise SnapshotUnavailable(f"the list of cards did not end after {PAGES_MAX} pages")

    def refresh_method(self, account: str, processor_customer_id: str, processor_method_id: str) -> RefreshAnswer:
        """Ask the sandbox's updater. A card that it has not renewed comes back as it stands."""
        try:
            place, whose = path("cards", processor_method_id, "refresh"), {"customer": processor_customer_id}
            told = self._post(account, place, whose, CardRefreshed)
        except ObjectMissing as missing:
            return Missed(str(missing))
        if told.card is None:
            return Missed(told.why or "the updater has nothing newer")
        return Refreshed(told.card.seen(), told.fresh_cryptogram)

    def take_over(self, account: str, processor_invoice_id: str) -> None:
        """Have the sandbox leave the invoice alone."""
        self._post(account, path("invoices", processor_invoice_id, "leave"), {}, InvoiceLeft)

    def update_link(self, account: str, processor_customer_id: str, processor_invoice_id: str | None) -> str:
        """A fresh hosted page of the sandbox."""
        place = path("customers", processor_customer_id, "update_session")
        return self._post(account, place, {"invoice": processor_invoice_id}, LinkRead).url

    def inspect(self, account: str, webhook_url: str) -> Iterator[Check]:
        """What `dunr doctor` asks: the key, whose it is, and where webhooks go."""
        try:
            told = self._read(account, "/account", AccountRead)
        except (SnapshotUnavailable, ObjectMissing) as failure:
            yield Check("sandbox", Level.FAILED, str(failure), "start it with `dunr sandbox`, or correct sandbox_url")
            return
        if (told.account, told.live) != (account, self._account.live):
            yield Check("sandbox", Level.FAILED, f"it is {told.account}", f'write account = "{told.account}"')
        elif told.webhook_url != webhook_url:
            found = f"it tells {told.webhook_url or 'nobody'}, and not {webhook_url}"
            yield Check("sandbox", Level.WARNING, found, "set public_url, or start it with --webhook-url")
        else:
            yield Check("sandbox", Level.OK, f"it is {told.account}, and tells {webhook_url}")

    # --- asking -----------------------------------------------------------------------------------------------------------------

    def _read(self, account: str, place: str, kind: type[Kind], query: Mapping[str, str] | None = None) -> Kind:
        """A reading as the given kind. Raises `SnapshotUnavailable` or `ObjectMissing`."""
        self._refuse_other(account)
        try:
            return _understood(self._client.get(place, query), kind)
        except (NoAnswer, Unreadable) as failure:
            raise SnapshotUnavailable(str(failure)) from None

    def _post(self, account: str, place: str, body: Mapping[str, object], kind: type[Kind]) -> Kind:
        """The answer to a wish that moves no money. Raises `SnapshotUnavailable` or `ObjectMissing`."""
        self._refuse_other(account)
        try:
            return _understood(self._client.post(place, body), kind)
        except (NoAnswer, Unreadable) as failure:
            raise SnapshotUnavailable(str(failure)) from None

    def _refuse_other(self, account: str) -> None:
        if account != self._account.account:
            raise SnapshotUnavailable("this account is not configured here; set DUNR_ACCOUNT")


def _understood(answer: Answer, kind: type[Kind]) -> Kind:
    """The body of a 2xx; a 404 is an object that is missing, anything else a reading that failed."""
    if answer.status == NOT_FOUND:
        raise ObjectMissing(f"the processor does not know it (HTTP 404, {answers.code_of(answer)})")
    if answer.status == UNAUTHORIZED:
        raise KeyRefused(f"HTTP 401 ({answers.code_of(answer)})")
    if not answer.is_ok:
        raise SnapshotUnavailable(f"HTTP {answer.status} ({answers.code_of(answer)})")
    return answer.read(kind)
