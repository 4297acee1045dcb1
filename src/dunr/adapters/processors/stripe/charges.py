"""Charges and disputes: what Stripe says of each, and why it said no.

A charge carries our key nowhere. What it says of a decline is less than what its intent's last error says, so both are read where they are about the same charge.
A bank debit that came back after it had succeeded shows as a dispute with the bank's reason; that is a return, and no quarrel.
"""

from collections.abc import Mapping, Sequence

import msgspec

from dunr.adapters.processors.stripe.methods import InstrumentOnWire
from dunr.adapters.processors.stripe.wire import (
    Code,
    ErrorOnWire,
    Id,
    IntentOnWire,
    Minor,
    Ref,
    Seconds,
    id_of,
    instant,
)
from dunr.core.snapshot import ChargeSnapshot, DisputeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus, DisputeStatus

REQUIRES_ACTION = "requires_action"
AUTHENTICATION_REQUIRED = RawDecline("authentication_required", "authentication_required")
ISSUER_DECLINED = "issuer_declined"
RETURN_REASONS = frozenset({"bank_cannot_process", "incorrect_account_details", "insufficient_funds"})
DISPUTE_STATUSES: Mapping[str, DisputeStatus] = {
    "won": DisputeStatus.WON,
    "lost": DisputeStatus.LOST,
    "warning_closed": DisputeStatus.WARNING_CLOSED,
    "prevented": DisputeStatus.WARNING_CLOSED,
}


class OutcomeOnWire(msgspec.Struct):
    """How the network and Stripe's own rules judged a charge."""

    type: str | None = None
    reason: str | None = None
    advice_code: Code | None = None
    network_decline_code: Code | None = None
    network_advice_code: Code | None = None


class InstrumentOfCharge(msgspec.Struct):
    """What was charged."""

    type: str | None = None
    card: InstrumentOnWire | None = None
    us_bank_account: InstrumentOnWire | None = None
    sepa_debit: InstrumentOnWire | None = None
    bacs_debit: InstrumentOnWire | None = None

    @property
    def fingerprint(self) -> str | None:
        """The card key, where the instrument has one."""
        behind = self.card or self.us_bank_account or self.sepa_debit or self.bacs_debit
        return behind.fingerprint if behind is not None else None


class ChargeOnWire(msgspec.Struct):
    """One charge."""

    id: Id
    amount: Minor
    status: str
    created: Seconds
    amount_captured: Minor = 0
    amount_refunded: Minor = 0
    captured: bool = True
    disputed: bool = False
    customer: Ref = None
    invoice: Ref = None  # told in versions before 2025-03-31 only
    payment_intent: Ref = None
    payment_method: str | None = None
    payment_method_details: InstrumentOfCharge | None = None
    failure_code: Code | None = None
    outcome: OutcomeOnWire | None = None

    @property
    def card_key(self) -> str | None:
        """What caps, leases and hard stops hang on: as the method on file has it."""
        details = self.payment_method_details
        return (details.fingerprint if details is not None else None) or self.payment_method

    @property
    def _network(self) -> str | None:
        """Whose numbers the network's codes are."""
        card = self.payment_method_details.card if self.payment_method_details is not None else None
        return (card.network or card.brand) if card is not None else None

    @property
    def charge_status(self) -> ChargeStatus:
        """Where the money is. What was authorized and not captured has not moved."""
        if self.status == "succeeded":
            return ChargeStatus.SUCCEEDED if self.captured else ChargeStatus.PENDING
        return ChargeStatus.PENDING if self.status == "pending" else ChargeStatus.DECLINED

    def raw_decline(self, told: RawDecline) -> RawDecline:
        """Every signal of a decline. `told` is what the intent, or the answer to the call, says of this very charge."""
        outcome = self.outcome or OutcomeOnWire()
        # Where the issuer declined, the outcome's reason is the decline code.
        issuer_said = outcome.reason if outcome.type == ISSUER_DECLINED else None
        return RawDecline(
            code=told.code or self.failure_code,
            decline_code=told.decline_code or issuer_said,
            advice_code=told.advice_code or outcome.advice_code,
            network_decline_code=told.network_decline_code or outcome.network_decline_code,
            network_advice_code=told.network_advice_code or outcome.network_advice_code,
            outcome_reason=outcome.reason,
            network=self._network,
        )

    def seen(self, intent: IntentOnWire | None, returned: str | None) -> ChargeSnapshot:
        """The charge as ours; `returned` is the bank's reason where a debit came back."""
        status = ChargeStatus.RETURNED if returned is not None else self.charge_status
        moved = status in (ChargeStatus.SUCCEEDED, ChargeStatus.RETURNED)
        error = error_of(intent, self.id) if intent is not None else None
        told = raw_of(error) if error is not None else RawDecline(None)
        return ChargeSnapshot(
            processor_charge_id=self.id,
            key=None,
            amount_minor=(self.amount_captured or self.amount) if moved else self.amount,
            status=status,
            at=instant(self.created),
            decline=self.raw_decline(told) if status is ChargeStatus.DECLINED else None,
            card_key=self.card_key,
            processor_intent_id=waiting_intent(intent) if status is ChargeStatus.DECLINED else None,
            refunded_minor=self.amount_refunded,
            return_code=returned,
        )


