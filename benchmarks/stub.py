"""A processor that answers at once: every invoice is open with one failed charge, every charge is paid. What is left is what dunr itself does for an attempt."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from dunr.bootstrap import facts_of
from dunr.core.answers import ChargeAnswer, Paid
from dunr.core.snapshot import (
    ChargeSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    MethodSnapshot,
    RawDecline,
    Snapshot,
    SubscriptionSnapshot,
)
from dunr.core.terms import ChargeStatus, CollectionMethod, InvoiceStatus, Rail, SubscriptionStatus
from dunr.ports import ChargeRequest

FAILED_AT = datetime(2026, 6, 23, 10, tzinfo=UTC)
DUE_AT = FAILED_AT + timedelta(days=1)
AMOUNT_MINOR = 4900
PREFIX = "in_"


class StandingClock:
    """A clock that somebody else sets, so that what is due is due in every round."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        """The instant that was set."""
        return self.at


class StubProcessor:
    """The verbs of the port that an attempt needs."""

    name = "sandbox"
    facts = facts_of("sandbox")

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self.charged_count = 0

    def snapshot(self, account: str, processor_invoice_id: str) -> Snapshot:  # noqa: ARG002 - the port names what others need
        """An open invoice of a customer of its own, with a card of its own."""
        number = processor_invoice_id.removeprefix(PREFIX)
        decline = RawDecline("card_declined", "insufficient_funds")
        return Snapshot(
            taken_at=self._now(),
            live=False,
            invoice=InvoiceSnapshot(
                processor_invoice_id=processor_invoice_id,
                status=InvoiceStatus.OPEN,
                amount_total_minor=AMOUNT_MINOR,
                amount_due_minor=AMOUNT_MINOR,
                credited_minor=0,
                currency="usd",
                first_failed_at=FAILED_AT,
                collection_method=CollectionMethod.CHARGE_AUTOMATICALLY,
                is_first=False,
            ),
            subscription=SubscriptionSnapshot(f"sub_{number}", SubscriptionStatus.PAST_DUE, None),
            customer=CustomerSnapshot(f"cus_{number}", deleted=False, email=f"{number}@example.com"),
            methods=(MethodSnapshot(f"pm_{number}", f"fp_{number}", Rail.CARD, network="visa", last4="4242"),),
            charges=(
                ChargeSnapshot(
                    f"ch_{number}_0",
                    None,
                    AMOUNT_MINOR,
                    ChargeStatus.DECLINED,
                    FAILED_AT,
                    decline=decline,
                    card_key=f"fp_{number}",
                ),
            ),
        )

    def charge(self, request: ChargeRequest) -> ChargeAnswer:
        """Paid at once."""
        self.charged_count += 1
        return Paid(f"ch_{request.processor_invoice_id}_1", request.amount_minor, self._now())

    def now(self, account: str) -> datetime:  # noqa: ARG002
        """Our own clock."""
        return self._now()
