"""A dispute as a case knows it, beside the processor's own record in the snapshot: what was booked for it is not booked again."""

from dunr.core.terms import DisputeStatus
from dunr.core.value import Value

BLOCKING = (DisputeStatus.OPEN, DisputeStatus.LOST)  # nothing is charged by that card until a person says so


class KnownDispute(Value):
    """A dispute as this case last saw it."""

    processor_dispute_id: str
    status: DisputeStatus
    reinstated: bool
