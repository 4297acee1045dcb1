"""What networks' rules kept from being sent, and what it would have cost: counted on the case as it happens, so that a report can add it up.

A ceiling of the policy's own costs nothing to break, and is not counted here.
"""

from dunr.core.budget import Allowance
from dunr.core.decide.draft import Draft
from dunr.core.model import PlannedStep
from dunr.core.rules import Avoided, Fee, together
from dunr.core.schedule import Laid
from dunr.core.value import replace


def note_avoided(draft: Draft, allowed: Allowance, *, deferred_count: int = 0, skipped_count: int = 0) -> None:
    """Count attempts that had no room under a network's rule."""
    if not allowed.is_own:
        _note(draft, allowed.rule, allowed.fee, deferred_count, skipped_count)


def note_laid(draft: Draft, laid: Laid) -> None:
    """Count the coming step where a network's rule put it off, once however often it is laid, or left it without a date. Those after it may yet move."""
    first = laid.steps[0] if laid.steps else None
    if first is None:
        if laid.forbidden_by is not None:
            _note(draft, laid.forbidden_by, _fee(draft, laid.forbidden_by), 0, 1)
        return
    if first.deferred_by is not None and not _is_noted(draft, first):
        _note(draft, first.deferred_by, _fee(draft, first.deferred_by), 1, 0)


def _is_noted(draft: Draft, step: PlannedStep) -> bool:
    """Whether the plan that stood before has put the step off by the same rule."""
    return any((known.number, known.deferred_by) == (step.number, step.deferred_by) for known in draft.case.plan.steps)


def _fee(draft: Draft, rule_id: str) -> Fee | None:
    """What an attempt against the rule costs with the card that the snapshot names first."""
    default = draft.snapshot.default_method
    region = (default.country if default is not None else None) or draft.payer.country
    rule = next(one for rules in draft.facts.rules.values() for one in rules if one.id == rule_id)
    return rule.fee(region, draft.now)


def _note(draft: Draft, rule_id: str, fee: Fee | None, deferred_count: int, skipped_count: int) -> None:
    cost = ((deferred_count + skipped_count) * fee.amount_minor, fee.currency) if fee is not None else (0, None)
    more = Avoided(rule_id, deferred_count, skipped_count, *cost)
    draft.case = replace(draft.case, avoided=together((*draft.case.avoided, more)))
