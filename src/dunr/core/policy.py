"""The rules that a case runs under, as a value named by its content.

A policy is copied onto nothing and changed by nobody: a case keeps the hash that it opened with, and the store keeps every policy by hash.
"""

import hashlib
from functools import lru_cache

from dunr.core.terms import DeclineReason, FinalAction, RestoreOn, StepUnit, WhilePaused
from dunr.core.value import Value


class Step(Value):
    """One rung: how long after the one before it (the first: after the failure)."""

    after: int
    unit: StepUnit


class ReasonRule(Value):
    """What a decline reason gets: at most `steps_max` rungs of `steps`, or of the policy's own ladder where `steps` is None."""

    steps_max: int
    steps: tuple[Step, ...] | None = None


BUSINESS_LADDER = tuple(Step(after, StepUnit.BUSINESS_DAYS) for after in (1, 3, 3, 3))


class Policy(Value):
    """Every setting that decides. The defaults are the unconfigured policy, `business_days`.

    `attempts_max` bounds step attempts over all rounds of a case. `floor` says on which day access pauses at the earliest. `deadline_days`
    (after the first failure, same local time) replaces the floor and the last step as the pause date.
    """

    name: str = "business_days"
    timezone: str = "UTC"
    at_hour: int = 9
    at_minute: int = 0
    calendar: str | None = None  # a holiday calendar by name
    steps: tuple[Step, ...] = BUSINESS_LADDER
    reasons: tuple[tuple[DeclineReason, ReasonRule], ...] = ()
    attempts_max: int = 12
    floor: tuple[Step, ...] = BUSINESS_LADDER
    deadline_days: int | None = None
    final_action: FinalAction = FinalAction.PAUSE
    restore_on: RestoreOn = RestoreOn.METHOD_UPDATED
    while_paused: WhilePaused = WhilePaused.FIRST_CHARGE_ONLY
    first_notice_after_first_retry: bool = False
    receipts: bool = True
    mail_from_hour: int = 8
    mail_until_hour: int = 20
    customer_attempts_max: int = 5  # per card in 24 h
    card_attempts_24h_max: int = 10  # per card key, across invoices, whoever began them
    card_attempts_30d_max: int = 15
    promise_days_max: int = 14

    def rule(self, reason: DeclineReason) -> ReasonRule | None:
        """The policy's own row for a reason, or None where the kind of the decline decides."""
        for named, rule in self.reasons:
            if named is reason:
                return rule
        return None


@lru_cache(maxsize=256)
def policy_hash(policy: Policy) -> str:
    """The name of a policy: 16 hexadecimal digits over its content, the same on every machine."""
    text = "\n".join(f"{name}={getattr(policy, name)!r}" for name in policy.__struct_fields__)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
