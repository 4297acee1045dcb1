"""The vocabulary of dunning: closed sets, one word per thing. A `match` has no wildcard: a new member does not type-check until every rule has an opinion on it."""

from enum import StrEnum


class CaseState(StrEnum):
    """Where a case stands; *attempting* and *held* are shown beside it, not states of their own."""

    SCHEDULED = "scheduled"  # a next step has a time
    AWAITING_CUSTOMER = "awaiting_customer"  # nothing to try until a new method, an authentication or a data fix
    RECOVERED = "recovered"  # nothing is left to pay
    EXHAUSTED = "exhausted"  # the steps are spent; the invoice is still payable
    CLOSED = "closed"  # ended by a person, a void, a write-off, a cancellation or a deletion


class ChargeEnd(StrEnum):
    """What the merchant's billing system is told of a charge that it left to us."""

    PAID = "CHARGE_PAID"
    NOT_PAID = "CHARGE_NOT_PAID"  # nothing more is tried unless somebody acts
    CLOSED = "CHARGE_CLOSED"  # a person, a void, a write-off, a cancellation or a deletion ended it


class CloseReason(StrEnum):
    """Why a closed case was closed."""

    VOIDED = "voided"
    WRITTEN_OFF = "written_off"
    SUBSCRIPTION_ENDED = "subscription_ended"
    CUSTOMER_DELETED = "customer_deleted"
    CARRIED_OVER = "carried_over"  # the amount is below what the processor charges; it is added to the next invoice
    OPERATOR = "operator"


class Trigger(StrEnum):
    """Why an attempt began."""

    TIMER = "timer"
    UPDATER = "updater"
    METHOD_UPDATED = "method_updated"
    BACKUP = "backup"
    CUSTOMER = "customer"
    OPERATOR = "operator"
    PROMISE = "promise"
    RENEWAL = "renewal"
    PROCESSOR = "processor"  # foreign: somebody else charged


SPENDS_STEP = frozenset({Trigger.TIMER, Trigger.UPDATER})


class Outcome(StrEnum):
    """How an attempt ended, or what is known of it so far."""

    SUCCEEDED = "succeeded"
    DECLINED = "declined"
    PENDING = "pending"  # the processor works on it; it stays in flight
    UNKNOWN = "unknown"  # no answer came; it stays in flight until it is looked up
    REFUSED = "refused"  # the processor did not take the request; no decline
    WITHDRAWN = "withdrawn"  # never sent, or settled as not there


UNSETTLED = frozenset({Outcome.PENDING, Outcome.UNKNOWN})


class InFlightAction(StrEnum):
    """What happens next with an attempt that has no final answer."""

    LOOK_UP = "look_up"
    RESEND = "resend"  # the processor said "not now": the same bytes under the same key, through the gate


class HoldKind(StrEnum):
    """Why nothing is sent for a case."""

    OPERATOR = "operator"
    DISPUTE = "dispute"
    PROCESSOR = "processor"
    MERCHANT = "merchant"  # the merchant's own system forbids the charge, or does not answer


class Access(StrEnum):
    """What the subscriber may do."""

    GRANTED = "granted"
    GRACE = "grace"  # a debt is being recovered; access stays
    PAUSED = "paused"
    ENDED = "ended"


class DeclineKind(StrEnum):
    """What a decline asks of us."""

    SOFT = "soft"  # time may help
    ACTION = "action"  # the customer, or an updater, has to do something
    HARD = "hard"  # this credential is dead
    NEUTRAL = "neutral"  # says nothing about the payer
    OPERATOR = "operator"  # our request or configuration is at fault


class DeclineReason(StrEnum):
    """dunr's own taxonomy of declines; the rows are in the package's `facts`."""

    INSUFFICIENT_FUNDS = "insufficient_funds"
    VELOCITY_LIMIT = "velocity_limit"
    ISSUER_UNAVAILABLE = "issuer_unavailable"
    PROCESSING_ERROR = "processing_error"
    DO_NOT_HONOR = "do_not_honor"
    GENERIC_DECLINE = "generic_decline"
    EXPIRED_CARD = "expired_card"
    CREDENTIAL_UPDATED = "credential_updated"
    INCORRECT_DETAILS = "incorrect_details"
    ACCOUNT_BLOCKED = "account_blocked"
    AUTHENTICATION_REQUIRED = "authentication_required"
    INVALID_ACCOUNT = "invalid_account"
    LOST_OR_STOLEN = "lost_or_stolen"
    FRAUD_SUSPECTED = "fraud_suspected"
    RISK_CHECK = "risk_check"  # stopped by a check that a later try may pass
    AUTHORIZATION_REVOKED = "authorization_revoked"
    AUTHORIZATION_DISPUTED = "authorization_disputed"
    PAYER_DECEASED = "payer_deceased"
    DO_NOT_RETRY = "do_not_retry"
    NOT_PERMITTED = "not_permitted"
    CURRENCY_OR_METHOD_UNSUPPORTED = "currency_or_method_unsupported"
    DUPLICATE = "duplicate"
    MERCHANT_ERROR = "merchant_error"
    TECHNICAL = "technical"
    NOT_A_DECLINE = "not_a_decline"  # an approval, a refund, a notice: it says nothing of why this payment failed
    UNKNOWN = "unknown"


