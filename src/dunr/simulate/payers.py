"""Who owes in a world, by which card, for what, and when the first charge of each invoice fails."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

from dunr.core.snapshot import RawDecline
from dunr.core.terms import Rail
from dunr.core.value import replace
from dunr.simulate.books import Card, Customer, Invoice, SimSubscription
from dunr.simulate.calls import AUTHENTICATION, Calls
from dunr.simulate.clock import WORLD_BEGINS_AT, Happenings, SimClock
from dunr.simulate.watching import Watch
from dunr.simulate.weather import Weather

NO_MAIL_RATE = 0.05
OWN_SUBSCRIPTION_RATE = 0.5
AGREED_RATE = 0.8
CODES = (
    "insufficient_funds",
    "insufficient_funds",
    "do_not_honor",
    "do_not_honor",
    "generic_decline",
    "stolen_card",
    "mystery_code",
)
DECLINES = (
    *(RawDecline("card_declined", code) for code in CODES), RawDecline("expired_card", "expired_card"), AUTHENTICATION,
)  # fmt: skip


class Payers:
    """Brings customers into a world."""

    def __init__(self, rng: Random, clock: SimClock, happenings: Happenings, calls: Calls, watch: Watch) -> None:
        """Nobody is there yet."""
        self._rng = rng
        self._clock = clock
        self._happenings = happenings
        self._calls = calls
        self._watch = watch

    def arrive(self, weather: Weather, subscriptions: dict[str, SimSubscription]) -> None:
        """A customer with a card that declines, one to three invoices on it, and one or more subscriptions."""
        rng, now = self._rng, WORLD_BEGINS_AT
        rail = rng.choice((Rail.ACH, Rail.SEPA)) if weather.debit else Rail.CARD
        self._calls.default_rail = rail
        declines = tuple(rng.choice(DECLINES) for _ in range(rng.choice((1, 1, 2, 3))))
        card = Card("first", rail, rng.choice((0.0, 0.1, 0.3, 0.5)), declines)
        card.method = replace(card.method, is_network_token=weather.token and rail is Rail.CARD)
        customer = Customer("cus_1", None if rng.random() < NO_MAIL_RATE else "ada@example.com", [card])
        customer.cards += [self._backup(number, rail, declines) for number in range(1, 1 + weather.backups_count)]
        for number in range(1, 1 + rng.choice((1, 1, 2, 2, 3))):
            if number == 1 or rng.random() < OWN_SUBSCRIPTION_RATE:  # else the next period of the same subscription
                subscription = SimSubscription(f"sub_{number}")
                subscriptions[subscription.id] = subscription
                customer.subscriptions.append(subscription)
            at = now if number == 1 else now + timedelta(hours=rng.choice((0, 1, 30, 200)))
            self._happenings.at(at, self._failing(number, customer, customer.subscriptions[-1], rng.choice(declines)))

    def _backup(self, number: int, rail: Rail, declines: tuple[RawDecline, ...]) -> Card:
        """Another card on file, which may mostly be charged when the first one fails."""
        card = Card(f"backup_{number}", rail, self._rng.choice((0.0, 0.3, 0.6)), declines)
        card.method = replace(card.method, is_backup=self._rng.random() < AGREED_RATE)
        return card

    def _failing(
        self, number: int, customer: Customer, subscription: SimSubscription, raw: RawDecline
    ) -> Callable[[], None]:
        """The first charge of an invoice, which fails."""

        def fail() -> None:
            total_minor = self._rng.choice((4_900, 1_000, 60, 12_345))
            invoice = Invoice(f"in_{number}", customer, subscription, total_minor, self._clock.instant)
            self._calls.invoices[invoice.id] = invoice
            charged = f"{invoice.id} over {total_minor} of {subscription.id} is charged for the first time"
            self._watch.tell("processor", charged)
            self._calls.first_charge_fails(invoice, raw)

        return fail
