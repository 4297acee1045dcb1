"""Moving open cases to another policy, and what that does to their dates, before it is done.

The dates come from the decision itself, made on the rows as they are and not written; moving then makes the same decision in earnest.
"""

from datetime import datetime

from dunr.core.decision import Decision, Dossier
from dunr.core.events import PolicyMoved
from dunr.core.model import Case, Plan
from dunr.core.policy import Policy, policy_hash
from dunr.core.value import Value, replace
from dunr.engine import Engine
from dunr.errors import WishRejected
from dunr.rulebook import StoredRulebook


class StepMoved(Value):
    """A step's date before and after; None where it has none."""

    number: int
    before_at: datetime | None
    after_at: datetime | None


class CaseMoved(Value):
    """What a move does to one case. `rejected` says why nothing is done; `waits_for` is the attempt in flight that is settled first."""

    case_id: str
    policy_before: str
    policy_after: str
    steps: tuple[StepMoved, ...]
    pause_before_at: datetime | None
    pause_after_at: datetime | None
    waits_for: int | None
    because: tuple[str, ...]
    rejected: str | None = None


def foresee(engine: Engine, rulebook: StoredRulebook, case_id: str, policy: Policy, actor: str) -> CaseMoved:
    """The dates of a case before and after a move, with nothing moved. Raises `NoSuchThing`."""
    read, decision = engine.foresee(case_id, PolicyMoved(actor, rulebook.keep(policy)))
    assert read.case is not None, "only a case that is there can be foreseen"
    return _moved(read, read.case, decision, rulebook, policy)


def move(engine: Engine, rulebook: StoredRulebook, case_id: str, policy: Policy, actor: str) -> CaseMoved:
    """Move a case; what was done, or why it was not. Raises `NoSuchThing`."""
    foreseen = foresee(engine, rulebook, case_id, policy, actor)
    if foreseen.rejected is not None:
        return foreseen
    before = engine.read(case_id, None)
    try:
        decision = engine.wish(case_id, PolicyMoved(actor, policy_hash(policy)))
    except WishRejected as rejected:
        return replace(foreseen, rejected=str(rejected))  # somebody was faster
    assert before.case is not None, "a case never goes away"
    return _moved(before, before.case, decision, rulebook, policy)


def _moved(read: Dossier, case: Case, decision: Decision, rulebook: StoredRulebook, policy: Policy) -> CaseMoved:
    after = decision.case or case
    waiting = after.in_flight if after.policy_next_hash is not None else None
    return CaseMoved(
        case_id=read.case_id,
        policy_before=rulebook.policy(case.policy_hash).name,
        policy_after=policy.name,
        steps=_steps(case.plan, after.plan),
        pause_before_at=case.plan.pause_at,
        pause_after_at=after.plan.pause_at,
        waits_for=waiting.number if waiting is not None else None,
        because=decision.because,
        rejected=decision.rejection.detail if decision.rejection is not None else None,
    )


def _steps(before: Plan, after: Plan) -> tuple[StepMoved, ...]:
    """Each step of either plan, by its number."""
    old = {step.number: step.at for step in before.steps}
    new = {step.number: step.at for step in after.steps}
    return tuple(StepMoved(number, old.get(number), new.get(number)) for number in sorted(old | new))
