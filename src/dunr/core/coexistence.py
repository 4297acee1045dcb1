"""Two who collect: how we stand beside a processor that tries to collect an invoice by itself.

One debt has one collector. What the processor will do is read from each snapshot and never assumed: that it names no next try now does not mean that it has given
up. Once it was seen to try by itself, the case remembers how it stands beside that, until a policy that takes over says otherwise.
"""

import hashlib
from datetime import datetime

from dunr.core.policy import Policy
from dunr.core.snapshot import Snapshot
from dunr.core.terms import Coexistence
from dunr.core.value import Value

SHARE_DIGITS = 8
PERCENT = 100
LEFT = frozenset({Coexistence.OBSERVE, Coexistence.REFUSE})  # what is refused once its case is open is observed


class Beside(Value):
    """How a case stands beside the processor's own tries. `collects`: the processor may still charge the invoice by itself, as it was read last.

    `next_at` is the processor's own next try; None says that none is known, and no more. `step_number` counts its tries; `asked_count` how often it was asked to
    leave the invoice to us.
    """

    mode: Coexistence
    next_at: datetime | None
    collects: bool
    step_number: int = 1
    asked_count: int = 0

    @property
    def is_left(self) -> bool:
        """Whether the invoice is left to the processor: its own tries are the plan."""
        return self.mode in LEFT

    @property
    def charges_nothing(self) -> bool:
        """Whether nothing of ours may be sent."""
        return self.mode is not Coexistence.TAKE_OVER


def share_of(processor_customer_id: str) -> int:
    """Where a customer stands among a hundred, for ever: the first eight hexadecimal digits of the SHA-256 of their id, modulo 100."""
    digest = hashlib.sha256(processor_customer_id.encode()).hexdigest()
    return int(digest[:SHARE_DIGITS], 16) % PERCENT


def mode_of(policy: Policy, snapshot: Snapshot) -> Coexistence:
    """What the policy wants for this customer. Those outside the share that is taken over are observed, so that a merchant can compare."""
    if policy.coexistence is not Coexistence.TAKE_OVER:
        return policy.coexistence
    customer = snapshot.customer
    chosen = customer is not None and share_of(customer.processor_customer_id) < policy.take_over_percent
    return Coexistence.TAKE_OVER if chosen else Coexistence.OBSERVE


def beside_of(before: Beside | None, policy: Policy, snapshot: Snapshot) -> Beside | None:
    """How the case stands now; None where the processor was never seen to try by itself and nobody wants to be sure of it.

    What was taken over stays ours under whichever policy, as long as the processor leaves it alone: else nobody would collect it.
    """
    mode, next_at = mode_of(policy, snapshot), snapshot.processor_next_attempt_at
    collects = snapshot.collects_by_itself or next_at is not None
    if before is None:
        shares = (
            policy.coexistence is Coexistence.TAKE_OVER
        )  # then the processor's tries are on, whether one is planned already or not
        if next_at is None and mode is not Coexistence.TAKE_OVER and not (shares and collects):
            return None
        return Beside(mode, next_at, collects, asked_count=int(mode is Coexistence.TAKE_OVER and collects))
    if before.mode is Coexistence.TAKE_OVER and not collects:
        mode = Coexistence.TAKE_OVER
    was_asked = before.mode is Coexistence.TAKE_OVER and before.collects
    asks = mode is Coexistence.TAKE_OVER and collects and not was_asked
    return Beside(mode, next_at, collects, _step_number(before, next_at, snapshot.taken_at), before.asked_count + asks)


def _step_number(before: Beside, next_at: datetime | None, taken_at: datetime) -> int:
    """The number of the processor's own next try: a date that is moved before it has come is the same try."""
    if next_at is None or next_at == before.next_at:
        return before.step_number
    has_come = before.next_at is None or before.next_at <= taken_at
    return before.step_number + has_come