class Rail(StrEnum):
    """How the money moves."""

    CARD = "card"
    ACH = "ach"
    SEPA = "sepa"
    BACS = "bacs"
    UPI = "upi"
    CARRIER = "carrier"


SLOW_RAILS = frozenset({Rail.ACH, Rail.SEPA, Rail.BACS})  # a success may still bounce days later


class NoticeKind(StrEnum):
    """The dunning messages; mail is one channel for them."""

    FIRST = "first"
    REMINDER = "reminder"
    FINAL_WARNING = "final_warning"
    PAUSED = "paused"
    RECEIPT = "receipt"
    METHOD_NEEDED = "method_needed"
    CONFIRM_WITH_BANK = "confirm_with_bank"
    CARD_EXPIRING = "card_expiring"  # before anything has failed; belongs to no case


class AlertKind(StrEnum):
    """What a person must hear of."""

    OVERPAID = "overpaid"
    UNKNOWN_DECLINE = "unknown_decline"
    UNSETTLED_ATTEMPT = "unsettled_attempt"
    REQUEST_REFUSED = "request_refused"
    KEY_REVOKED = "key_revoked"
    AMOUNT_TOO_SMALL = "amount_too_small"
    DEBT_LEFT_OPEN = "debt_left_open"
    LATE_MONEY = "late_money"
    DISPUTED = "disputed"
    PAYMENT_RETURNED = "payment_returned"
    NOTICE_UNDELIVERABLE = "notice_undeliverable"
    PAYER_DECEASED = "payer_deceased"
    CANCEL_ASKED = "cancel_asked"
    BAD_SIGNATURES = "bad_signatures"
    CLOCK_SKEW = "clock_skew"
    EVENT_REUSED = "event_reused"
    DEAD_LETTER = "dead_letter"
    SNAPSHOT_UNAVAILABLE = "snapshot_unavailable"
    COPIED_STORE = "copied_store"
    DRIFT = "drift"
    TEMPLATE_REFUSED = "template_refused"  # a merchant's own mail template that cannot be used; ours is
    BRAND_UNKNOWN = "brand_unknown"  # a policy names one that the settings do not have
    POLICY_REFUSED = "policy_refused"  # a policy file that was changed and cannot be used
    RESUBSCRIBED = "resubscribed"
    COEXISTENCE = "coexistence"  # the processor collects by itself, too
    CHARGE_UNSETTLED = "charge_unsettled"  # given up as not paid, and nobody knows whether the money moved
    BRAKED = "braked"  # sending holds by itself
    PERMISSION_UNANSWERED = "permission_unanswered"  # nobody says whether charges may be made, so none are
    ADVICE = "advice"  # what we would charge now, where the policy only advises


class FinalAction(StrEnum):
    """What a policy does when all steps are spent."""

    PAUSE = "pause"
    MARK_UNPAID = "mark_unpaid"
    CANCEL = "cancel"
    NONE = "none"


class RestoreOn(StrEnum):
    """What brings access back."""

    METHOD_UPDATED = "method_updated"
    PAYMENT = "payment"


class WhilePaused(StrEnum):
    """What a new invoice of a paused subscription gets."""

    FIRST_CHARGE_ONLY = "first_charge_only"
    FULL = "full"
    SKIP = "skip"


class Coexistence(StrEnum):
    """What is done about an invoice that the processor tries to collect by itself, too."""

    OBSERVE = "observe"  # nothing is charged by us
    ADVISE = "advise"  # what we would charge is published, and not charged
    TAKE_OVER = "take_over"  # the processor is made to leave the invoice to us
    REFUSE = "refuse"  # no case is opened


class StepUnit(StrEnum):
    """The unit of a step's gap."""

    BUSINESS_DAYS = "business_days"
    DAYS = "days"
    HOURS = "hours"
    MINUTES = "minutes"
    SECONDS = "seconds"


class InvoiceStatus(StrEnum):
    """What the processor says of an invoice."""

    DRAFT = "draft"
    OPEN = "open"
    PAID = "paid"
    VOID = "void"
    WRITTEN_OFF = "written_off"


class SubscriptionStatus(StrEnum):
    """What the processor says of a subscription."""

    ACTIVE = "active"
    TRIALING = "trialing"
    PAST_DUE = "past_due"
    INCOMPLETE = "incomplete"
    PAUSED = "paused"
    UNPAID = "unpaid"
    ENDED = "ended"


class CollectionMethod(StrEnum):
    """Whether the processor charges by itself or sends the invoice to the customer."""

    CHARGE_AUTOMATICALLY = "charge_automatically"
    SEND_INVOICE = "send_invoice"


class ChargeStatus(StrEnum):
    """What the processor says of one charge."""

    SUCCEEDED = "succeeded"
    DECLINED = "declined"
    PENDING = "pending"
    RETURNED = "returned"  # a bank debit that came back after it had succeeded


class DisputeStatus(StrEnum):
    """What the processor says of a dispute."""

    OPEN = "open"
    WON = "won"
    LOST = "lost"
    WARNING_CLOSED = "warning_closed"  # an inquiry that ended without a loss
