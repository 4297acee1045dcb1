"""What segments must keep to, taken together: each can be reached, and its amounts mean something."""

from collections.abc import Iterator, Sequence

from dunr.core.segments import Segment
from dunr.facts.complaints import Complaint, shown
from dunr.facts.toml_lines import Path

CONDITIONS = ("products", "currencies", "countries", "processors", "rails", "tags")
NO_LIMIT = 10**18


def segment_complaints(segments: Sequence[tuple[Path, Segment]]) -> Iterator[Complaint]:
    """All breaches, or none."""
    for index, (path, segment) in enumerate(segments):
        yield from _amounts(path, segment)
        for _, earlier in segments[:index]:
            if earlier.name == segment.name:
                yield Complaint(
                    (*path, "name"),
                    f"two segments are called {segment.name!r}, and a case names the one that took it: write another name",
                )
            elif _takes_all_of(earlier, segment):
                yield Complaint(
                    path,
                    f"the segment {segment.name!r} is never reached, since {earlier.name!r} above takes all of its cases: "
                    "write it above that one, or take it out",
                )


def _amounts(path: Path, segment: Segment) -> Iterator[Complaint]:
    low, high = _bounds(segment)
    if low > high:
        yield Complaint(
            (*path, "amount_min_minor"),
            f"{shown(path)} takes no amount, since amount_min_minor = {low} is above amount_max_minor = {high}: write the smaller one as amount_min_minor",
        )
    if (segment.amount_min_minor is not None or segment.amount_max_minor is not None) and not segment.currencies:
        yield Complaint(
            (*path, "amount_min_minor" if segment.amount_min_minor is not None else "amount_max_minor"),
            f'{shown(path)} bounds an amount without a currency, and 1000 is not the same in yen and euro: write currencies = ["eur"], too',
        )


def _bounds(segment: Segment) -> tuple[int, int]:
    low, high = segment.amount_min_minor, segment.amount_max_minor
    return (0 if low is None else low), (NO_LIMIT if high is None else high)


def _takes_all_of(earlier: Segment, later: Segment) -> bool:
    """Whether every case that the later one would take is taken by the earlier one."""
    for condition in CONDITIONS:
        wanted: tuple[str, ...] = getattr(earlier, condition)
        given: tuple[str, ...] = getattr(later, condition)
        if wanted and not (given and set(given) <= set(wanted)):
            return False
    (low, high), (later_low, later_high) = _bounds(earlier), _bounds(later)
    return low <= later_low and later_high <= high
