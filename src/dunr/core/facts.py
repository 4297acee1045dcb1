"""What is true of the world outside, frozen before it reaches a decision.

The package `dunr.facts` loads these from data files; core only says what it needs to know. A fact never depends on a case.
"""

from collections.abc import Mapping
from datetime import date

from dunr.core.rules import RulesByNetwork
from dunr.core.terms import DeclineKind, DeclineReason
from dunr.core.value import Value

DeclineKey = tuple[str, str, str]  # processor or card network, field of RawDecline, raw code
NO_WAITS: Mapping[DeclineKey, int] = {}
NO_RULES: RulesByNetwork = {}


class ReasonFacts(Value):
    """What holds for a decline reason under every policy.

    `steps_default_max` is the most steps that time alone earns (0: none, None: as many as the ladder has); `notifies` whether a step notice goes out for it;
    `tellable` whether the customer may be told the reason; `stops_credential` whether the credential is dead until it changes.
    """

    kind: DeclineKind
    steps_default_max: int | None
    notifies: bool
    tellable: bool
    stops_credential: bool
    sentence: str  # the reason in words, for a `why`


class ProcessorFacts(Value):
    """What an adapter knows of its processor."""

    key_lifetime_seconds: int = 24 * 3600
    settle_after_seconds: int = 15 * 60
    sends_receipts: bool = False
    retries_by_itself: bool = False


class Timing(Value):
    """The technical limits of a send, in seconds."""

    lease_seconds: int = 300
    look_max_age_seconds: int = 10
    processor_timeout_seconds: int = 30


class Facts(Value):
    """All of it. `waits` holds the seconds that some codes ask to wait; `calendars` maps a name to its holidays."""

    declines: Mapping[DeclineKey, DeclineReason]
    reasons: Mapping[DeclineReason, ReasonFacts]
    calendars: Mapping[str, frozenset[date]]
    processors: Mapping[str, ProcessorFacts]
    timing: Timing = Timing()
    waits: Mapping[DeclineKey, int] = NO_WAITS
    rules: RulesByNetwork = NO_RULES
    unsent: frozenset[DeclineKey] = frozenset()  # codes by which a processor says that no network has seen the attempt
