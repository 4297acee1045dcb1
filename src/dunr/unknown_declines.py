"""The inbox of codes that no table knows: what came, how often and when, and what each of them probably means.

It is read from the attempts themselves, so that nothing can be lost from it; a code that was given a meaning meanwhile is not shown any more.
"""

from collections.abc import Iterable
from datetime import datetime

from dunr.core.declines import FIELDS
from dunr.core.facts import DeclineKey, Facts
from dunr.core.snapshot import RawDecline
from dunr.core.terms import DeclineReason
from dunr.core.value import Value
from dunr.facts.proposing import Proposal, proposal_for
from dunr.ports import Reports

ATTEMPTS_MAX = 10_000  # that are read for the inbox, newest first


class UnknownDecline(Value):
    """One unknown code. `sample` holds all signals of the newest decline that had it; `counted_as` is the reason that decline got."""

    processor: str  # or the card network
    field: str
    code: str
    count: int
    first_at: datetime
    last_at: datetime
    case_id: str  # of the newest
    sample: dict[str, str]
    counted_as: DeclineReason | None
    proposal: Proposal | None


def unknown_declines(reports: Reports, facts: Facts, limit: int) -> tuple[UnknownDecline, ...]:
    """The codes that are still unknown, the most frequent first."""
    found: dict[DeclineKey, list[tuple[datetime, str, RawDecline, DeclineReason | None]]] = {}
    for case_id, attempt in reports.attempts_with_unknown_codes(ATTEMPTS_MAX):
        if attempt.unknown_codes is None:
            continue
        at = attempt.settled_at or attempt.begun_at
        for key in attempt.unknown_codes.keys:
            if key not in facts.declines:
                found.setdefault(key, []).append((at, case_id, attempt.unknown_codes.raw, attempt.reason))
    rows = (_row(key, seen) for key, seen in found.items())
    return tuple(sorted(rows, key=lambda row: (-row.count, row.processor, row.field, row.code))[:limit])


def _row(key: DeclineKey, seen: Iterable[tuple[datetime, str, RawDecline, DeclineReason | None]]) -> UnknownDecline:
    times = sorted(seen, key=lambda one: (one[0], one[1]))
    last_at, case_id, raw, reason = times[-1]
    owner, field, code = key
    return UnknownDecline(
        processor=owner,
        field=field,
        code=code,
        count=len(times),
        first_at=times[0][0],
        last_at=last_at,
        case_id=case_id,
        sample=_signals(raw),
        counted_as=reason,
        proposal=proposal_for(key),
    )


def _signals(raw: RawDecline) -> dict[str, str]:
    """The signals that were given, without those that were not."""
    return {name: value for name in (*FIELDS, "network") if (value := getattr(raw, name)) is not None}
