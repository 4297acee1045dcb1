"""Which invoices there are: of a subject that does not name one, and all that are open or have changed.

Stripe lists invoices by status and by when they were made, not by when they changed. Changes are in its events, which it keeps for thirty days.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

import msgspec
from stripe import RequestOptions, StripeObject
from stripe.params import EventListParams, InvoiceListParams, InvoicePaymentListParams

from dunr.adapters.processors.stripe.changes import CHANGES, Changes, PastChange
from dunr.adapters.processors.stripe.client import StripeConnection
from dunr.adapters.processors.stripe.reading import glance_at, glance_back_at
from dunr.adapters.processors.stripe.subjects import StripeSubject
from dunr.adapters.processors.stripe.wire import Id, InvoiceOfPayment, InvoiceOnWire, Listed, Named, Ref, id_of
from dunr.core.glance import Glance, Listing
from dunr.ports import ObjectMissing, SnapshotUnavailable, Subject

Row = TypeVar("Row", msgspec.Raw, PastChange)

PAGE = 100
PAGES_MAX = 10_000
INVOICES_OF_ONE_MAX = 50  # the newest of a subscription or customer
EXPAND = ["data.customer", "data.parent.subscription_details.subscription"]  # four levels are the most


class Leading(msgspec.Struct):
    """Any object, as far as it leads to an invoice."""

    id: Id
    charge: Ref = None
    payment_intent: Ref = None
    customer: Ref = None
    invoice: Ref = None


class Retrieve(Protocol):
    """One of the SDK's calls that read an object by its id."""

    def __call__(self, about: str, /, *, options: RequestOptions) -> StripeObject: ...


