"""The four rows that share one transaction, and what hangs on them.

Every store can change four rows together on condition of the versions that were read: the **case** (one invoice from its first failed charge to its
end), the **subscription** (access), the **method** (one card, by its card key) and the **customer** (who owes what, and the card run).
Everything that a decision needs to be right is in these rows; the insert-only rows beside them are history.

All rows are immutable values. `version` is 0 for a row that no store has seen yet, and the store raises it by one with each commit.
Ids are strings `processor:account:foreign id`; instants are aware UTC; money is in minor units.
"""

from datetime import datetime, timedelta

from dunr.core.attempt import Attempt, MethodRef
from dunr.core.coexistence import Beside
from dunr.core.disputed import KnownDispute
from dunr.core.method_notes import MethodNotes
from dunr.core.rules import Avoided
from dunr.core.sends import Forgotten, Lease, Send
from dunr.core.terms import (
    Access,
    CaseState,
    CloseReason,
    DeclineReason,
    FinalAction,
    HoldKind,
    SubscriptionStatus,
)
from dunr.core.value import Value


class Hold(Value):
    """A reason to send nothing. `until_at` None means until a person or an event releases it. `ref` tells holds of one kind apart."""

    kind: HoldKind
    ref: str
    why: str
    since_at: datetime
    until_at: datetime | None


class PlannedStep(Value):
    """One coming step: its number, when it is due, why then, and the date that the customer was told (None: nobody told)."""

    number: int
    at: datetime
    why: tuple[str, ...]
    told_at: datetime | None = None
    deferred_by: str | None = None  # the network's rule that put it off
    spread_seconds: int = 0  # so long after its date its attempt begins, so that not all begin at once

    @property
    def begins_at(self) -> datetime:
        """When its attempt is due."""
        return self.at + timedelta(seconds=self.spread_seconds) if self.spread_seconds else self.at


class Plan(Value):
    """The computed dates of a case that are still to come."""

    steps: tuple[PlannedStep, ...] = ()
    pause_at: datetime | None = None
    pause_why: tuple[str, ...] = ()

    @property
    def next_step(self) -> PlannedStep | None:
        """The step that is due next, or None where nothing is to be tried."""
        return self.steps[0] if self.steps else None


