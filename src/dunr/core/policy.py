"""The rules that a case runs under, as a value named by its content.

A policy is copied onto nothing and changed by nobody: a case keeps the hash that it opened with, and the store keeps every policy by hash.
"""

from enum import StrEnum
from functools import lru_cache

from dunr.core.content import content_hash
from dunr.core.terms import Coexistence, DeclineReason, FinalAction, RestoreOn, StepUnit, WhilePaused
from dunr.core.value import Value


class Strategy(StrEnum):
    """How the dates of a ladder are found; `core.strategies` holds the ladder of each."""

    BUSINESS_DAYS = "business_days"  # at a fixed hour, on business days of the merchant
    FUNDS_AWARE = "funds_aware"  # days, moved on to the next payday
    SHORT_BACKOFF = "short_backoff"  # minutes, hours, days: the bank may be back soon
    STANDARD = "standard"  # days
    REQUIRE_UPDATER = "require_updater"  # fresh details first; one attempt if there are any
    NETWORK_ADVISED = "network_advised"  # when the network says, else as the standard
    FIBONACCI = "fibonacci"  # ever longer minutes, within a day
    CUSTOM = "custom"  # the merchant's own steps
    NONE = "none"  # time brings nothing: the customer, or a person, has to act


class Step(Value):
    """One rung: how long after the one before it (the first: after the failure)."""

    after: int
    unit: StepUnit


class ReasonRule(Value):
    """What a decline reason gets: at most `steps_max` rungs, of `steps` where they are given, else of the strategy's ladder, else of the policy's own.

    `strategy` None means that of the policy, or `custom` where `steps` are given.
    """

    steps_max: int
    strategy: Strategy | None = None
    steps: tuple[Step, ...] | None = None


class Window(Value):
    """When steps in days may land, in the payer's timezone: from `from_hour` up to, and without, `until_hour` (24: midnight).

    `avoid_month_edge_days` keeps away from that many days on either side of the month's end. `nearest` lets a date move back to the window before it, where
    nothing forbids that; without it dates only move forward.
    """

    from_hour: int = 0
    until_hour: int = 24
    weekdays_only: bool = False  # and no holiday of the policy's calendar
    avoid_month_edge_days: int = 0
    nearest: bool = False


BUSINESS_LADDER = tuple(Step(after, StepUnit.BUSINESS_DAYS) for after in (1, 3, 3, 3))


class Policy(Value, cache_hash=True):  # what follows from it is remembered by it
    """Every setting that decides. The defaults are the unconfigured policy, `business_days`.

    `strategy` says how the dates of `steps` are found. `snap` False lets neither paydays nor the window move a date; what a bank or a network forbids holds anyway.
    `attempts_max` bounds step attempts over all rounds of a case. `floor` says on which day access pauses at the earliest. `deadline_days`
    (after the first failure, same local time) replaces the floor and the last step as the pause date.
    """

    name: str = "business_days"
    timezone: str = "UTC"
    at_hour: int = 9
    at_minute: int = 0
    spread_minutes: int = (
        0  # over which the attempts of steps in days begin, each case at its own time, and never after its window
    )
    calendar: str | None = None  # a holiday calendar by name
    strategy: Strategy = Strategy.BUSINESS_DAYS
    steps: tuple[Step, ...] = BUSINESS_LADDER
    window: Window | None = None
    snap: bool = True
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
    acquirer_allows: tuple[
        str, ...
    ] = ()  # network rules that the merchant's acquirer allows in place of stricter ones, such as "visa-20-in-30-days"
    promise_days_max: int = 14
    backup_methods: bool = False  # those that the customer agreed to, in their order, when the default one fails
    card_expiring_notice_days: int = 0  # before a card expires; 0: nobody is written to
    coexistence: Coexistence = Coexistence.OBSERVE  # where the processor retries by itself
    take_over_percent: int = 100  # of the customers, under "take_over"; the others are observed
    notices_beside_processor: bool = True  # of the processor's own tries; a warning before a pause goes out anyway
    brand: str = ""  # whose name and look the mails have, by its name in the settings; left empty: the account's, else the merchant's

    def rule(self, reason: DeclineReason) -> ReasonRule | None:
        """The policy's own row for a reason, or None where the kind of the decline decides."""
        for named, rule in self.reasons:
            if named is reason:
                return rule
        return None


@lru_cache(maxsize=256)
def policy_hash(policy: Policy) -> str:
    """The name of a policy by its content; `core.content` has the rule."""
    return content_hash(policy)
