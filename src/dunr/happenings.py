"""What is told to the log while it happens: one line for each event of consequence.

A line goes to whoever wants to hear it, which a process decides once, when it begins. Where nobody does, as in simulated worlds and in commands that answer
a question, telling costs nothing.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

import structlog

from dunr.core.decision import Decision
from dunr.core.effects import Publish, RaiseAlert
from dunr.core.model import Case


class Hears(Protocol):
    """Takes one line."""

    def __call__(self, event: str, **fields: object) -> object:
        """`event` names what happened; the fields say to what."""
        ...


_hearers: list[Hears] = []
_NOBODY_HEARS = nullcontext()


def hear(hearer: Hears) -> Callable[[], None]:
    """From now on, tell each line also here; answers what ends that."""
    _hearers.append(hearer)
    return lambda: _hearers.remove(hearer)


def tell(event: str, **fields: object) -> None:
    """Something happened."""
    for hearer in _hearers:
        hearer(event, **fields)


def about(**fields: object) -> AbstractContextManager[None]:
    """What is logged meanwhile, by whomever, is about this."""
    return structlog.contextvars.bound_contextvars(**fields) if _hearers else _NOBODY_HEARS


def tell_of_decision(before: Case | None, decision: Decision) -> None:
    """What a committed decision changed that a person would want to read of."""
    if not _hearers:
        return
    case = decision.case
    if case is not None and before is None:
        tell("case_opened", case=case.id, reason=case.deciding_reason, policy=case.policy_hash, state=case.state)
    elif case is not None and before is not None and case.state is not before.state:
        tell("case_changed", case=case.id, was=before.state, state=case.state, round=case.round)
    for effect in decision.effects:
        if isinstance(effect, Publish):
            tell("access_changed", case=effect.case_id, subscription=effect.subscription_id, access=effect.access)
        elif isinstance(effect, RaiseAlert):
            tell("alert_raised", case=effect.case_id, kind=effect.kind, key=effect.key)
