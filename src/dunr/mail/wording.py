"""Which sentences a notice has. Knows the escalation from gentle to clear, and that only what it states may be said.

Values in, keys of the catalogue out: no language, no text. Each date has sentences of its own, chosen only where the
notice has that date.
"""

from dataclasses import dataclass
from typing import assert_never

from dunr.core.effects import Notice
from dunr.core.terms import DeclineReason, NoticeKind

# The step from which a reminder speaks more firmly. The first step has the first notice, so this is the second reminder.
FIRM_FROM_STEP = 3


@dataclass(frozen=True, slots=True)
class Wording:
    """The keys of one letter. `tells_pause`: the pause date stands in it, so that the details may repeat it."""

    subject: str
    heading: str
    opening: str
    paragraphs: tuple[str, ...]
    button: str | None
    tells_pause: bool


def wording(notice: Notice) -> Wording:
    """The sentences of this notice, in the order in which they are read."""
    table = _table(notice)
    pause = _pause_sentence(notice)
    names_pause_in_subject = notice.kind is NoticeKind.FINAL_WARNING and pause is not None
    chosen = (
        _card_sentence(notice),
        _reason_sentence(notice),
        _retry_sentence(notice, table),
        pause,
        _closing_sentence(notice),
    )
    return Wording(
        subject=f"{table}.subject_pause" if names_pause_in_subject else f"{table}.subject",
        heading=f"{table}.heading",
        opening=f"{table}.opening",
        paragraphs=tuple(key for key in chosen if key is not None),
        button=None if notice.kind is NoticeKind.RECEIPT else f"{table}.button",
        tells_pause=pause is not None,
    )


def _table(notice: Notice) -> str:
    """The table of the catalogue; reminders become firmer from the second on."""
    if notice.kind is NoticeKind.REMINDER and (notice.step_number or 0) >= FIRM_FROM_STEP:
        return "reminder_firm"
    return notice.kind.value


def _retry_sentence(notice: Notice, table: str) -> str | None:
    match notice.kind:
        case NoticeKind.FIRST | NoticeKind.REMINDER | NoticeKind.FINAL_WARNING:
            return f"{table}.retry" if notice.next_attempt_at else f"{table}.no_retry"
        case NoticeKind.PAUSED | NoticeKind.METHOD_NEEDED | NoticeKind.CONFIRM_WITH_BANK:
            return f"{table}.retry" if notice.next_attempt_at else None
        case NoticeKind.RECEIPT | NoticeKind.CARD_EXPIRING:
            return None
        case unreachable:
            assert_never(unreachable)


def _card_sentence(notice: Notice) -> str | None:
    """Which card it is and when it expires, where the notice is about one."""
    if notice.card is None:
        return None
    return "card_expiring.card" if notice.card.last4 else "card_expiring.month"


def _pause_sentence(notice: Notice) -> str | None:
    """Gentle notices keep the pause to themselves, unless this one is the warning that must come before it."""
    if notice.pause_at is None:
        return None
    match notice.kind:
        case NoticeKind.RECEIPT | NoticeKind.PAUSED | NoticeKind.CARD_EXPIRING:
            return None
        case NoticeKind.FINAL_WARNING:
            return "pause.plain"
        case NoticeKind.FIRST:
            return "pause.plain" if notice.is_warning else None
        case NoticeKind.REMINDER:
            if notice.is_warning:
                return "pause.plain"
            return "pause.mild" if (notice.step_number or 0) >= FIRM_FROM_STEP else None
        case NoticeKind.METHOD_NEEDED | NoticeKind.CONFIRM_WITH_BANK:
            return "pause.plain" if notice.is_warning else "pause.mild"
        case unreachable:
            assert_never(unreachable)


def _closing_sentence(notice: Notice) -> str | None:
    match notice.kind:
        case NoticeKind.PAUSED:
            return "paused.way_back"
        case NoticeKind.RECEIPT:
            return "receipt.done"
        case NoticeKind.CARD_EXPIRING:
            return "card_expiring.done"
        case (
            NoticeKind.FIRST
            | NoticeKind.REMINDER
            | NoticeKind.FINAL_WARNING
            | NoticeKind.METHOD_NEEDED
            | NoticeKind.CONFIRM_WITH_BANK
        ):
            return None
        case unreachable:
            assert_never(unreachable)


def _reason_sentence(notice: Notice) -> str | None:
    if notice.reason is None or notice.kind in {NoticeKind.RECEIPT, NoticeKind.CONFIRM_WITH_BANK}:
        return None  # a receipt looks forward, and the letter about the bank says its reason anyway
    name = reason_told(notice.reason)
    return f"reason.{name}" if name else None


def reason_told(reason: DeclineReason) -> str | None:
    """What may be said of a decline, if anything. The notice leaves out what may not be told; this is the second lock.

    Suspicion of theft or fraud reads as any other refusal. What went wrong on our side is not the customer's business.
    """
    match reason:
        case (
            DeclineReason.INSUFFICIENT_FUNDS
            | DeclineReason.VELOCITY_LIMIT
            | DeclineReason.EXPIRED_CARD
            | DeclineReason.CREDENTIAL_UPDATED
            | DeclineReason.INCORRECT_DETAILS
            | DeclineReason.INVALID_ACCOUNT
            | DeclineReason.AUTHENTICATION_REQUIRED
            | DeclineReason.AUTHORIZATION_REVOKED
        ):
            return reason.value
        case DeclineReason.CURRENCY_OR_METHOD_UNSUPPORTED:
            return "method_unsupported"
        case (
            DeclineReason.DO_NOT_HONOR
            | DeclineReason.GENERIC_DECLINE
            | DeclineReason.ACCOUNT_BLOCKED
            | DeclineReason.LOST_OR_STOLEN
            | DeclineReason.FRAUD_SUSPECTED
            | DeclineReason.RISK_CHECK
            | DeclineReason.DO_NOT_RETRY
            | DeclineReason.NOT_PERMITTED
        ):
            return "declined"
        case (
            DeclineReason.ISSUER_UNAVAILABLE
            | DeclineReason.PROCESSING_ERROR
            | DeclineReason.AUTHORIZATION_DISPUTED
            | DeclineReason.PAYER_DECEASED
            | DeclineReason.DUPLICATE
            | DeclineReason.MERCHANT_ERROR
            | DeclineReason.TECHNICAL
            | DeclineReason.NOT_A_DECLINE
            | DeclineReason.UNKNOWN
        ):
            return None
        case unreachable:
            assert_never(unreachable)
