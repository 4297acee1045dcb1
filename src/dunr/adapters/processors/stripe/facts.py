"""What Stripe can do, apart from the code that does it: whoever only asks needs no SDK."""

from dunr.core.facts import Capability, ProcessorFacts

FACTS = ProcessorFacts(
    retries_by_itself=True, capabilities=frozenset({Capability.REFRESH_METHOD, Capability.TAKE_OVER})
)
