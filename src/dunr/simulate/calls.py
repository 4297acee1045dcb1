"""What the processor does with a charge request: keys with a lifetime, lost requests and answers, late bookings, busy moments, the card's own answer."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from dunr.core.answers import ChargeAnswer, Declined, NotNow, Paid, Pending, Refused, RefusedKind, Unanswered
from dunr.core.snapshot import RawDecline
from dunr.core.terms import SLOW_RAILS, ChargeStatus, InvoiceStatus, Rail
from dunr.ports import ChargeRequest
from dunr.simulate.books import Card, Charge, Invoice
from dunr.simulate.clock import Happenings, SimClock
from dunr.simulate.turns import Turns
from dunr.simulate.watching import Watch
from dunr.simulate.weather import Weather
from dunr.simulate.webhooks import Webhooks

KEY_LIFETIME = timedelta(hours=24)
TIME_OUT_SECONDS = 30.0
FROZEN_BEFORE_SEND_SECONDS_MAX = 320  # with LATE_SECONDS it stays below `settle_after`: the network has a bound, too
LATE_SECONDS = (31, 45, 120, 400, 540)
SLOW_SECONDS = (0.2, 2.0, 8.0)
TROUBLE_COMES_TOGETHER_RATE = 0.3  # a busy processor goes down
DEBIT_SECONDS = (3_600, 100_000, 300_000)
AUTHENTICATION = RawDecline("authentication_required", "authentication_required")


@dataclass(slots=True)
class KeyRecord:
    """What the processor remembers of an idempotency key; no answer while the first request with it still runs."""

    request: ChargeRequest
    at: datetime
    answer: ChargeAnswer | None = None


class Calls:
    """The charge endpoint."""

    def __init__(
        self, rng: Random, clock: SimClock, happenings: Happenings, turns: Turns, webhooks: Webhooks, watch: Watch
    ) -> None:
        """No call was made yet."""
        self._rng = rng
        self._clock = clock
        self._happenings = happenings
        self._turns = turns
        self._webhooks = webhooks
        self._watch = watch
        self.weather: Weather = webhooks.weather
        self.invoices: dict[str, Invoice] = {}
        self.keys: dict[str, KeyRecord] = {}
        self.cancelled_intents: set[str] = set()
        self.outages: list[tuple[datetime, datetime]] = []
        self.default_rail = Rail.CARD
        self.revoked = False
        self._serial = 0

    def charge(self, request: ChargeRequest) -> ChargeAnswer:
        """One request on its way, from our last look at the clock to the answer, if one comes."""
        entered_at, task = self._clock.instant, self._turns.current
        if task is not None:
            task.freeze_seconds_max = FROZEN_BEFORE_SEND_SECONDS_MAX
        self._turns.port_call()
        if task is not None:
            task.freeze_seconds_max = None
        weather, rng = self.weather, self._rng
        holder = task.holder if task is not None else ""
        self._watch.sent(request, self.invoices[request.processor_invoice_id], entered_at, holder)
        if weather.lost_request_rate and rng.random() < weather.lost_request_rate:
            self._watch.tell("network", f"the request {request.key} is lost on its way")
            self._turns.sleep(rng.choice((0, TIME_OUT_SECONDS)))
            return Unanswered("time-out")
        answer = self._take(request)
        if answer is None or (weather.lost_answer_rate and rng.random() < weather.lost_answer_rate):
            self._watch.tell("network", f"no answer to {request.key} in time")
            self._turns.sleep(rng.choice((0, TIME_OUT_SECONDS)) if answer is not None else TIME_OUT_SECONDS)
            return Unanswered("time-out")
        if weather.slow_rate and rng.random() < weather.slow_rate:
            self._turns.sleep(rng.choice(SLOW_SECONDS))
        self._turns.perilous_moment()
        return answer

    def _take(self, request: ChargeRequest) -> ChargeAnswer | None:
        """The processor has the request: the answer, or None where it comes too late for the caller."""
        now, weather, rng = self._clock.instant, self.weather, self._rng
        known = self.keys.get(request.key)
        if self.revoked:
            return Refused(RefusedKind.KEY_REVOKED, "api_key_expired")
        if weather.busy_rate and rng.random() < weather.busy_rate:
            if weather.outages_count and rng.random() < TROUBLE_COMES_TOGETHER_RATE:
                self.outages.append((now, now + timedelta(hours=rng.choice((1, 11, 14, 40)))))
            return NotNow("rate_limit", rng.choice((None, 1, 60)))
        if known is not None and now - known.at < KEY_LIFETIME:
            if known.request != request:
                return Refused(RefusedKind.IDEMPOTENCY_KEY_REUSED, "idempotency_error")
            return known.answer if known.answer is not None else NotNow("idempotency_key_in_use")
        refused = self._refused(request)
        if refused is not None:
            return refused
        record = self.keys[request.key] = KeyRecord(request, now)
        if weather.late_rate and rng.random() < weather.late_rate:
            at = now + timedelta(seconds=rng.choice(LATE_SECONDS))
            self._happenings.at(at, lambda: self._execute(record))
            return None
        self._execute(record)
        return record.answer

    def _refused(self, request: ChargeRequest) -> Refused | None:
        """A request that the processor does not begin."""
        invoice = self.invoices[request.processor_invoice_id]
        if self.weather.bad_request_rate and self._rng.random() < self.weather.bad_request_rate:
            return Refused(RefusedKind.BAD_REQUEST, "parameter_invalid")
        if self.weather.guard and not invoice.is_payable:
            return Refused(RefusedKind.NOT_PAYABLE, "invoice_not_payable")
        if self._card(invoice, request) is None:
            return Refused(RefusedKind.NOT_FOUND, "resource_missing")
        return None

    def _card(self, invoice: Invoice, request: ChargeRequest) -> Card | None:
        """The card that the request names, if it is on file."""
        return next(
            (c for c in invoice.customer.cards if c.method.processor_method_id == request.processor_method_id), None
        )

    def has_begun(self, key: str) -> bool:
        """Whether a request with this key moves money, has moved some or was declined; one that was refused has not begun."""
        record = self.keys.get(key)
        return record is not None and not isinstance(record.answer, Refused)

    # --- what becomes of it -----------------------------------------------------------------------------------------------------

    def new_charge(
        self, invoice: Invoice, key: str | None, amount_minor: int, status: ChargeStatus, card_key: str | None
    ) -> Charge:
        """Write a charge down."""
        self._serial += 1
        charge = Charge(f"ch_{self._serial}", key, amount_minor, status, self._clock.instant, card_key)
        invoice.charges.append(charge)
        invoice.kept = None
        return charge

    def _execute(self, record: KeyRecord) -> None:
        """Ask the card, and keep the answer under the key."""
        request, invoice = record.request, self.invoices[record.request.processor_invoice_id]
        if self.weather.guard and not invoice.is_payable:
            record.answer = Refused(RefusedKind.NOT_PAYABLE, "invoice_not_payable")
            return
        card = self._card(invoice, request)
        if card is None:
            record.answer = Refused(RefusedKind.NOT_FOUND, "resource_missing")
            return
        card_key = card.method.card_key
        if card.method.rail in SLOW_RAILS:
            charge = self.new_charge(invoice, request.key, request.amount_minor, ChargeStatus.PENDING, card_key)
            seconds = self._rng.choice(DEBIT_SECONDS)
            self._happenings.at(
                self._clock.instant + timedelta(seconds=seconds), lambda: self._settle_debit(invoice, charge, card)
            )
            record.answer = Pending(charge.id)
            self._watch.tell("processor", f"{charge.id} ({request.key}) is pending")
        elif self._rng.random() < card.yes_rate:
            amount_minor = request.amount_minor
            if self.weather.partial_rate and self._rng.random() < self.weather.partial_rate:
                amount_minor = max(1, amount_minor // 3)
            charge = self.new_charge(invoice, request.key, amount_minor, ChargeStatus.SUCCEEDED, card_key)
            record.answer = Paid(charge.id, amount_minor, charge.at)
            self.captured(invoice, charge)
        else:
            charge = self.new_charge(invoice, request.key, request.amount_minor, ChargeStatus.DECLINED, card_key)
            self._decline(invoice, charge, self._rng.choice(card.declines))
            assert charge.decline is not None
            record.answer = Declined(charge.id, charge.decline, charge.at, charge.intent_id)

    def captured(self, invoice: Invoice, charge: Charge) -> None:
        """Money has moved."""
        invoice.changed(self._clock.instant)
        self._watch.captured(invoice, charge)
        self._webhooks.send("invoice.paid" if not invoice.due_minor else "charge.succeeded", invoice, invoice.customer)

    def _decline(self, invoice: Invoice, charge: Charge, raw: RawDecline) -> None:
        """The issuer says no."""
        charge.status, charge.decline = ChargeStatus.DECLINED, raw
        if raw == AUTHENTICATION:
            charge.intent_id = f"pi_{charge.id}"
        invoice.kept = None
        self._watch.tell(
            "processor", f"{charge.id} ({charge.key or 'not ours'}) declined: {raw.decline_code or raw.code}"
        )
        self._webhooks.send("invoice.payment_failed", invoice, invoice.customer)

    def first_charge_fails(self, invoice: Invoice, raw: RawDecline) -> None:
        """The processor's own charge of a new invoice is declined: attempt 0."""
        card_key = invoice.customer.cards[0].method.card_key if invoice.customer.cards else None
        charge = self.new_charge(invoice, None, invoice.due_minor, ChargeStatus.DECLINED, card_key)
        self._decline(invoice, charge, raw)

    def _settle_debit(self, invoice: Invoice, charge: Charge, card: Card) -> None:
        """A pending debit comes true, or not."""
        if self._rng.random() < card.yes_rate and invoice.status is not InvoiceStatus.DRAFT:
            charge.status = ChargeStatus.SUCCEEDED
            self.captured(invoice, charge)
        else:
            self._decline(invoice, charge, self._rng.choice(card.declines))
