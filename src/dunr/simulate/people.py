"""What people do by themselves: the customer pays by hand, clicks, changes the card; the merchant credits, voids, refunds; the bank disputes and returns."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

from dunr.core.snapshot import RawDecline
from dunr.core.terms import SLOW_RAILS, ChargeStatus, DisputeStatus, InvoiceStatus, SubscriptionStatus
from dunr.core.value import replace
from dunr.simulate.books import Card, Charge, Customer, Dispute, Invoice
from dunr.simulate.calls import Calls
from dunr.simulate.clock import Happenings, SimClock
from dunr.simulate.watching import Watch
from dunr.simulate.webhooks import Webhooks


class People:
    """Acts at the processor, on one invoice or one customer. Each tells the story and sends its webhook."""

    def __init__(
        self, rng: Random, clock: SimClock, happenings: Happenings, calls: Calls, webhooks: Webhooks, watch: Watch
    ) -> None:
        """Nobody has done anything."""
        self._rng = rng
        self._clock = clock
        self._happenings = happenings
        self._calls = calls
        self._webhooks = webhooks
        self._watch = watch
        self._serial = 0

    def acts(self) -> tuple[tuple[int, Callable[[Invoice], None]], ...]:
        """Every act with its weight."""
        return (
            (5, self.pays_by_hand), (3, self.pays_a_part), (5, self.changes_card), (1, self.loses_card), (1, self.starts_anew), (2, self.confirms_with_bank),
            (2, self.credits), (1, self.voids), (1, self.writes_off), (1, self.ends_subscription), (1, self.deletes_customer),
            (2, self.disputes), (3, self.returns_debit), (2, self.refunds), (1, self.processor_tries),
        )  # fmt: skip

    # --- the customer -----------------------------------------------------------------------------------------------------------

    def pays_by_hand(self, invoice: Invoice) -> None:
        """The customer pays what is due on the processor's own page."""
        if invoice.is_payable:
            self._pays(invoice, invoice.due_minor)

    def pays_a_part(self, invoice: Invoice) -> None:
        """The customer pays some of it."""
        if invoice.is_payable:
            self._pays(invoice, max(1, invoice.due_minor // 2))

    def _pays(self, invoice: Invoice, amount_minor: int) -> None:
        """A charge that is not ours."""
        self._watch.tell("customer", f"pays {amount_minor} of {invoice.id} by hand")
        charge = self._calls.new_charge(invoice, None, amount_minor, ChargeStatus.SUCCEEDED, None)
        self._calls.captured(invoice, charge)

    def changes_card(self, invoice: Invoice) -> None:
        """A new card becomes the default one; the old one may stay on file."""
        customer = invoice.customer
        if customer.shown.deleted:
            return
        self._serial += 1
        rail = customer.cards[0].method.rail if customer.cards else self._calls.default_rail
        declines = (RawDecline("card_declined", "do_not_honor"), RawDecline("card_declined", "stolen_card"))
        card = Card(f"{customer.id}_{self._serial}", rail, 0.7, declines)
        if customer.cards and self._rng.random() < 0.3:  # noqa: PLR2004  # the same card with a new expiry
            old = customer.cards[0]
            card.method = replace(old.method, expires_on=f"20{30 + self._serial}-01")
            customer.cards = [card, *customer.cards[1:]]
        else:
            customer.cards = [card, *customer.cards] if self._rng.random() < 0.5 else [card]  # noqa: PLR2004
        self._watch.tell("customer", f"puts {card.method.credential} on file")
        customer.touch()
        self._webhooks.send("customer.updated", None, customer, wide=True)

    def starts_anew(self, invoice: Invoice) -> None:
        """The customer starts another subscription with a new card instead of paying; the card becomes the default one."""
        customer = invoice.customer
        if customer.shown.deleted:
            return
        self._serial += 1
        card = Card(
            f"{customer.id}_{self._serial}",
            self._calls.default_rail,
            0.9,
            (RawDecline("card_declined", "do_not_honor"),),
        )
        card.method = replace(card.method, came_with_subscription_id=f"sub_anew_{self._serial}")
        customer.cards = [card, *customer.cards]
        self._watch.tell("customer", f"starts another subscription with {card.method.credential}")
        customer.touch()
        self._webhooks.send("customer.updated", None, customer, wide=True)

    def loses_card(self, invoice: Invoice) -> None:
        """Nothing is on file any more."""
        customer = invoice.customer
        customer.cards = []
        self._watch.tell("customer", "removes every payment method")
        customer.touch()
        self._webhooks.send("payment_method.detached", None, customer, wide=True)

    def confirms_with_bank(self, invoice: Invoice) -> None:
        """The customer confirms a payment that waited for that; it succeeds under its own key."""
        for charge in list(invoice.charges):
            intent = charge.intent_id
            if intent is None or intent in self._calls.cancelled_intents or charge.status is not ChargeStatus.DECLINED:
                continue
            self._calls.cancelled_intents.add(intent)
            self._watch.tell("customer", f"confirms {intent} with the bank")
            amount_minor = min(charge.amount_minor, max(1, invoice.due_minor))
            done = self._calls.new_charge(invoice, charge.key, amount_minor, ChargeStatus.SUCCEEDED, charge.card_key)
            done.intent_id = intent
            self._calls.captured(invoice, done)
            return

    # --- the merchant -----------------------------------------------------------------------------------------------------------

    def credits(self, invoice: Invoice) -> None:
        """A part of the debt is forgiven."""
        if not invoice.is_payable:
            return
        amount_minor = invoice.due_minor if self._rng.random() < 0.2 else max(1, invoice.due_minor // 3)  # noqa: PLR2004
        self._watch.tell("merchant", f"credits {amount_minor} of {invoice.id}")
        invoice.credits.append((self._clock.instant, amount_minor))
        invoice.changed(self._clock.instant)
        self._webhooks.send("invoice.updated", invoice, invoice.customer)

    def _closes(self, invoice: Invoice, status: InvoiceStatus, word: str) -> None:
        """Nothing more is collected for an open invoice."""
        if invoice.status is InvoiceStatus.OPEN:
            self._watch.tell("merchant", f"{word} {invoice.id}")
            invoice.status = status
            invoice.changed(self._clock.instant)
            self._webhooks.send(f"invoice.{status}", invoice, invoice.customer)

    def voids(self, invoice: Invoice) -> None:
        """The invoice was wrong."""
        self._closes(invoice, InvoiceStatus.VOID, "voids")

    def writes_off(self, invoice: Invoice) -> None:
        """The debt is given up."""
        self._closes(invoice, InvoiceStatus.WRITTEN_OFF, "writes off")

    def ends_subscription(self, invoice: Invoice) -> None:
        """The subscription is cancelled; its invoice stays."""
        subscription = invoice.subscription
        if subscription.shown.status is SubscriptionStatus.ENDED:
            return
        self._watch.tell("merchant", f"ends {subscription.id}")
        subscription.shown = replace(subscription.shown, status=SubscriptionStatus.ENDED)
        invoice.customer.touch()
        self._webhooks.send("customer.subscription.deleted", invoice, invoice.customer)

    def deletes_customer(self, invoice: Invoice) -> None:
        """The customer is gone."""
        customer = invoice.customer
        customer.shown = replace(customer.shown, deleted=True)
        self._watch.tell("merchant", f"deletes {customer.id}")
        customer.touch()
        self._webhooks.send("customer.deleted", None, customer, wide=True)

    def refunds(self, invoice: Invoice) -> None:
        """A payment goes back to the customer, all or part of it; the invoice stays paid."""
        charge = self._a_payment(invoice)
        if charge is None or charge.refunded_minor >= charge.amount_minor:
            return
        rest_minor = charge.amount_minor - charge.refunded_minor
        charge.refunded_minor += rest_minor if self._rng.random() < 0.5 else max(1, rest_minor // 2)  # noqa: PLR2004
        self._watch.tell("merchant", f"has refunded {charge.refunded_minor} of {charge.id}")
        invoice.kept = None
        self._webhooks.send("charge.refunded", invoice, invoice.customer)

    # --- banks and the processor ------------------------------------------------------------------------------------------------

    def _a_payment(self, invoice: Invoice) -> Charge | None:
        """One of the captured charges."""
        paid = [charge for charge in invoice.charges if charge.status is ChargeStatus.SUCCEEDED]
        return self._rng.choice(paid) if paid else None

    def disputes(self, invoice: Invoice) -> None:
        """The card holder disputes a payment; the bank decides days later."""
        charge = self._a_payment(invoice)
        if charge is None or charge.card_key is None or any(d.charge is charge for d in invoice.customer.disputes):
            return
        dispute = Dispute(f"dp_{charge.id}", charge, invoice.id)
        invoice.customer.disputes.append(dispute)
        self._watch.tell("bank", f"{charge.id} is disputed")
        self._told_of_dispute(invoice.customer)
        days = timedelta(days=self._rng.choice((1, 9)))
        self._happenings.at(self._clock.instant + days, lambda: self._decides(dispute, invoice.customer))

    def _decides(self, dispute: Dispute, customer: Customer) -> None:
        """The dispute ends."""
        dispute.status = self._rng.choice((DisputeStatus.WON, DisputeStatus.LOST, DisputeStatus.WARNING_CLOSED))
        dispute.reinstated = dispute.status is DisputeStatus.WON
        self._watch.tell("bank", f"{dispute.id} is {dispute.status}")
        self._told_of_dispute(customer)

    def _told_of_dispute(self, customer: Customer) -> None:
        """A dispute concerns every open case of the payer."""
        customer.touch()
        for invoice in customer.invoices:
            self._webhooks.send("charge.dispute", invoice, customer, wide=True)

    def returns_debit(self, invoice: Invoice) -> None:
        """A bank debit comes back after it had succeeded."""
        for charge in invoice.charges:
            card = next((c for c in invoice.customer.cards if c.method.card_key == charge.card_key), None)
            slow = card is not None and card.method.rail in SLOW_RAILS
            if slow and charge.status is ChargeStatus.SUCCEEDED and not charge.refunded_minor:
                charge.status = ChargeStatus.RETURNED
                charge.return_code = self._rng.choice(("insufficient_funds", "account_closed"))
                charge.decline = RawDecline(charge.return_code, charge.return_code)
                self._watch.tell("bank", f"{charge.id} comes back: {charge.return_code}")
                invoice.changed(self._clock.instant)
                self._webhooks.send("charge.failed", invoice, invoice.customer)
                return

    def processor_tries(self, invoice: Invoice) -> None:
        """The processor tries by itself, once, and fails."""
        if invoice.is_payable:
            self._calls.first_charge_fails(invoice, RawDecline("card_declined", "insufficient_funds"))
