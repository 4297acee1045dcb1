"""The calls behind one look at an invoice, in an order that keeps it consistent.

The invoice comes first and its charges after it, so that a payment that the invoice shows is always among the charges. Where the two do not agree, because the invoice
is being paid at this very moment, both are read again: half of a payment is never shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from stripe.params import EventListParams

from dunr.adapters.processors.stripe.charges import ChargeOnWire, DisputeOnWire
from dunr.adapters.processors.stripe.client import StripeConnection
from dunr.adapters.processors.stripe.finding import CAUSING_EVENTS, Causes, PastEvent, Window, causes_of
from dunr.adapters.processors.stripe.methods import MethodOnWire, StartedOnWire, newer_default, started_with
from dunr.adapters.processors.stripe.wire import (
    IntentOnWire,
    InvoiceOnWire,
    InvoicePaymentOnWire,
    Listed,
    id_of,
)
from dunr.core.terms import ChargeStatus
from dunr.ports import ObjectMissing, SnapshotUnavailable

READS_MAX = 3  # of an invoice that changes under our eyes
PAGE = 100
EVENT_PAGES_MAX = 5
DISPUTED_CHARGES_MAX = 10  # the newest of a customer
EXPAND = ["customer", "parent.subscription_details.subscription", "payments.data.payment.payment_intent"]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What Stripe says, as it says it. `charges` are the invoice's; `disputes` are the customer's, each with its charge."""

    invoice: InvoiceOnWire
    taken_at: datetime
    charges: Sequence[ChargeOnWire]
    methods: Sequence[MethodOnWire]
    disputes: Sequence[tuple[DisputeOnWire, ChargeOnWire]]


def payments_of(invoice: InvoiceOnWire) -> Sequence[InvoicePaymentOnWire]:
    """How the invoice is, was or would be paid."""
    return invoice.payments.data if invoice.payments is not None else ()


def intents_of(invoice: InvoiceOnWire) -> dict[str, IntentOnWire]:
    """The intents through which the invoice is paid, by their ids."""
    intents = (payment.payment.payment_intent for payment in payments_of(invoice))
    return {intent.id: intent for intent in intents if intent is not None}


