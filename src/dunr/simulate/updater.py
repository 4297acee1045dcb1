"""The card networks' updater as the simulated processor offers it: some cards have been reissued, most have not, and sometimes its answer is lost."""

from random import Random

from dunr.core.answers import Missed, RefreshAnswer, Refreshed
from dunr.core.value import replace
from dunr.ports import SnapshotUnavailable
from dunr.simulate.books import Card, Customer, Invoice
from dunr.simulate.watching import Watch
from dunr.simulate.weather import Weather
from dunr.simulate.webhooks import Webhooks

YES_RATE_OF_A_NEW_CARD = 0.7
NEW_NUMBER_RATE = 0.5
CLOSED_RATE = 0.3


class SimUpdater:
    """Renews cards where they stand: the method keeps its id."""

    def __init__(self, rng: Random, invoices: dict[str, Invoice], webhooks: Webhooks, watch: Watch) -> None:
        """Nobody has asked."""
        self._rng = rng
        self._invoices = invoices
        self._webhooks = webhooks
        self._watch = watch
        self._serial = 0

    def refresh(self, processor_method_id: str, weather: Weather) -> RefreshAnswer:
        """One request. Raises `SnapshotUnavailable` where the answer is lost, which does not mean that nothing was renewed."""
        found = self._find(processor_method_id)
        if found is None:
            return Missed("the method is gone")
        customer, card = found
        if card.method.is_network_token and self._rng.random() < YES_RATE_OF_A_NEW_CARD:
            return Refreshed(card.method, cryptogram=True)
        if self._rng.random() >= weather.updater_hit_rate:
            return Missed("the account is closed") if self._rng.random() < CLOSED_RATE else Refreshed(card.method)
        self._renew(customer, card)
        if weather.lost_answer_rate and self._rng.random() < weather.lost_answer_rate:
            raise SnapshotUnavailable("the updater's answer is lost")
        return Refreshed(card.method)

    def _find(self, processor_method_id: str) -> tuple[Customer, Card] | None:
        for customer in {id(one.customer): one.customer for one in self._invoices.values()}.values():
            for card in customer.cards:
                if card.method.processor_method_id == processor_method_id:
                    return customer, card
        return None

    def _renew(self, customer: Customer, card: Card) -> None:
        """The bank has issued a newer card."""
        self._serial += 1
        number = f"fp_new_{self._serial}" if self._rng.random() < NEW_NUMBER_RATE else card.method.fingerprint
        card.method = replace(card.method, fingerprint=number, expires_on=f"20{40 + self._serial}-01")
        card.yes_rate = YES_RATE_OF_A_NEW_CARD
        self._watch.tell("updater", f"{card.method.processor_method_id} stands for {card.method.credential} now")
        customer.touch()
        self._webhooks.send("payment_method.updated", None, customer, wide=True)
