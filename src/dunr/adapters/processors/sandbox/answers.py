"""What an answer to a charge or a look-up means.

A decline is an answer, and so is not knowing. A replayed decline is the same decline of the same attempt; a replayed server error is still no answer.
"""

from collections.abc import Mapping
from http import HTTPStatus

from dunr.adapters.processors.exchange import Answer, Unreadable
from dunr.adapters.processors.sandbox.wire import ChargeAnswered, ChargeOnWire, Refusal
from dunr.core.answers import (
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
from dunr.core.terms import ChargeStatus

NOT_NOW_CODES = frozenset({"idempotency_key_in_use", "lock_timeout", "rate_limit"})
NOT_NOW_STATUSES = frozenset({HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS})
WAIT_SECONDS_MAX = 3600
REFUSED_CODES = {
    "invoice_not_payable": RefusedKind.NOT_PAYABLE,
    "amount_too_small": RefusedKind.AMOUNT_TOO_SMALL,
    "idempotency_key_reused": RefusedKind.IDEMPOTENCY_KEY_REUSED,
}
REFUSED_STATUSES: Mapping[int, RefusedKind] = {
    HTTPStatus.UNAUTHORIZED: RefusedKind.KEY_REVOKED,
    HTTPStatus.NOT_FOUND: RefusedKind.NOT_FOUND,
}
# The first of these that an attempt's charges show is its fate: one key is one payment.
MOST_TELLING = (ChargeStatus.SUCCEEDED, ChargeStatus.RETURNED, ChargeStatus.PENDING, ChargeStatus.DECLINED)


def of_charge_call(answer: Answer) -> ChargeAnswer:
    """What one call of an attempt came to."""
    if answer.is_ok or answer.status == HTTPStatus.PAYMENT_REQUIRED:
        return _booked(answer)
    code = code_of(answer)
    if answer.status in NOT_NOW_STATUSES or (_is_caller_error(answer) and code in NOT_NOW_CODES):
        return NotNow(code, _wait_seconds(answer))
    if not _is_caller_error(answer) or answer.status == HTTPStatus.REQUEST_TIMEOUT:
        return Unanswered(f"HTTP {answer.status}")
    if answer.status == HTTPStatus.BAD_REQUEST and code in REFUSED_CODES:
        return Refused(REFUSED_CODES[code], code)
    return Refused(REFUSED_STATUSES.get(answer.status, RefusedKind.BAD_REQUEST), code)


def of_look_up(charges: list[ChargeOnWire], key: str) -> LookUpAnswer:
    """What became of an attempt, from the charges that a consistent read found under its key."""
    found = sorted((one for one in charges if one.key == key), key=lambda one: MOST_TELLING.index(one.status))
    return _fate(found[0]) if found else NotThere()


def code_of(answer: Answer) -> str:
    """The processor's word for what is wrong; the status where it has none."""
    try:
        return answer.read(Refusal).error.code
    except Unreadable:
        return f"http_{answer.status}"


def _booked(answer: Answer) -> ChargeAnswer:
    """A charge that is in the books."""
    try:
        told = answer.read(ChargeAnswered)
    except Unreadable as unreadable:
        return Unanswered(str(unreadable))
    return _fate(told.charge, told.intent)


def _fate(charge: ChargeOnWire, intent: str | None = None) -> Paid | Declined | Pending:
    """A charge as an answer. One that came back was paid first; the snapshot tells of its return."""
    match charge.status:
        case ChargeStatus.SUCCEEDED | ChargeStatus.RETURNED:
            return Paid(charge.id, charge.amount_minor, charge.at)
        case ChargeStatus.PENDING:
            return Pending(charge.id)
        case ChargeStatus.DECLINED:
            return Declined(charge.id, charge.raw_decline(), charge.at, charge.intent or intent)


def _is_caller_error(answer: Answer) -> bool:
    return HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR


def _wait_seconds(answer: Answer) -> int | None:
    """How long the processor asks us to wait, within reason."""
    text = answer.headers.get("retry-after", "")
    return min(max(int(text), 1), WAIT_SECONDS_MAX) if text.isascii() and text.isdigit() else None
