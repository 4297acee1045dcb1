"""What is true of the world outside, frozen before it reaches a decision.

The package `dunr.facts` loads these from data files; core only says what it needs to know. A fact never depends on a case.
"""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum

from dunr.core.paydays import PaydayRule
from dunr.core.policy import Strategy
from dunr.core.rules import RulesByNetwork
from dunr.core.terms import DeclineKind, DeclineReason
from dunr.core.value import Value

DeclineKey = tuple[str, str, str]  # processor or card network, field of RawDecline, raw code
NO_WAITS: Mapping[DeclineKey, int] = {}
NO_RULES: RulesByNetwork = {}
NO_EXPONENTS: Mapping[str, Mapping[str, int]] = {}
USUAL_EXPONENT = 2  # of every currency that no table names


class Notifies(StrEnum):
    """Whether the customer is written to about a step. The warning before a pause and what asks the customer to act go out anyway."""

    YES = "yes"
    NO = "no"
    AFTER_FIRST_RETRY = "after_first_retry"  # the first retry may settle it unseen
    IF_UPDATER_MISSES = "if_updater_misses"  # fresh details may settle it unseen
    MANUAL = "manual"  # a person writes, if anybody does
    NEVER = "never"


class Tellable(StrEnum):
    """What the customer may be told of the reason."""

    YES = "yes"
    GENERIC_ONLY = "generic_only"  # that the payment was declined, and no more
    NO = "no"


class ReasonFacts(Value):
    """What holds for a decline reason under every policy, and what a policy that goes by the reason does best.

    `steps_default_max` is the most steps that time alone earns (0: none, None: as many as the ladder has); `stops_credential` says whether the credential is
    dead until it changes. `strategy` and `steps_suggested_max` are the suggestion, fresh details included; they bind nobody.
    """

    kind: DeclineKind
    strategy: Strategy
    steps_suggested_max: int
    steps_default_max: int | None
    notifies: Notifies
    tellable: Tellable
    stops_credential: bool
    sentence: str  # the reason in words, for a `why`


class Capability(StrEnum):
    """What a processor may lack. A policy that needs one is refused where it is not there."""

    REFRESH_METHOD = "refresh_method"  # an account updater, or network tokens
    LIST_EXPIRING = "list_expiring"  # the cards that expire soon, of customers who pay by them
    TAKE_OVER = "take_over"  # it can be told to leave an invoice to us


class ProcessorFacts(Value):
    """What an adapter knows of its processor."""

    key_lifetime_seconds: int = 24 * 3600
    settle_after_seconds: int = 15 * 60
    sends_receipts: bool = False
    retries_by_itself: bool = False
    unsettled_alert_seconds: int = 3600  # how long an attempt may have no answer before a person hears of it
    calls_spend_steps: bool = (
        False  # without an answer, each coming step is another call of the same attempt, as long as its key lives
    )
    capabilities: frozenset[Capability] = frozenset()


class CountryZone(Value):
    """The time zone of a country: of all its people, or of most of them."""

    name: str
    holds_for_all: bool


class Timing(Value):
    """The technical limits of a send, in seconds."""

    lease_seconds: int = 300
    look_max_age_seconds: int = 10
    processor_timeout_seconds: int = 30


NO_PAYDAYS: Mapping[str, tuple[PaydayRule, ...]] = {}
NO_ZONES: Mapping[str, CountryZone] = {}


class Facts(Value, eq=False):  # they are a thing, not a content: what follows from them may be remembered by them
    """All of it. `waits` holds the seconds that some codes ask to wait; `calendars` maps a name to its holidays.

    `deferring` holds the codes that count only where the network gives no advice beside them; `networks` are those whose codes are in a table.

    `paydays` and `zones` are keyed by the payer's country.
    """

    declines: Mapping[DeclineKey, DeclineReason]
    reasons: Mapping[DeclineReason, ReasonFacts]
    calendars: Mapping[str, frozenset[date]]
    processors: Mapping[str, ProcessorFacts]
    timing: Timing = Timing()
    waits: Mapping[DeclineKey, int] = NO_WAITS
    deferring: frozenset[DeclineKey] = frozenset()
    networks: frozenset[str] = frozenset()
    paydays: Mapping[str, tuple[PaydayRule, ...]] = NO_PAYDAYS
    zones: Mapping[str, CountryZone] = NO_ZONES
    rules: RulesByNetwork = NO_RULES
    unsent: frozenset[DeclineKey] = frozenset()  # codes by which a processor says that no network has seen the attempt
    exponents: Mapping[str, Mapping[str, int]] = (
        NO_EXPONENTS  # of the currencies without the usual digits, by processor
    )

    def exponent(self, processor: str, currency: str) -> int:
        """The decimal digits in the processor's minor units of a currency, for people's eyes only."""
        return self.exponents.get(processor, {}).get(currency.upper(), USUAL_EXPONENT)