class Case(Value):
    """One invoice from its first failed charge to recovered, exhausted or closed. Its id is for ever; a reopening raises `round`.

    Where we make the first charge ourselves, the case opens when that is due, and `first_failed_at` is that instant until it has failed.
    """

    id: str
    version: int
    processor: str
    account: str
    processor_invoice_id: str
    subscription_id: str | None
    customer_id: str | None
    state: CaseState
    round: int
    opened_at: datetime
    first_failed_at: datetime
    currency: str
    amount_total_minor: int
    amount_due_minor: int
    policy_hash: str
    seen_at: datetime  # `taken_at` of the newest snapshot whose statements were applied, or our own later knowledge
    policy_next_hash: str | None = None  # an operator's wish that waits until the attempt in flight is settled
    closed_because: CloseReason | None = None
    ended_at: datetime | None = None  # when it was recovered, exhausted or closed last
    attempts: tuple[Attempt, ...] = ()
    attempt_number_last: int = 0
    steps_spent_count: int = 0  # in this round
    step_attempts_count: int = 0  # over all rounds
    deciding_reason: DeclineReason | None = None
    issuer_wait_until_at: datetime | None = None  # stated by the bank or its network for the credential tried last
    holds: tuple[Hold, ...] = ()
    foreign_charge_ids: tuple[str, ...] = ()
    returned_charge_ids: tuple[str, ...] = ()
    refunded: tuple[tuple[str, int], ...] = ()  # charge id, amount refunded so far
    disputes: tuple[KnownDispute, ...] = ()
    returned_unseen_minor: int = 0  # of what the payer's bank took back, what the processor still calls paid
    credited_minor: int = 0
    captured_minor: int = 0
    overpaid_minor: int = 0
    avoided: tuple[Avoided, ...] = ()  # what network rules kept from being sent, a row for each rule
    written_off_minor: int = 0  # of the debt that was given up, what may still come late
    is_delinquent: bool = False  # the receivable stands in the delinquent account
    credentials_tried: tuple[str, ...] = ()
    waiting_method: MethodRef | None = None  # one slot: the newest credential that waits for its turn
    turn_at: datetime | None = None  # when the waiting credential may try again, where it is this case's turn
    uncancelled_intent_id: str | None = None
    method_notes: MethodNotes = MethodNotes()
    plan: Plan = Plan()
    deadline_at: datetime | None = None  # set by an operator; replaces the policy's
    access: Access = Access.GRACE  # what this case contributes to the access of its subscription
    paused_at: datetime | None = None
    warned_at: datetime | None = None
    not_before_at: datetime | None = None  # wait this long before looking at the case again
    look_failing_since_at: datetime | None = None  # the processor could not be read since then
    promise_at: datetime | None = None  # the next attempt keeps a promise, and spends no step
    promises_count: int = 0  # by the customer, in this round
    reminders_stopped: bool = False  # by the customer; a warning, the pause and a receipt are told anyway
    wake_at: datetime | None = None  # when the case next wants attention; derived, the stores index it
    beside: Beside | None = None  # the processor's own tries; None: it was not seen to make any
    charge_due_at: datetime | None = None  # where we make the first charge ourselves: since when it is due
    has_failed: bool = True  # False until a first charge of our own has failed
    audit_head: str = ""
    audit_count: int = 0

    @property
    def is_open(self) -> bool:
        """Neither recovered nor closed."""
        state = self.state
        return state is not CaseState.RECOVERED and state is not CaseState.CLOSED

    @property
    def in_flight(self) -> Attempt | None:
        """The attempt whose fate is not known yet; there is at most one, and it is the newest."""
        if self.attempts and self.attempts[-1].is_in_flight:
            return self.attempts[-1]
        return None


class CaseShare(Value):
    """What one open case contributes to the access of its subscription."""

    case_id: str
    state: CaseState
    access: Access
    paused_at: datetime | None
    final_action: FinalAction


class Subscription(Value):
    """Access of one subscription, folded over its open cases. `access_version` rises with each change that the app may see."""

    id: str
    version: int
    status: SubscriptionStatus
    period_end_at: datetime | None
    seen_at: datetime
    ended_at: datetime | None = None
    access: Access = Access.GRANTED
    access_version: int = 0
    access_why: str = ""
    access_changed_at: datetime | None = None
    cases: tuple[CaseShare, ...] = ()
    lent_credential: str | None = None  # access is lent to who put this credential on file, until its run ends
    lent_before: tuple[str, ...] = ()  # credentials for which access was lent already


class Method(Value):
    """One card (or mandate, or token) by its card key."""

    id: str
    version: int
    stop: DeclineReason | None = None
    stopped_credential: str | None = None  # a hard stop binds this credential until it changes
    open_disputes: tuple[str, ...] = ()
    lease: Lease | None = None
    fence: int = 0
    sends: tuple[Send, ...] = ()  # the last 40
    sends_forgotten: Forgotten | None = None


class Payer(Value):
    """Who is written to, and when it is day where they live."""

    email: str | None = None
    name: str | None = None
    locale: str | None = None
    timezone: str | None = None
    country: str | None = None


class OpenCase(Value):
    """One open case of a customer."""

    case_id: str
    first_failed_at: datetime


class CardRun(Value):
    """The attempts that follow a new credential, one after another, oldest invoice first, until the first decline."""

    credential: str
    remaining: tuple[str, ...]  # case ids; the first is the one whose turn it is
    stopped: bool = False


class Customer(Value):
    """Who owes what. Fan-out reads the open cases here, never from an index."""

    id: str
    version: int
    deleted: bool = False
    payer: Payer = Payer()
    mail_stopped: bool = False  # their address bounced for good, or they complained
    cases: tuple[OpenCase, ...] = ()
    run: CardRun | None = None
