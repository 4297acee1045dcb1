"""The tables that ship with dunr: what each decline reason means, and which codes of a processor say so.

Each file is read at most once in a process, and only when it is asked for. Tests check the rows, not every start.
"""

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from dunr.core.facts import DeclineKey, ReasonFacts
from dunr.core.terms import DeclineKind, DeclineReason

PROCESSORS_WITH_DECLINES = frozenset({"sandbox", "stripe"})
NETWORKS_WITH_DECLINES = frozenset(
    {"mastercard"}
)  # their codes arrive through any processor and are keyed by the network


def rows(name: str) -> Iterator[dict[str, str]]:
    """The rows of one file of this package, each a mapping from column to text."""
    text = files("dunr.facts").joinpath(name).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())


@cache
def shipped_reasons() -> Mapping[DeclineReason, ReasonFacts]:
    """What holds for each decline reason, in the order of the file."""
    return MappingProxyType(
        {
            DeclineReason(row["reason"]): ReasonFacts(
                kind=DeclineKind(row["kind"]),
                steps_default_max=int(row["steps_default_max"]) if row["steps_default_max"] else None,
                notifies=row["notifies"] == "yes",
                tellable=row["tellable"] == "yes",
                stops_credential=row["stops_credential"] == "yes",
                sentence=row["sentence"],
            )
            for row in rows("reasons.csv")
        }
    )


@cache
def shipped_declines(owner: str) -> Mapping[DeclineKey, DeclineReason]:
    """The codes of one processor or network; none where no table ships for it."""
    if owner not in PROCESSORS_WITH_DECLINES | NETWORKS_WITH_DECLINES:
        return MappingProxyType({})
    return MappingProxyType(
        {(owner, row["field"], row["code"]): DeclineReason(row["reason"]) for row in rows(f"declines/{owner}.csv")}
    )
