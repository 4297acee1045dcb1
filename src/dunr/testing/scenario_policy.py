"""A policy as a scenario writes it: settings over the unconfigured one."""

import re

from dunr.core.policy import Policy, Step
from dunr.core.terms import Coexistence, FinalAction, RestoreOn, StepUnit, WhilePaused
from dunr.core.value import replace

UNITS = {
    "bd": StepUnit.BUSINESS_DAYS,
    "d": StepUnit.DAYS,
    "h": StepUnit.HOURS,
    "m": StepUnit.MINUTES,
    "s": StepUnit.SECONDS,
}
ENUMS = {
    "coexistence": Coexistence,
    "final_action": FinalAction,
    "restore_on": RestoreOn,
    "while_paused": WhilePaused,
}


def read_policy(text: str, base: Policy) -> Policy:
    """Settings over the unconfigured policy: `timezone=Europe/Berlin steps=1bd,3bd deadline_days=14 receipts=no`."""
    changes: dict[str, object] = {}
    known = {name: getattr(base, name) for name in Policy.__struct_fields__}
    for word in text.split():
        key, _, value = word.partition("=")
        if not value:
            changes["name"] = key
            continue
        assert key in known, f"a policy has no setting {key!r}; it has {', '.join(known)}"
        changes[key] = _setting(key, value, known[key])
    return replace(base, **changes)  # type: ignore[arg-type]


def _setting(key: str, value: str, before: object) -> object:
    """One setting in its own type."""
    if key in ENUMS:
        return ENUMS[key](value)
    if key in ("steps", "floor"):
        return tuple(_step(rung) for rung in value.split(",")) if value != "none" else ()
    if isinstance(before, bool):
        return value == "yes"
    return int(value) if value.isdecimal() else value


def _step(text: str) -> Step:
    """`3bd` is three business days, `2d` two days, `12h` twelve hours, `5m` five minutes, `90s` ninety seconds."""
    found = re.fullmatch(r"(\d+)(bd|d|h|m|s)", text)
    assert found, f"{text!r} is no step: write 3bd, 2d, 12h, 5m or 90s"
    return Step(int(found[1]), UNITS[found[2]])
