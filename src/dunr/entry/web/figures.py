"""The figures at the top of the dashboard: at risk, recovered, lost, and the fees avoided. Sums over rows; what counts as what is the state of each case."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from dunr.core.model import Case
from dunr.core.rules import Avoided, together
from dunr.core.terms import CaseState, CloseReason

NOT_LOST = frozenset({CloseReason.VOIDED, CloseReason.CARRIED_OVER})  # nothing was owed, or it is asked for later


@dataclass(frozen=True, slots=True)
class Figure:
    """One sum in one currency."""

    amount_minor: int
    currency: str
    processor: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Sums by what became of the money, one for each currency."""

    at_risk: tuple[Figure, ...]
    recovered: tuple[Figure, ...]
    lost: tuple[Figure, ...]


def figures_of(cases: Sequence[Case]) -> Figures:
    """What open cases owe, what came in, and what closed cases still owe."""
    at_risk: dict[tuple[str, str], int] = defaultdict(int)
    recovered: dict[tuple[str, str], int] = defaultdict(int)
    lost: dict[tuple[str, str], int] = defaultdict(int)
    for case in cases:
        name = (case.currency, case.processor)
        recovered[name] += case.captured_minor - case.overpaid_minor
        if case.is_open:
            at_risk[name] += case.amount_due_minor
        elif case.state is CaseState.CLOSED and case.closed_because not in NOT_LOST:
            lost[name] += case.amount_due_minor
    return Figures(_listed(at_risk), _listed(recovered), _listed(lost))


def fees_avoided(cases: Sequence[Case]) -> tuple[Avoided, ...]:
    """What network rules kept from being sent over all of these cases, and what that would have cost, a row for each rule and currency."""
    return together(row for case in cases for row in case.avoided)


def _listed(sums: dict[tuple[str, str], int]) -> tuple[Figure, ...]:
    return tuple(
        Figure(amount, currency, processor) for (currency, processor), amount in sorted(sums.items()) if amount
    )