class Gatherer:
    """Reads for one account. Every reading raises `SnapshotUnavailable`, `KeyRefused` or `ObjectMissing`."""

    def __init__(self, connection: StripeConnection, account: str) -> None:
        """Keep the connection; nothing is asked yet."""
        self._connection = connection
        self._options = connection.options(account)
        self._v1 = connection.v1

    def all_about(self, invoice_id: str) -> Gathered:
        """The invoice, its charges, the customer's methods and disputes."""
        for _ in range(READS_MAX):
            invoice, taken_at = self.invoice(invoice_id)
            customers = self._charges_of_customer(invoice)
            charges = self._charges_of(invoice, customers)
            if _agree(invoice, charges):
                disputes = self._disputes([*charges, *customers.data])
                return Gathered(invoice, taken_at, charges, self._methods(invoice), disputes)
        raise SnapshotUnavailable("the invoice and its charges do not agree: it is being paid at this moment")

    def invoice(self, invoice_id: str) -> tuple[InvoiceOnWire, datetime]:
        """The invoice with its customer, subscription and payments, and Stripe's clock."""
        invoices, options = self._v1.invoices, self._options
        return self._connection.read_dated(
            lambda: invoices.retrieve(invoice_id, {"expand": EXPAND}, options), InvoiceOnWire
        )

    def charge(self, charge_id: str) -> ChargeOnWire:
        """One charge."""
        charges, options = self._v1.charges, self._options
        return self._connection.read(lambda: charges.retrieve(charge_id, options=options), ChargeOnWire)

    def method(self, customer_id: str, method_id: str) -> MethodOnWire:
        """One payment method as it stands now: Stripe takes over what banks reissue by itself."""
        methods, options = self._v1.customers.payment_methods, self._options
        return self._connection.read(lambda: methods.retrieve(customer_id, method_id, options=options), MethodOnWire)

    def charges_paying(self, invoice: InvoiceOnWire) -> Sequence[ChargeOnWire]:
        """Every charge that was made for the invoice."""
        return self._charges_of(invoice, Listed([], has_more=True))

    def causes(self, window: Window) -> Causes:
        """The requests behind what happened to charges and intents meanwhile; whatever Stripe does not tell is left out."""
        found: list[PastEvent] = []
        params: EventListParams = {
            "types": CAUSING_EVENTS,
            "created": {"gte": int(window.since_at.timestamp()), "lte": int(window.until_at.timestamp())},
            "limit": PAGE,
        }
        for _ in range(EVENT_PAGES_MAX):
            page = self._events(params)
            found += page.data
            if not page.has_more or not page.data:
                break
            params = {**params, "starting_after": page.data[-1].id}
        return causes_of(found)

    def _events(self, params: EventListParams) -> Listed[PastEvent]:
        events, options = self._v1.events, self._options
        return self._connection.read(lambda: events.list(params, options), Listed[PastEvent])

    def _charges_of(self, invoice: InvoiceOnWire, customers: Listed[ChargeOnWire]) -> Sequence[ChargeOnWire]:
        """The invoice's charges: among the customer's where all of those are known, else asked for by intent."""
        intents = intents_of(invoice)
        bare = [charge for one in payments_of(invoice) if (charge := id_of(one.payment.charge)) is not None]
        if not customers.has_more:
            return [one for one in customers.data if id_of(one.payment_intent) in intents or one.id in bare]
        of_intents = [one for intent in intents for one in self._charges_of_intent(intent)]
        return [*of_intents, *(self.charge(one) for one in bare)]

    def _charges_of_intent(self, intent_id: str) -> Sequence[ChargeOnWire]:
        charges, options = self._v1.charges, self._options
        return self._connection.read(
            lambda: charges.list({"payment_intent": intent_id, "limit": PAGE}, options), Listed[ChargeOnWire]
        ).data

    def _charges_of_customer(self, invoice: InvoiceOnWire) -> Listed[ChargeOnWire]:
        """The customer's newest charges, which also tell of disputes on their other invoices."""
        customer = invoice.customer
        if customer is None or customer.deleted:
            return Listed([], has_more=True)
        charges, options, customer_id = self._v1.charges, self._options, customer.id
        return self._connection.read(
            lambda: charges.list({"customer": customer_id, "limit": PAGE}, options), Listed[ChargeOnWire]
        )

    def _methods(self, invoice: InvoiceOnWire) -> Sequence[MethodOnWire]:
        """What the customer has on file; a customer who was deleted meanwhile has nothing."""
        customer = invoice.customer
        if customer is None or customer.deleted:
            return ()
        methods, options, customer_id = self._v1.customers.payment_methods, self._options, customer.id
        try:
            on_file = self._connection.read(
                lambda: methods.list(customer_id, {"limit": PAGE}, options), Listed[MethodOnWire]
            ).data
        except ObjectMissing:
            return ()
        newer = newer_default(on_file, invoice)
        if newer is not None:
            newer.came_with = started_with(newer, self._subscriptions_of(customer_id))
        return on_file

    def _subscriptions_of(self, customer_id: str) -> Sequence[StartedOnWire]:
        """What the customer pays for now."""
        subscriptions, options = self._v1.subscriptions, self._options
        return self._connection.read(
            lambda: subscriptions.list({"customer": customer_id, "limit": PAGE}, options), Listed[StartedOnWire]
        ).data

    def _disputes(self, charges: Sequence[ChargeOnWire]) -> Sequence[tuple[DisputeOnWire, ChargeOnWire]]:
        """Every dispute of these charges."""
        disputed = {charge.id: charge for charge in charges if charge.disputed}
        newest = sorted(disputed.values(), key=lambda charge: charge.created, reverse=True)[:DISPUTED_CHARGES_MAX]
        return [(dispute, charge) for charge in newest for dispute in self._disputes_of(charge.id)]

    def _disputes_of(self, charge_id: str) -> Sequence[DisputeOnWire]:
        disputes, options = self._v1.disputes, self._options
        return self._connection.read(
            lambda: disputes.list({"charge": charge_id, "limit": PAGE}, options), Listed[DisputeOnWire]
        ).data


def _agree(invoice: InvoiceOnWire, charges: Sequence[ChargeOnWire]) -> bool:
    """Whether the invoice shows every capture of its charges, and the charges show every payment of the invoice."""
    known = {charge.id for charge in charges}
    captured = {id_of(one.payment_intent) for one in charges if one.charge_status is ChargeStatus.SUCCEEDED}
    for payment in payments_of(invoice):
        intent = payment.payment.payment_intent
        if intent is not None and payment.status == "open" and intent.id in captured:
            return False
        if intent is not None and payment.status == "paid" and id_of(intent.latest_charge) not in known:
            return False
    return True
