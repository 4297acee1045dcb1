"""Finding the cards that expire soon, and looking once more before their holders are written to.

The daily sweep finds them, where the policy in force asks for that and the processor can list them. One notice per card and expiry, however often it is found.
"""

from collections.abc import Iterator

from dunr.core import expiring, keys
from dunr.core.decision import Decision
from dunr.core.effects import Notice
from dunr.core.expiring import ExpiringCard
from dunr.core.facts import Capability
from dunr.core.model import Case
from dunr.core.policy import Policy
from dunr.engine import Engine
from dunr.ports import Change, Refs, Rows

NOTHING_READ = Rows(None, None, None, None)


class ExpiryNotices:
    """Cards that expire soon, by the eyes of one engine."""

    def __init__(self, engine: Engine) -> None:
        """Keep the engine; nothing is asked yet."""
        self._engine = engine
        self._store = engine.store

    def record_due(self, processor: str, account: str) -> int:
        """Have a notice recorded for each card that expires soon; how many cards there are. Raises `SnapshotUnavailable`."""
        count = 0
        policy = self.policy(processor)
        for card in self._soon(processor, account, policy, None):
            if not expiring.is_dunned(card, self._cases(processor, account, card)):
                count += 1
                self._record(
                    expiring.notice_of(processor, account, card, policy, self._engine.facts, self._engine.clock.now())
                )
        return count

    def policy(self, processor: str) -> Policy:
        """The policy that says whether and when."""
        return self._engine.parts.rulebook.policy_for_new_case(processor, None).policy

    def as_it_stands(self, notice: Notice) -> ExpiringCard | None:
        """The card of a notice, where what it says is still true and still to be said. Raises `SnapshotUnavailable`."""
        told = notice.card
        assert told is not None, "a notice about a card names it"
        processor, account, _ = notice.case_id.split(":", 2)
        cards = self._soon(processor, account, self.policy(processor), told.processor_customer_id)
        card = next((one for one in cards if expiring.is_same(one, notice)), None)
        if card is None or expiring.is_dunned(card, self._cases(processor, account, card)):
            return None
        return card

    def _soon(self, processor: str, account: str, policy: Policy, customer_id: str | None) -> Iterator[ExpiringCard]:
        """The cards that expire within the policy's days; of one customer, where one is named."""
        there, now = self._engine.parts.processors[processor], self._engine.clock.now()
        if not policy.card_expiring_notice_days or Capability.LIST_EXPIRING not in there.facts.capabilities:
            return
        for card in there.list_expiring(account, expiring.last_month(policy, now), customer_id):
            if expiring.is_soon(card, policy, now):
                yield card

    def _cases(self, processor: str, account: str, card: ExpiringCard) -> Iterator[Case]:
        """The customer's open cases."""
        for case_id in self._store.cases_of(keys.row_id(processor, account, card.processor_customer_id)):
            case = self._store.load(case_id, Refs()).case
            if case is not None:
                yield case

    def _record(self, notice: Notice) -> None:
        """Once, under its key."""
        assert notice.card is not None, "a notice about a card names it"
        because = f"the card {notice.card.credential} expires in {notice.card.expires_on}"
        self._store.commit((Change(NOTHING_READ, Decision((because,), effects=(notice,))),))