class BalanceOnWire(msgspec.Struct):
    """Money that a dispute moved: taken where it is negative, given back where it is positive."""

    amount: int


class DisputeOnWire(msgspec.Struct):
    """A dispute."""

    id: Id
    amount: Minor
    status: str
    charge: Ref = None
    reason: str | None = None
    balance_transactions: list[BalanceOnWire] = []

    @property
    def return_reason(self) -> str | None:
        """The bank's reason, where this is a debit that came back."""
        return self.reason if self.reason in RETURN_REASONS else None

    def seen(self, charge: ChargeOnWire, invoice_id: str | None) -> DisputeSnapshot:
        """The dispute as ours. A status that is not known stands: in doubt nothing is charged."""
        return DisputeSnapshot(
            processor_dispute_id=self.id,
            processor_charge_id=charge.id,
            processor_invoice_id=invoice_id,
            card_key=charge.card_key or charge.id,
            amount_minor=self.amount,
            status=DISPUTE_STATUSES.get(self.status, DisputeStatus.OPEN),
            reinstated=self.status == "won" or any(moved.amount > 0 for moved in self.balance_transactions),
        )


def error_of(intent: IntentOnWire, charge_id: str) -> ErrorOnWire | None:
    """The intent's last error, where it is about this charge."""
    error = intent.last_payment_error
    about = (id_of(error.charge) or id_of(intent.latest_charge)) if error is not None else None
    return error if about == charge_id else None


def waiting_intent(intent: IntentOnWire | None) -> str | None:
    """The intent's id while it waits for the customer to authenticate; any other needs no cancelling."""
    return intent.id if intent is not None and intent.status == REQUIRES_ACTION else None


def try_without_charge(intent: IntentOnWire, charges: Sequence[ChargeOnWire], at: Seconds) -> ChargeSnapshot | None:
    """A try that left no charge: the bank wants the customer first, or Stripe stopped it. The intent stands for the charge."""
    if any(id_of(charge.payment_intent) == intent.id for charge in charges):
        return None
    error = intent.last_payment_error
    if intent.status == REQUIRES_ACTION:
        decline = AUTHENTICATION_REQUIRED
    elif error is not None and intent.status != "succeeded":
        decline = raw_of(error)
    else:
        return None
    return ChargeSnapshot(
        processor_charge_id=intent.id,
        key=None,
        amount_minor=intent.amount,
        status=ChargeStatus.DECLINED,
        at=instant(at),
        decline=decline,
        processor_intent_id=waiting_intent(intent),
    )


def raw_of(error: ErrorOnWire) -> RawDecline:
    """The signals of an error that is a decline."""
    return RawDecline(
        code=error.code,
        decline_code=error.decline_code,
        advice_code=error.advice_code,
        network_decline_code=error.network_decline_code,
        network_advice_code=error.network_advice_code,
    )
