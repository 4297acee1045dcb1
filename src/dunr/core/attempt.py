"""One try at one charge: the exact request, who began it and why, and what became of it."""

from datetime import datetime

from dunr.core.answers import RefusedKind
from dunr.core.snapshot import UnknownCodes
from dunr.core.terms import SPENDS_STEP, UNSETTLED, DeclineReason, InFlightAction, Outcome, Rail, Trigger
from dunr.core.value import Value


class MethodRef(Value):
    """The payment method of one request: its id at the processor, its card key, its credential, its rail and its network."""

    processor_method_id: str
    card_key: str
    credential: str
    rail: Rail
    network: str | None = None


class Attempt(Value):
    """One try at one charge. Number 0 is the first charge: the processor made it, and it failed; or it is ours, and its trigger says so.

    `key`, `amount_minor`, `currency` and `method` are the exact request; every call of the attempt sends precisely these.
    `outcome` is None from the intent until something is known.
    """

    number: int
    round: int
    trigger: Trigger
    step_number: int | None
    after_reason: DeclineReason | None  # the decline that this attempt answers
    key: str
    amount_minor: int
    currency: str
    method: MethodRef | None
    begun_at: datetime
    fence: int
    taken_over: bool = False  # an earlier fence may have sent it: never withdrawn by the gate
    call_count: int = 0
    last_called_at: datetime | None = None
    outcome: Outcome | None = None
    reason: DeclineReason | None = None
    raw_code: str | None = None
    refused: RefusedKind | None = None
    processor_charge_id: str | None = None
    processor_intent_id: str | None = None
    next_action: InFlightAction = InFlightAction.LOOK_UP
    next_action_at: datetime | None = None
    look_up_count: int = 0
    unknown_since_at: datetime | None = None
    alerted: bool = False
    settled_at: datetime | None = None
    captured_minor: int = 0
    unknown_codes: UnknownCodes | None = None
    allowed_by: str | None = None  # the rule that left the least room when it began, and how many attempts more it left
    left_count: int | None = None
    unanswered_steps_count: int = 0  # steps that calls of this attempt have spent without an answer
    counted_from_at: datetime | None = None  # since its last call had no answer: what the coming steps are counted from

    @property
    def spends_step(self) -> bool:
        """Whether its end spends a step: a step began it, or one of its calls was made on one, and no call without an answer has spent that one already."""
        if self.counted_from_at is not None:
            return False
        return self.trigger in SPENDS_STEP or (self.trigger is Trigger.RENEWAL and self.step_number is not None)

    @property
    def is_in_flight(self) -> bool:
        """Whether its fate is still open."""
        return self.outcome is None or self.outcome in UNSETTLED