class Lister:
    """Lists for one account. Every reading raises `SnapshotUnavailable`, `KeyRefused` or `ObjectMissing`."""

    def __init__(self, connection: StripeConnection, account: str) -> None:
        """Keep the connection; nothing is asked yet."""
        self._connection = connection
        self._options = connection.options(account)
        self._v1 = connection.v1

    def of_subject(self, subject: Subject) -> Sequence[str]:
        """All invoices of a subscription, since one that is settled may be the only one to know it; open ones of a customer."""
        found: list[str] = []
        customer = subject.processor_customer_id
        if isinstance(subject, StripeSubject) and subject.through_kind is not None and subject.through_id is not None:
            through, owner = self._through(subject.through_kind, subject.through_id)
            found += through
            customer = (customer or owner) if subject.wide else None
        if subject.processor_subscription_id is not None:
            found += self._newest({"subscription": subject.processor_subscription_id})
        elif customer is not None:
            found += self._newest({"customer": customer, "status": "open"})
        return tuple(dict.fromkeys(found))

    def open_or_changed(self, since: datetime) -> Iterator[Listing]:
        """Open invoices as the list tells them, then those with an event since then, as far back as Stripe keeps events; each once."""
        changes = Changes()
        for event, _ in self._changed(since):
            changes.add(event)
        moved = self._whose_money_moved(changes)
        told: set[str] = set()
        for raw, taken_at in self._all_open():
            invoice_id = _id_in(raw)
            if invoice_id not in told:
                told.add(invoice_id)
                yield Listing(invoice_id, _glance(raw, taken_at, changes))
        for changed in changes.invoices.values():
            if changed.id not in told:
                told.add(changed.id)
                yield Listing(changed.id, glance_back_at(changed, since, changes))
        yield from (Listing(one) for one in dict.fromkeys(moved) if one not in told)

    def _whose_money_moved(self, changes: Changes) -> list[str]:
        """The invoices of charges that were refunded or disputed; their payers are touched. A dispute does not name its payer, nor a charge its invoice."""
        found: list[str] = []
        for charge in sorted(changes.moved):
            try:
                invoices, customer = self._through("charge", charge)
            except ObjectMissing:
                continue
            found += invoices
            changes.touched.update([customer] if customer is not None else [])
        return found

    def _through(self, kind: str, about: str) -> tuple[Sequence[str], str | None]:
        """The invoices that an object leads to, and whose it is. What belongs to no invoice leads to none."""
        if kind == "invoice_payment":
            return self._invoice_of(self._read(self._v1.invoice_payments.retrieve, about)), None
        if kind == "credit_note":
            return self._invoice_of(self._read(self._v1.credit_notes.retrieve, about)), None
        if kind == "payment_method":
            return (), id_of(self._read(self._v1.payment_methods.retrieve, about).customer)
        if kind == "dispute":
            about = id_of(self._read(self._v1.disputes.retrieve, about).charge) or about
        if kind in ("dispute", "charge"):
            charge = self._read(self._v1.charges.retrieve, about)
            return self._paid_through(id_of(charge.payment_intent)), id_of(charge.customer)
        return self._paid_through(about), None

    def _read(self, retrieve: Retrieve, about: str) -> Leading:
        options = self._options
        return self._connection.read(lambda: retrieve(about, options=options), Leading)

    def _invoice_of(self, told: Leading) -> Sequence[str]:
        invoice = id_of(told.invoice)
        return (invoice,) if invoice is not None else ()

    def _paid_through(self, intent_id: str | None) -> Sequence[str]:
        """The invoices that an intent pays."""
        if intent_id is None:
            return ()
        payments, options = self._v1.invoice_payments, self._options
        params: InvoicePaymentListParams = {
            "payment": {"type": "payment_intent", "payment_intent": intent_id},
            "limit": PAGE,
        }
        found = self._connection.read(lambda: payments.list(params, options), Listed[InvoiceOfPayment]).data
        return [invoice for one in found if (invoice := id_of(one.invoice)) is not None]

    def _newest(self, params: InvoiceListParams) -> list[str]:
        page: InvoiceListParams = {**params, "limit": INVOICES_OF_ONE_MAX}
        invoices, options = self._v1.invoices, self._options
        return [one.id for one in self._connection.read(lambda: invoices.list(page, options), Listed[Named]).data]

    def _all_open(self) -> Iterator[tuple[msgspec.Raw, datetime]]:
        invoices, options = self._v1.invoices, self._options

        def page(after: str | None) -> tuple[Listed[msgspec.Raw], datetime]:
            params: InvoiceListParams = {"status": "open", "limit": PAGE, "expand": EXPAND}
            if after is not None:
                params["starting_after"] = after
            return self._connection.read_dated(lambda: invoices.list(params, options), Listed[msgspec.Raw])

        return _walk(page, _id_in)

    def _changed(self, since: datetime) -> Iterator[tuple[PastChange, datetime]]:
        events, options = self._v1.events, self._options

        def page(after: str | None) -> tuple[Listed[PastChange], datetime]:
            params: EventListParams = {"types": CHANGES, "created": {"gte": int(since.timestamp())}, "limit": PAGE}
            if after is not None:
                params["starting_after"] = after
            return self._connection.read_dated(lambda: events.list(params, options), Listed[PastChange])

        return _walk(page, lambda event: event.id)


def _id_in(raw: msgspec.Raw) -> str:
    """The id of a row, whatever else it says. Raises `SnapshotUnavailable`."""
    try:
        return msgspec.json.decode(raw, type=Named).id
    except msgspec.MsgspecError:
        raise SnapshotUnavailable("a list of Stripe's names a row without an id") from None


def _glance(raw: msgspec.Raw, taken_at: datetime, changes: Changes) -> Glance | None:
    """What the list tells of one invoice; one that it tells strangely is looked at, and does not hide the others."""
    try:
        return glance_at(msgspec.json.decode(raw, type=InvoiceOnWire), taken_at, changes)
    except (msgspec.MsgspecError, SnapshotUnavailable):
        return None


def _walk(
    page: Callable[[str | None], tuple[Listed[Row], datetime]], named: Callable[[Row], str]
) -> Iterator[tuple[Row, datetime]]:
    """Every row of a list, page by page, and when it was read. Raises `SnapshotUnavailable` where it does not end."""
    after: str | None = None
    for _ in range(PAGES_MAX):
        told, taken_at = page(after)
        yield from ((row, taken_at) for row in told.data)
        if not told.has_more or not told.data:
            return
        after = named(told.data[-1])
    raise SnapshotUnavailable(f"a list of Stripe's did not end after {PAGES_MAX} pages")
