"""No endpoint to tell.

Knows that changes and alerts are in the store already, where the entitlement check and the operator read them.
"""

from dunr.core.effects import Publish, PublishCharge, RaiseAlert
from dunr.ports import Delivery


class StoredOnlyPublisher:
    """Tells nobody and says SENT: what was recorded is all that was asked for."""

    def publish(self, message: Publish) -> Delivery:  # noqa: ARG002 - the port's argument
        """The entitlement check answers from the store."""
        return Delivery.SENT

    def publish_charge(self, message: PublishCharge) -> Delivery:  # noqa: ARG002 - the port's argument
        """How a charge ended is told by the API, too."""
        return Delivery.SENT

    def alert(self, alert: RaiseAlert) -> Delivery:  # noqa: ARG002 - the port's argument
        """The alert stays visible among the recorded effects."""
        return Delivery.SENT
