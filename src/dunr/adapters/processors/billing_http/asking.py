"""Calls to a billing system that is being checked, and what it said in words. `conformance` has the questions."""

from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from dunr.adapters.processors.billing_http import answers
from dunr.adapters.processors.billing_http.processor import Addresses
from dunr.adapters.processors.billing_http.wire import ChargeCall, LookUpCall
from dunr.adapters.processors.exchange import Answer, NoAnswer
from dunr.adapters.processors.signed_calls import SignedCalls
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
    Unanswered,
)
from dunr.inspection import Check, Level

AMOUNT_MINOR = 1200
OTHER_SECRET = "whsec_bm90IHRoZSBzZWNyZXQgdGhhdCB5b3Uga25vdyBvZg=="  # noqa: S105 - known to everybody, and therefore no proof
OLD = timedelta(hours=1)


class Asking:
    """The calls of one run. `name` makes its keys new."""

    def __init__(
        self, addresses: Addresses, secret: str, timeout_seconds: float, name: str, codes: frozenset[str]
    ) -> None:
        """`codes` are the reason codes that the settings know."""
        self._addresses = addresses
        self._name = name
        self._codes = codes
        self._client = SignedCalls("the billing system", secret, timeout_seconds, _now)
        self._stranger = SignedCalls("the billing system", OTHER_SECRET, timeout_seconds, _now)
        self._late = SignedCalls("the billing system", secret, timeout_seconds, lambda: _now() - OLD)

    def close(self) -> None:
        """Let go of the connections."""
        for client in (self._client, self._stranger, self._late):
            client.close()

    # --- asking -----------------------------------------------------------------------------------------------------------------

    def _key(self, what: str) -> str:
        return f"check-{self._name}-{what}"

    def _body(self, what: str, instrument: str, amount_minor: int) -> ChargeCall:
        return ChargeCall(self._key(what), self._key(what), amount_minor, "usd", instrument, "dunr_check")

    def _call(self, what: str, instrument: str, amount_minor: int = AMOUNT_MINOR) -> Answer | NoAnswer:
        key = self._key(what)
        return self._client.post(
            self._addresses.charge_url, self._body(what, instrument, amount_minor), key, {"idempotency-key": key}
        )

    def _charge(self, what: str, instrument: str, amount_minor: int = AMOUNT_MINOR) -> ChargeAnswer:
        return answers.of_charge_call(self._call(what, instrument, amount_minor), amount_minor, _now())

    def _found(self, what: str) -> LookUpAnswer:
        key = self._key(what)
        answer = self._client.post(self._addresses.look_up_url, LookUpCall(key, key), f"{key}/look-up")
        return answers.of_look_up(answers.told_by_look_up(answer), AMOUNT_MINOR, _now())

    def _shut_out(self, about: str, client: SignedCalls, key: str, to_do: str) -> Check:
        answer = client.post(self._addresses.charge_url, self._body(key, "test_paid", AMOUNT_MINOR), self._key(key))
        refused = isinstance(answer, Answer) and answer.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
        return (
            ok(about, "it is refused")
            if refused
            else bad(about, said(told_by(answer)), f"{to_do}, and answer HTTP 401")
        )


def _now() -> datetime:
    return datetime.now(UTC)


def told_by(answer: Answer | NoAnswer) -> ChargeAnswer:
    return answers.of_charge_call(answer, AMOUNT_MINOR, _now())


def ok(about: str, found: str) -> Check:
    return Check(about, Level.OK, found)


def bad(about: str, found: str, to_do: str) -> Check:
    return Check(about, Level.FAILED, found, to_do)


def said(told: ChargeAnswer | LookUpAnswer) -> str:
    """An answer in words."""
    match told:
        case Paid():
            return f"it says paid, as {told.processor_charge_id}"
        case Declined():
            return f"it says not paid ({told.raw.code})"
        case Pending():
            return "it says pending"
        case NotThere():
            return "it says that nothing is there"
        case CannotSay():
            return f"it cannot say: {told.why}"
        case Refused():
            return f"it refuses the request ({told.code})"
        case Unanswered():
            return f"there is no answer: {told.why}"
        case NotNow():
            return f"it says not now ({told.code})"
