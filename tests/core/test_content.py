"""A policy is named by its content: by the same name on every machine, and in every release that knows its fields."""

from dunr.core.content import canonical, content_hash
from dunr.core.policy import Policy, ReasonRule, Step, Strategy, policy_hash
from dunr.core.terms import DeclineReason, FinalAction, StepUnit
from dunr.core.value import Value

LADDER = [[1, "business_days"], [3, "business_days"], [3, "business_days"], [3, "business_days"]]

# A default is part of every name that leaves it out. Add a field with its default here; never change a default that is here, since
# then two releases would mean different things by one name.
DEFAULTS_FOR_EVER = {
    "acquirer_allows": [],
    "at_hour": 9,
    "at_minute": 0,
    "attempts_max": 12,
    "backup_methods": False,
    "brand": "",
    "calendar": None,
    "card_attempts_24h_max": 10,
    "card_attempts_30d_max": 15,
    "card_expiring_notice_days": 0,
    "coexistence": "observe",
    "customer_attempts_max": 5,
    "deadline_days": None,
    "final_action": "pause",
    "first_notice_after_first_retry": False,
    "floor": LADDER,
    "mail_from_hour": 8,
    "mail_until_hour": 20,
    "name": "business_days",
    "notices_beside_processor": True,
    "promise_days_max": 14,
    "reasons": [],
    "receipts": True,
    "restore_on": "method_updated",
    "snap": True,
    "spread_minutes": 0,
    "steps": LADDER,
    "strategy": "business_days",
    "take_over_percent": 100,
    "timezone": "UTC",
    "while_paused": "first_charge_only",
    "window": None,
}


class Before(Value):
    """A value of the release before."""

    name: str
    limit_max: int = 3
    inner: tuple[ReasonRule, ...] = ()


class After(Value):
    """The same in a release that knows one field more."""

    name: str
    limit_max: int = 3
    inner: tuple[ReasonRule, ...] = ()
    snap: bool = True


def test_what_has_its_default_goes_without_saying() -> None:
    policy = Policy(
        name="mine",
        reasons=((DeclineReason.UNKNOWN, ReasonRule(1, Strategy.STANDARD)),),
        steps=(Step(2, StepUnit.DAYS),),
        final_action=FinalAction.NONE,
        at_hour=9,
    )
    assert canonical(policy) == (
        b'{"final_action":"none","name":"mine","reasons":[["unknown",{"steps_max":1,"strategy":"standard"}]],'
        b'"steps":[{"after":2,"unit":"days"}]}'
    )
    assert policy_hash(policy) == "12b72f16a2f34e7a"
    assert canonical(Policy()) == b"{}"
    assert policy_hash(Policy()) == "44136fa355b3678a"


def test_a_new_field_with_its_default_renames_nothing() -> None:
    rules = (ReasonRule(2), ReasonRule(2, None, (Step(1, StepUnit.DAYS),)))
    assert content_hash(Before("a", 4, rules)) == content_hash(After("a", 4, rules))
    assert content_hash(After("a", snap=False)) != content_hash(Before("a"))


def test_the_defaults_that_names_leave_out_are_for_ever() -> None:
    policy = Policy()
    assert {name: _plain(getattr(policy, name)) for name in policy.__struct_fields__} == DEFAULTS_FOR_EVER


def _plain(value: object) -> object:
    if isinstance(value, Step):
        return [value.after, value.unit]
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
