"""One month in figures: what fell due for recovery, what came in, what was given up, and which attempts brought it.

Money is counted from the ledger, by the UTC day of each entry; attempts are counted from the cases, by the instant at which they were settled. Nothing here is a
rule: what an entry means is its kind.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from dunr.core.decision import Posting
from dunr.core.model import Case
from dunr.core.terms import DeclineReason, Outcome, Trigger
from dunr.prose_costs import ProseCost

CAME_IN = ("recovered", "part_paid")
GIVEN_UP = ("written_off", "voided")
TOOK_BACK = ("reversed", "refunded", "disputed")


@dataclass(frozen=True, slots=True)
class Money:
    """The sums of one currency at one processor, in its minor units, with the number of entries behind them."""

    processor: str
    currency: str
    opened_minor: int
    opened_count: int
    came_in_minor: int
    came_in_count: int
    given_up_minor: int
    took_back_minor: int
    overpaid_minor: int


@dataclass(frozen=True, slots=True)
class Rung:
    """How the attempts of one number fared after declines of one reason: the funnel's cell."""

    reason: DeclineReason | None
    attempt_number: int
    tried_count: int
    succeeded_count: int


@dataclass(frozen=True, slots=True)
class Month:
    """The whole report. `until` is the first day that is not in it."""

    begins_on: date
    until: date
    money: tuple[Money, ...]
    funnel: tuple[Rung, ...]
    refreshed_count: int
    refreshed_succeeded_count: int
    prose: tuple[ProseCost, ...] = ()  # what the copywriter took


def month_of(text: str) -> tuple[date, date]:
    """The first day of a month written `2026-06`, and the first day after it. Raises `ValueError`."""
    begins_on = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC).date()
    until = date(begins_on.year + begins_on.month // 12, begins_on.month % 12 + 1, 1)
    return begins_on, until


def report(
    begins_on: date,
    until: date,
    postings: Iterable[Posting],
    cases: Iterable[Case],
    prose: Iterable[ProseCost] = (),
) -> Month:
    """The figures of the days from `begins_on` up to, not including, `until`; of prose, those of the month in which they begin."""
    sums: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for posting in postings:
        if begins_on <= posting.at.astimezone(UTC).date() < until:
            _count(sums[posting.case_id.partition(":")[0], posting.currency], posting)
    tried: Counter[tuple[DeclineReason | None, int]] = Counter()
    succeeded: Counter[tuple[DeclineReason | None, int]] = Counter()
    refreshed: Counter[bool] = Counter()
    for case in cases:
        for attempt in case.attempts:
            settled_at = attempt.settled_at
            if attempt.number == 0 or settled_at is None or not begins_on <= settled_at.astimezone(UTC).date() < until:
                continue
            if attempt.outcome in (Outcome.SUCCEEDED, Outcome.DECLINED):
                cell, won = (attempt.after_reason, attempt.number), attempt.outcome is Outcome.SUCCEEDED
                tried[cell] += 1
                succeeded[cell] += won
                refreshed[won] += attempt.trigger is Trigger.UPDATER
    return Month(
        begins_on=begins_on,
        until=until,
        money=tuple(_money(*name, counted) for name, counted in sorted(sums.items())),
        funnel=tuple(
            Rung(reason, number, tried[reason, number], succeeded[reason, number]) for reason, number in _ordered(tried)
        ),
        refreshed_count=refreshed.total(),
        refreshed_succeeded_count=refreshed[True],
        prose=tuple(row for row in prose if row.month == f"{begins_on:%Y-%m}"),
    )


def _ordered(cells: Mapping[tuple[DeclineReason | None, int], int]) -> list[tuple[DeclineReason | None, int]]:
    return sorted(cells, key=lambda cell: (cell[0] or "", cell[1]))


def _count(sums: Counter[str], posting: Posting) -> None:
    """One entry: its kind says what it is, its first line how much."""
    amount_minor = abs(posting.lines[0][1])
    sums[posting.kind] += amount_minor
    sums[f"{posting.kind}#"] += 1


def _money(processor: str, currency: str, sums: Counter[str]) -> Money:
    return Money(
        processor=processor,
        currency=currency,
        opened_minor=sums["opened"],
        opened_count=sums["opened#"],
        came_in_minor=sum(sums[kind] for kind in CAME_IN),
        came_in_count=sum(sums[f"{kind}#"] for kind in CAME_IN),
        given_up_minor=sum(sums[kind] for kind in GIVEN_UP),
        took_back_minor=sum(sums[kind] for kind in TOOK_BACK),
        overpaid_minor=sums["overpaid"],
    )
