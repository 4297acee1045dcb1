"""Which policy a new case gets.

A policy set is a default and ordered rules, the *segments*: by product, amount, currency, country, processor, rail and tag. The first segment whose every
condition holds decides, and the case notes which one that was. A case keeps the policy that it opened with, whatever the set says later.
"""

from collections.abc import Collection

from dunr.core.policy import Policy
from dunr.core.snapshot import Snapshot
from dunr.core.terms import Rail
from dunr.core.value import Value


class Segment(Value):
    """One rule of choice: all conditions that are named must hold; of a list, any one value will do. An empty condition holds always.

    Amounts are in minor units, both ends included. Currencies are lower case, countries upper case. `policy` is the name of one of the set.
    """

    name: str
    policy: str
    products: tuple[str, ...] = ()
    currencies: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    processors: tuple[str, ...] = ()
    rails: tuple[Rail, ...] = ()
    tags: tuple[str, ...] = ()
    amount_min_minor: int | None = None
    amount_max_minor: int | None = None


class PolicySet(Value):
    """The policies that new cases may get, each under its own name, and how one is chosen."""

    policies: tuple[Policy, ...]
    default: str
    segments: tuple[Segment, ...] = ()

    def named(self, name: str) -> Policy:
        """The policy of that name; a set is checked when it is read, so it is there."""
        return next(policy for policy in self.policies if policy.name == name)


class Choice(Value):
    """The policy of a new case, and why this one; a set without segments leaves nothing to explain."""

    policy: Policy
    why: tuple[str, ...] = ()


def only(policy: Policy) -> PolicySet:
    """The set in which every case gets the same policy."""
    return PolicySet((policy,), policy.name)


def choose(policies: PolicySet, processor: str, snapshot: Snapshot | None) -> Choice:
    """The policy for a new case of a processor. Without a snapshot nothing is known of the invoice, and the default is all that is left."""
    default = policies.named(policies.default)
    if snapshot is None or not policies.segments:
        return Choice(default)
    for segment in policies.segments:
        met = _met(segment, processor, snapshot)
        if None not in met:
            held = ", ".join(one for one in met if one) or "it has no condition"
            return Choice(
                policies.named(segment.policy),
                (f"runs under the policy {segment.policy}: segment {segment.name} ({held})",),
            )
    return Choice(default, (f"runs under the policy {default.name}: no segment fits, so the default does",))


def _met(segment: Segment, processor: str, snapshot: Snapshot) -> tuple[str | None, ...]:
    """For each condition what meets it, in words; empty where the segment does not name it, None where it does not hold."""
    invoice, customer, method = snapshot.invoice, snapshot.customer, snapshot.default_method
    country = customer.country if customer is not None else None
    return (
        _any("product", segment.products, invoice.products),
        _any("currency", segment.currencies, (invoice.currency.lower(),)),
        _any("country", segment.countries, (country.upper(),) if country is not None else ()),
        _any("processor", segment.processors, (processor,)),
        _any("rail", segment.rails, (method.rail,) if method is not None else ()),
        _any("tag", segment.tags, invoice.tags),
        _amount(segment, invoice.amount_due_minor),
    )


def _any(what: str, wanted: tuple[str, ...], found: Collection[str]) -> str | None:
    """The first wanted value that is there."""
    if not wanted:
        return ""
    return next((f"{what} {one}" for one in wanted if one in found), None)


def _amount(segment: Segment, amount_minor: int) -> str | None:
    """Whether the amount due lies between the bounds."""
    low, high = segment.amount_min_minor, segment.amount_max_minor
    if low is None and high is None:
        return ""
    if (low is not None and amount_minor < low) or (high is not None and amount_minor > high):
        return None
    return "the amount is within its bounds"
