"""What an answer of the billing system means.

A reason code is an answer; which codes are worth another try, the merchant says in the settings. No answer, a 5xx and a body that cannot be read are not knowing.
"""

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus

from dunr.adapters.processors.billing_http.wire import (
    ChargeAnswerOnWire,
    LookUpAnswerOnWire,
    NotFoundAnswer,
    NotPaidAnswer,
    PaidAnswer,
    PendingAnswer,
    Refusal,
    ReturnedAnswer,
)
from dunr.adapters.processors.exchange import Answer, NoAnswer, Unreadable
from dunr.core.answers import (
    CannotSay,
    ChargeAnswer,
    Declined,
    LookUpAnswer,
    NotNow,
    NotThere,
    Paid,
    Pending,
    Refused,
    RefusedKind,
    Unanswered,
)
from dunr.core.attempt import Attempt
from dunr.core.snapshot import ChargeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus

WAIT_SECONDS_MAX = 3600
NOT_NOW_STATUSES = frozenset({HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS})
ANSWER_STATUSES = frozenset({HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED, HTTPStatus.PAYMENT_REQUIRED})
REFUSED_CODES: Mapping[str, RefusedKind] = {
    "idempotency_key_reused": RefusedKind.IDEMPOTENCY_KEY_REUSED,
    "not_payable": RefusedKind.NOT_PAYABLE,
    "amount_too_small": RefusedKind.AMOUNT_TOO_SMALL,
}
REFUSED_STATUSES: Mapping[int, RefusedKind] = {
    HTTPStatus.UNAUTHORIZED: RefusedKind.KEY_REVOKED,
    HTTPStatus.FORBIDDEN: RefusedKind.KEY_REVOKED,
    HTTPStatus.NOT_FOUND: RefusedKind.NOT_FOUND,
}


def of_charge_call(answer: Answer | NoAnswer, amount_minor: int, now: datetime) -> ChargeAnswer:
    """What one call came to. A connection that was never made is no answer either: the step is spent, and the next call is another try."""
    if isinstance(answer, NoAnswer):
        return Unanswered(str(answer))
    if answer.status in ANSWER_STATUSES:
        try:
            return _fate(answer.read(ChargeAnswerOnWire), amount_minor, now)
        except Unreadable as unreadable:
            return Unanswered(str(unreadable))
    code = code_of(answer)
    if answer.status in NOT_NOW_STATUSES:
        return NotNow(code, _wait_seconds(answer))
    if not HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return Unanswered(f"HTTP {answer.status}")
    if answer.status == HTTPStatus.REQUEST_TIMEOUT:
        return Unanswered(f"HTTP {answer.status}")
    kind = REFUSED_CODES.get(code) or REFUSED_STATUSES.get(answer.status, RefusedKind.BAD_REQUEST)
    return Refused(kind, code)


def told_by_look_up(answer: Answer | NoAnswer) -> LookUpAnswerOnWire | CannotSay:
    """What a look-up said. Only a whole answer that says so means that nothing is there: a 404 may be a wrong address."""
    if isinstance(answer, NoAnswer):
        return CannotSay(str(answer))
    if answer.status != HTTPStatus.OK:
        return CannotSay(f"HTTP {answer.status} ({code_of(answer)})")
    try:
        told: LookUpAnswerOnWire = answer.read(LookUpAnswerOnWire)
    except Unreadable as unreadable:
        return CannotSay(str(unreadable))
    return told


def of_look_up(told: LookUpAnswerOnWire | CannotSay, amount_minor: int, now: datetime) -> LookUpAnswer:
    """What became of an attempt. One that came back was paid first; the snapshot tells of its return."""
    match told:
        case CannotSay():
            return told
        case NotFoundAnswer():
            return NotThere()
        case ReturnedAnswer():
            return Paid(told.id, amount_minor if told.amount_minor is None else told.amount_minor, min(told.at, now))
        case PaidAnswer() | NotPaidAnswer() | PendingAnswer():
            return _fate(told, amount_minor, now)


def shown(attempt: Attempt, told: LookUpAnswerOnWire | CannotSay, now: datetime) -> ChargeSnapshot | None:
    """A charge of ours as a look-up shows it; None where the look-up shows none.

    What makes a charge the same one is its key. It goes by the id under which we heard of it first, whatever id a later answer gives it.
    """
    match told:
        case CannotSay() | NotFoundAnswer():
            return None
        case ReturnedAnswer():
            amount_minor = attempt.amount_minor if told.amount_minor is None else told.amount_minor
            return ChargeSnapshot(
                attempt.processor_charge_id or told.id,
                attempt.key,
                amount_minor,
                ChargeStatus.RETURNED,
                min(told.at, now),
                return_code=told.reason_code,
            )
        case PaidAnswer():
            amount_minor = attempt.amount_minor if told.amount_minor is None else told.amount_minor
            charge_id = attempt.processor_charge_id or told.id
            return ChargeSnapshot(charge_id, attempt.key, amount_minor, ChargeStatus.SUCCEEDED, min(told.at, now))
        case NotPaidAnswer():
            raw = RawDecline(told.reason_code)
            return ChargeSnapshot(
                attempt.processor_charge_id or told.id or attempt.key,
                attempt.key,
                attempt.amount_minor,
                ChargeStatus.DECLINED,
                told.at or now,
                raw,
            )
        case PendingAnswer():
            return ChargeSnapshot(
                attempt.processor_charge_id or told.id or attempt.key,
                attempt.key,
                attempt.amount_minor,
                ChargeStatus.PENDING,
                attempt.begun_at,
            )


def code_of(answer: Answer) -> str:
    """The server's word for what is wrong; the status where it has none."""
    try:
        refusal: Refusal = answer.read(Refusal)
    except Unreadable:
        return f"http_{answer.status}"
    return refusal.error.code


def _fate(told: ChargeAnswerOnWire, amount_minor: int, now: datetime) -> Paid | Declined | Pending:
    """An answer as the core knows it. Nothing has happened later than now, however fast the server's clock is: what we read from now on is newer."""
    match told:
        case PaidAnswer():
            return Paid(told.id, amount_minor if told.amount_minor is None else told.amount_minor, min(told.at, now))
        case NotPaidAnswer():
            return Declined(told.id, RawDecline(told.reason_code), told.at or now)
        case PendingAnswer():
            return Pending(told.id)


def _wait_seconds(answer: Answer) -> int | None:
    """How long we are asked to wait, within reason."""
    text = answer.headers.get("retry-after", "")
    return min(max(int(text), 1), WAIT_SECONDS_MAX) if text.isascii() and text.isdigit() else None
