"""What the API answers about cases: the shapes, which are also the schemas of the OpenAPI document."""

from datetime import datetime

import msgspec


class AttemptAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One try at one charge; `outcome` is null from the intent until something is known.

    `allowed_by` is the rule that left the least room when it began, and `left_count` how many attempts more it left; null where the attempt was not ours.
    """

    number: int
    round: int
    trigger: str
    step_number: int | None
    outcome: str | None
    in_flight: bool
    reason: str | None
    raw_code: str | None
    amount_minor: int
    captured_minor: int
    currency: str
    key: str
    processor_charge_id: str | None
    processor_method_id: str | None
    call_count: int
    begun_at: datetime
    settled_at: datetime | None
    next_action_at: datetime | None
    allowed_by: str | None
    left_count: int | None


class StepAnswer(msgspec.Struct, frozen=True):
    """One coming attempt, and why then. `told_at` is the date that the customer was told, `deferred_by` the network's rule that put it off."""

    number: int
    at: datetime
    why: tuple[str, ...]
    told_at: datetime | None
    deferred_by: str | None


class PlanAnswer(msgspec.Struct, frozen=True):
    """The dates that are still to come."""

    steps: tuple[StepAnswer, ...]
    pause_at: datetime | None
    pause_why: tuple[str, ...]


class RefreshAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One request for fresher details of a payment method. `hit` is null until it is answered; `reason` is null where only a fresh cryptogram was wanted."""

    processor_method_id: str
    reason: str | None
    asked_at: datetime
    answered_at: datetime | None
    hit: bool | None
    why: str


class HoldAnswer(msgspec.Struct, frozen=True):
    """A reason to send nothing; it is released by its `ref`."""

    kind: str
    ref: str
    why: str
    since_at: datetime
    until_at: datetime | None


class NoticeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One message to the customer, and what became of it."""

    key: str
    kind: str
    step_number: int | None
    next_attempt_at: datetime | None
    pause_at: datetime | None
    recorded_at: datetime
    done_at: datetime | None
    note: str


class AccessAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Access of the subscription, folded over all its cases, and what this case contributes."""

    access: str
    reason: str
    version: int
    changed_at: datetime | None
    of_this_case: str
    paused_at: datetime | None


class PostingAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One balanced entry of the ledger; debits are positive."""

    id: str
    case: str
    kind: str
    at: datetime
    currency: str
    lines: tuple[tuple[str, int], ...]


class AlertAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a person must hear of."""

    key: str
    kind: str
    case: str | None
    text: str
    at: datetime
    told_at: datetime | None
    over_at: datetime | None  # when nothing was left to be done


class AuditAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One decision: what, when, who, and because of what; chained by hash."""

    number: int
    at: datetime
    actor: str
    what: str
    because: tuple[str, ...]
    hash: str


class AvoidedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What one network rule kept from being sent, and what that would have cost; `currency` is null where no figure is published."""

    rule: str
    deferred_count: int
    skipped_count: int
    fee_minor: int
    currency: str | None


class CaseAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One case in short. `shown` is its state, or that it is being attempted or held."""

    id: str
    processor: str
    account: str
    invoice: str
    subscription: str | None
    customer: str | None
    state: str
    shown: str
    round: int
    amount_due_minor: int
    amount_total_minor: int
    captured_minor: int
    overpaid_minor: int
    currency: str
    reason: str | None
    closed_because: str | None
    access: str
    steps_spent_count: int
    attempt_in_flight: int | None
    next_attempt_at: datetime | None
    pause_at: datetime | None
    first_failed_at: datetime
    opened_at: datetime
    ended_at: datetime | None
    policy_hash: str


class StoryAnswer(CaseAnswer, frozen=True, kw_only=True):
    """One case with all of its story."""

    attempts: tuple[AttemptAnswer, ...]
    avoided: tuple[AvoidedAnswer, ...]
    plan: PlanAnswer
    holds: tuple[HoldAnswer, ...]
    refreshes: tuple[RefreshAnswer, ...]
    notices: tuple[NoticeAnswer, ...]
    subscription_access: AccessAnswer | None
    postings: tuple[PostingAnswer, ...]
    alerts: tuple[AlertAnswer, ...]
    audit: tuple[AuditAnswer, ...]
