"""What the networks allow and charge, read from dated tables.

`network_rules.csv` has a row for each figure that was ever in force, `network_fees.csv` what an attempt against it costs, `unsent.csv` the codes by which a
processor says that it stopped an attempt itself. To follow a network's next change, end the old row on its date and add the new one.
"""

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache

from dunr.core.facts import DeclineKey
from dunr.core.rules import Codes, Counted, Counter, Fee, NetworkRule, RuleKind, RulesByNetwork, Scope, by_network
from dunr.core.terms import Rail
from dunr.facts.tables import rows

ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)  # no source says since when


@cache
def shipped_rules() -> tuple[NetworkRule, ...]:
    """Every row, whatever its dates."""
    fees = _fees()
    return tuple(_rule(row, fees.get(row["id"], ())) for row in rows("network_rules.csv"))


@cache
def rules_by_network() -> RulesByNetwork:
    """The same by what an attempt knows of itself."""
    return by_network(shipped_rules())


@cache
def shipped_unsent() -> frozenset[DeclineKey]:
    """The codes of attempts that no network has seen."""
    return frozenset((row["processor"], row["field"], row["code"]) for row in rows("unsent.csv"))


def _fees() -> Mapping[str, tuple[Fee, ...]]:
    found: dict[str, tuple[Fee, ...]] = defaultdict(tuple)
    for row in rows("network_fees.csv"):
        fee = Fee(
            region=row["region"] or None,
            from_at=_from(row["valid_from"]),
            until_at=_until(row["valid_until"]),
            amount_minor=int(row["amount_minor"]),
            currency=row["currency"],
            source=row["source"],
        )
        for rule_id in row["rules"].split():
            found[rule_id] += (fee,)
    return found


def _rule(row: Mapping[str, str], fees: tuple[Fee, ...]) -> NetworkRule:
    return NetworkRule(
        id=row["id"],
        kind=RuleKind(row["kind"]),
        network=row["network"] or None,
        rail=Rail(row["rail"]),
        region=row["region"] or None,
        scope=Scope(row["scope"]),
        counter=Counter(row["initiator"]),
        counted=Counted(row["counts"] or Counted.ATTEMPTS),
        limit=int(row["limit"]) if row["limit"] else None,
        window_seconds=int(row["window_hours"]) * 3600 if row["window_hours"] else None,
        window_months=int(row["window_months"]) if row["window_months"] else None,
        codes=_codes(row["codes"]),
        hours=tuple(_hours(text) for text in row["hours"].split()),
        timezone=row["timezone"] or None,
        from_at=_from(row["valid_from"]),
        until_at=_until(row["valid_until"]),
        instead_of=row["instead_of"] or None,
        sentence=row["sentence"],
        source=row["source"],
        fees=fees,
    )


def _codes(text: str) -> Codes:
    """`code=41 advice=03` as pairs."""
    named = (one.partition("=") for one in text.split())
    return tuple((field, code) for field, _, code in named)


def _hours(text: str) -> tuple[int, int]:
    """`21:30-24:00` as minutes of the day."""
    start, _, end = text.partition("-")
    return _minute(start), _minute(end)


def _minute(text: str) -> int:
    hour, _, minute = text.partition(":")
    return int(hour) * 60 + int(minute)


def _from(text: str) -> datetime:
    """A rule is in force from the first instant of its day, UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else ALWAYS


def _until(text: str) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
