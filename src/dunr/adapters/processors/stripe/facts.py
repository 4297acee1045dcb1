"""What Stripe can do, apart from the code that does it: whoever only asks needs no SDK."""

from dunr.core.facts import Capability, ProcessorFacts

FACTS = ProcessorFacts(
    retries_by_itself=True, capabilities=frozenset({Capability.REFRESH_METHOD, Capability.TAKE_OVER})
)


def rate_max(*, live: bool) -> float:
    """Calls a second that Stripe allows an account; it may slow one down that keeps trying above it."""
    return 100.0 if live else 25.0
