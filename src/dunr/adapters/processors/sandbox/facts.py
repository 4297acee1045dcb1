"""What the sandbox can do: everything that a policy may ask for."""

from dunr.core.facts import Capability, ProcessorFacts

FACTS = ProcessorFacts(capabilities=frozenset(Capability))
