"""What Stripe can do, apart from the code that does it: whoever only asks needs no SDK."""

from dunr.core.facts import Capability, ProcessorFacts

FACTS = ProcessorFacts(
    retries_by_itself=True, capabilities=frozenset({Capability.REFRESH_METHOD, Capability.TAKE_OVER})
)


def rate_max(*, live: bool) -> float:
    """Calls a second: a fifth less than the 100, or 25, that Stripe allows an account in any one second, since calls do not leave and arrive evenly."""
    return 80.0 if live else 20.0
