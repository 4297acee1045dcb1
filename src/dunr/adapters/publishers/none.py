"""No endpoint to tell.

Knows that changes and alerts are in the store already, where the entitlement check and the operator read them.
"""

from datetime import datetime

from dunr.core.alerting import AlertWord
from dunr.core.effects import Notice, Publish, PublishCharge
from dunr.ports import Delivery


class StoredOnlyPublisher:
    """Tells nobody and says SENT: what was recorded is all that was asked for."""

    def publish(self, message: Publish) -> Delivery:  # noqa: ARG002 - the port's argument
        """The entitlement check answers from the store."""
        return Delivery.SENT

    def publish_charge(self, message: PublishCharge) -> Delivery:  # noqa: ARG002 - the port's argument
        """How a charge ended is told by the API, too."""
        return Delivery.SENT

    def notice_due(self, notice: Notice, customer_id: str | None, now: datetime) -> Delivery:  # noqa: ARG002 - as above
        """Nobody would be told; the settings allow it only with an endpoint."""
        return Delivery.FAILED_FOR_NOW

    def alert(self, word: AlertWord) -> Delivery:  # noqa: ARG002 - the port's argument
        """The alert stays visible among the recorded effects."""
        return Delivery.SENT
