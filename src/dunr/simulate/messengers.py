"""The mail server and the merchant of a world: they keep what they were told, and fail by the weather."""

from collections.abc import Sequence
from datetime import datetime
from random import Random

from dunr.core.alerting import AlertWord
from dunr.core.effects import Notice, Publish, PublishCharge
from dunr.core.model import Payer
from dunr.ports import Delivery
from dunr.simulate.turns import Turns
from dunr.simulate.watching import Watch
from dunr.simulate.weather import Weather


class SimMailer:
    """Implements `Mailer`: keeps what left, and fails by the weather."""

    def __init__(self, rng: Random, turns: Turns, watch: Watch, weather: Weather) -> None:
        """Nothing has left."""
        self._rng = rng
        self._turns = turns
        self._watch = watch
        self.weather = weather

    def send(self, notice: Notice, payer: Payer, policy_timezone: str, also: Sequence[Notice] = ()) -> Delivery:
        self._turns.port_call()
        delivery = Delivery.SENT
        if self.weather.mail_failure_rate and self._rng.random() < self.weather.mail_failure_rate:
            troubles = (Delivery.FAILED_FOR_NOW, Delivery.FAILED_FOR_NOW, Delivery.MAYBE_SENT, Delivery.UNDELIVERABLE)
            delivery = self._rng.choice(troubles)
        for one in (notice, *also):
            self._watch.mailed(one, delivery)
        return delivery


class SimPublisher:
    """Implements `Publisher`: keeps what was told, and fails by the weather."""

    def __init__(self, rng: Random, turns: Turns, watch: Watch, weather: Weather) -> None:
        """Nothing was told."""
        self._rng = rng
        self._turns = turns
        self._watch = watch
        self.weather = weather

    def publish(self, message: Publish) -> Delivery:
        self._turns.port_call()
        if self.weather.merchant_failure_rate and self._rng.random() < self.weather.merchant_failure_rate:
            return Delivery.FAILED_FOR_NOW
        self._watch.published(message)
        return Delivery.SENT

    def publish_charge(self, message: PublishCharge) -> Delivery:
        self._turns.port_call()
        if self.weather.merchant_failure_rate and self._rng.random() < self.weather.merchant_failure_rate:
            return Delivery.FAILED_FOR_NOW
        self._watch.tell("dunr", f"tells the merchant that {message.processor_invoice_id} is {message.end}")
        return Delivery.SENT

    def notice_due(self, notice: Notice, customer_id: str | None, now: datetime) -> Delivery:
        raise AssertionError("the worlds' notices go by mail")

    def alert(self, word: AlertWord) -> Delivery:
        self._turns.port_call()
        if self.weather.merchant_failure_rate and self._rng.random() < self.weather.merchant_failure_rate:
            return Delivery.FAILED_FOR_NOW
        for alert in word.alerts:
            self._watch.alerted(alert)
        return Delivery.SENT
