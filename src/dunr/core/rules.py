"""What a network allows, as dated values: how often, how long, after which answers and at which hours an attempt may follow another one.

The rows come from data files; this page says what a row means and which rows hold for an attempt at an instant. How much room a row leaves is counted in
`budget`. A rule of a region holds beside those of the whole world, so the stricter one binds; a later figure replaces an earlier one by its dates.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from dunr.core.terms import DeclineReason, Rail
from dunr.core.value import Value

Codes = tuple[tuple[str, str], ...]  # ("code", "41"), ("advice", "03") or ("reason", "insufficient_funds")


class RuleKind(StrEnum):
    """What a rule says."""

    CAP = "cap"  # at most so many, in a window that rolls or for ever
    BAN = "ban"  # none after these answers, for a window or for ever
    ONLY_AFTER = "only_after"  # none, unless the newest answer is one of these
    WITHIN = "within"  # none later than so long after the first
    HOURS = "hours"  # at these hours of the day only


class Scope(StrEnum):
    """Which sends a rule takes together; all are of one card at one merchant."""

    CARD = "card"
    CARD_AMOUNT = "card_amount"  # of the same amount
    CREDENTIAL_AMOUNT = "credential_amount"  # of the same amount, with the same number and expiry
    INVOICE = "invoice"  # for the same invoice: one entry, one execution of a mandate


class Counted(StrEnum):
    """Which of them a cap counts."""

    RETRIES = "retries"  # all but the first charge, with which the transaction began
    DECLINES = "declines"  # all but those that succeeded
    ATTEMPTS = "attempts"  # all


class Counter(StrEnum):
    """Whose attempts a rule means."""

    ANY = "any"  # everybody's together
    EACH = "each"  # the customer's apart from the merchant's
    MERCHANT = "merchant"  # only what the merchant begins


class Fee(Value):
    """What the network charges the merchant for one attempt against a rule."""

    region: str | None  # where the card was issued; None: anywhere
    from_at: datetime
    until_at: datetime | None
    amount_minor: int
    currency: str
    source: str


class NetworkRule(Value):
    """One row. `limit` belongs to caps, a window to caps, bans and `within` (there it may be in months); `hours` are minutes of the local day, from and without.

    `instead_of` names the rule that this one replaces where the policy says that the merchant's acquirer allows it.
    """

    id: str
    kind: RuleKind
    network: str | None  # the card network, or None where the rail itself sets the rule
    rail: Rail
    region: str | None
    scope: Scope
    counter: Counter
    counted: Counted
    limit: int | None
    window_seconds: int | None
    window_months: int | None
    codes: Codes
    hours: tuple[tuple[int, int], ...]
    timezone: str | None
    from_at: datetime
    until_at: datetime | None
    instead_of: str | None
    sentence: str
    source: str
    fees: tuple[Fee, ...] = ()
    is_own: bool = False  # a ceiling of the policy, not of a network

    def holds(self, region: str | None, at: datetime) -> bool:
        """Whether it is in force for a card of that region."""
        if self.region is not None and self.region != region:
            return False
        return self.from_at <= at and (self.until_at is None or at < self.until_at)

    def names(self, code: str | None, advice: str | None, reason: DeclineReason | None) -> bool:
        """Whether an answer is one of those that the rule names."""
        return ("code", code) in self.codes or ("advice", advice) in self.codes or ("reason", reason) in self.codes

    def fee(self, region: str | None, at: datetime) -> Fee | None:
        """What one attempt against it costs, or None where no figure is published."""
        return next((fee for fee in self.fees if _is_charged(fee, region, at)), None)


class Avoided(Value):
    """What one rule kept from being sent: how many attempts it put off or cancelled, and what they would have cost where that is known."""

    rule: str
    deferred_count: int = 0
    skipped_count: int = 0
    fee_minor: int = 0
    currency: str | None = None


RulesByNetwork = Mapping[tuple[Rail, str | None], tuple[NetworkRule, ...]]


def together(rows: Iterable[Avoided]) -> tuple[Avoided, ...]:
    """The same, with one row for each rule and currency, in the order of their names."""
    found: dict[tuple[str, str], Avoided] = {}
    for row in rows:
        name = (row.rule, row.currency or "")
        before = found.get(name)
        found[name] = row if before is None else _sum(before, row)
    return tuple(found[name] for name in sorted(found))


def _sum(one: Avoided, other: Avoided) -> Avoided:
    return Avoided(
        one.rule,
        one.deferred_count + other.deferred_count,
        one.skipped_count + other.skipped_count,
        one.fee_minor + other.fee_minor,
        one.currency,
    )


def _is_charged(fee: Fee, region: str | None, at: datetime) -> bool:
    in_time = fee.from_at <= at and (fee.until_at is None or at < fee.until_at)
    return in_time and fee.region in (None, region)


def by_network(rules: Iterable[NetworkRule]) -> RulesByNetwork:
    """The rows by what an attempt knows of itself. A card whose network is not known keeps to the rules of all of them; one of a network without rules to none."""
    grouped: dict[tuple[Rail, str | None], list[NetworkRule]] = defaultdict(list)
    for rule in rules:
        grouped[rule.rail, rule.network].append(rule)
        if rule.network is not None:
            grouped[rule.rail, None].append(rule)
    return {key: tuple(found) for key, found in grouped.items()}


def rules_for(
    rules: RulesByNetwork,
    *,
    rail: Rail,
    network: str | None,
    region: str | None,
    by_merchant: bool,
    allowed: Collection[str],
    at: datetime,
) -> tuple[NetworkRule, ...]:
    """The rules that hold for an attempt at an instant. `allowed` names those that the merchant's acquirer allows in place of stricter ones."""
    known = rules.get((rail, network if rail is Rail.CARD else None), ())
    holding = [
        rule
        for rule in known
        if rule.holds(region, at)
        and (by_merchant or rule.counter is not Counter.MERCHANT)
        and (rule.instead_of is None or rule.id in allowed)
    ]
    replaced = {rule.instead_of for rule in holding if rule.instead_of is not None}
    return tuple(rule for rule in holding if rule.id not in replaced) if replaced else tuple(holding)
