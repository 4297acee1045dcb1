"""Whether a billing system keeps the contract, asked of the system itself: each question is a call that dunr makes one day, on instruments of the test.

There are five of them, and they move no real money: `test_paid`, `test_not_paid`, `test_pending`, `test_error` (HTTP 500, and nothing charged) and `test_slow`
(charges, and answers only after the time limit). Every key is new, so that the same server can be asked again.
"""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from dunr.adapters.processors.billing_http import answers
from dunr.adapters.processors.billing_http.client import Answer, BillingClient, NoAnswer
from dunr.adapters.processors.billing_http.processor import Addresses
from dunr.adapters.processors.billing_http.wire import ChargeCall, LookUpCall
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

Ask = Callable[[], Iterator[Check]]


class Conformance:
    """The questions, to one billing system. `name` makes the keys of this run new."""

    def __init__(
        self, addresses: Addresses, secret: str, timeout_seconds: float, name: str, codes: frozenset[str]
    ) -> None:
        """`codes` are the reason codes that the settings know."""
        self._addresses = addresses
        self._name = name
        self._codes = codes
        self._client = BillingClient(secret, timeout_seconds, _now)
        self._stranger = BillingClient(OTHER_SECRET, timeout_seconds, _now)
        self._late = BillingClient(secret, timeout_seconds, lambda: _now() - OLD)

    def close(self) -> None:
        """Let go of the connections."""
        for client in (self._client, self._stranger, self._late):
            client.close()

    def checks(self) -> Iterator[Check]:
        """Every question, with what was found; a server that answers nothing is asked no more."""
        first = next(self._paid())
        yield first
        if first.level is Level.FAILED:
            return
        questions: tuple[Ask, ...] = (
            self._replay,
            self._other_amount,
            self._look_up,
            self._look_up_of_nothing,
            self._not_paid,
            self._pending,
            self._error,
            self._slow,
            self._at_once,
            self._forged,
            self._old,
        )
        for question in questions:
            yield from question()

    # --- one charge -------------------------------------------------------------------------------------------------------------

    def _paid(self) -> Iterator[Check]:
        told = self._charge("paid", "test_paid")
        match told:
            case Paid(amount_minor=amount) if amount == AMOUNT_MINOR:
                yield _ok("a charge that is paid", "it is paid, with an id and a time")
            case Paid():
                yield _bad(
                    "a charge that is paid",
                    f"{told.amount_minor} was paid of {AMOUNT_MINOR}",
                    "pay all of it, or leave amount_minor out",
                )
            case _:
                yield _bad(
                    "a charge that is paid",
                    _said(told),
                    'answer HTTP 200 with {"status": "paid", "id": …, "at": …} for the instrument test_paid',
                )

    def _replay(self) -> Iterator[Check]:
        first, second = self._charge("paid", "test_paid"), self._charge("paid", "test_paid")
        same = (
            isinstance(first, Paid)
            and isinstance(second, Paid)
            and first.processor_charge_id == second.processor_charge_id
        )
        yield (
            _ok("the same key again", "the same answer")
            if same
            else _bad(
                "the same key again",
                _said(second),
                "remember each key and give the first answer again: another id means a second charge",
            )
        )

    def _other_amount(self) -> Iterator[Check]:
        told = self._charge("paid", "test_paid", amount_minor=AMOUNT_MINOR + 1)
        yield (
            _ok("the same key with another amount", "it is refused")
            if isinstance(told, Refused)
            else _bad(
                "the same key with another amount",
                _said(told),
                'answer HTTP 400 with {"error": {"code": "idempotency_key_reused"}}',
            )
        )

    def _look_up(self) -> Iterator[Check]:
        charged, found = self._charge("paid", "test_paid"), self._found("paid")
        same = isinstance(charged, Paid) and isinstance(found, Paid) and charged == found
        yield (
            _ok("looking up what was paid", "the same id, amount and time")
            if same
            else _bad("looking up what was paid", _said(found), "answer a look-up with the recorded answer of the key")
        )

    def _look_up_of_nothing(self) -> Iterator[Check]:
        found = self._found("never-sent")
        yield (
            _ok("looking up a key that was never sent", "it is not found")
            if isinstance(found, NotThere)
            else _bad(
                "looking up a key that was never sent", _said(found), 'answer HTTP 200 with {"status": "not_found"}'
            )
        )

    def _not_paid(self) -> Iterator[Check]:
        first, second = self._charge("not-paid", "test_not_paid"), self._charge("not-paid", "test_not_paid")
        if not isinstance(first, Declined):
            yield _bad(
                "a charge that is not paid",
                _said(first),
                'answer {"status": "not_paid", "reason_code": …} for the instrument test_not_paid',
            )
            return
        code = first.raw.code or ""
        if not isinstance(second, Declined) or second.raw != first.raw:
            yield _bad(
                "a charge that is not paid, again",
                _said(second),
                "a no is an answer, too: give it again for the same key",
            )
        elif code not in self._codes:
            yield Check(
                "a charge that is not paid",
                Level.WARNING,
                f"reason code {code} is in no setting",
                "add it to billing_retryable_codes or billing_final_codes",
            )
        else:
            yield _ok("a charge that is not paid", f"reason code {code}, which the settings know")

    def _pending(self) -> Iterator[Check]:
        told, found = self._charge("pending", "test_pending"), self._found("pending")
        if not isinstance(told, Pending):
            yield _bad(
                "a charge that is pending", _said(told), 'answer {"status": "pending"} for the instrument test_pending'
            )
        elif isinstance(found, NotThere | CannotSay):
            yield _bad(
                "looking up what is pending",
                _said(found),
                "a charge that you took is found: pending until it is paid or not paid",
            )
        else:
            yield _ok("a charge that is pending", "it is pending, and can be looked up")

    # --- when something goes wrong ----------------------------------------------------------------------------------------------

    def _error(self) -> Iterator[Check]:
        answer, found = self._call("error", "test_error"), self._found("error")
        if isinstance(answer, NoAnswer) or answer.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            yield _bad("a server error", _said(_told(answer)), "answer HTTP 500 for the instrument test_error")
        elif not isinstance(found, NotThere):
            yield _bad(
                "looking up after a server error",
                _said(found),
                "a call that failed has charged nothing and is not found",
            )
        else:
            yield _ok("a server error", "HTTP 500, and nothing was charged")

    def _slow(self) -> Iterator[Check]:
        answer, found = self._call("slow", "test_slow"), self._found("slow")
        if not isinstance(answer, NoAnswer):
            yield _bad(
                "an answer that comes too late",
                _said(_told(answer)),
                "charge, and answer only after the time limit, for the instrument test_slow",
            )
        elif not isinstance(found, Paid | Pending):
            yield _bad(
                "looking up after a time-out",
                _said(found),
                "record the key in the transaction that charges, before you answer",
            )
        else:
            yield _ok("an answer that comes too late", "the charge is found by its key")

    def _at_once(self) -> Iterator[Check]:
        told: list[ChargeAnswer] = []
        calls = [threading.Thread(target=lambda: told.append(self._charge("twice", "test_paid"))) for _ in range(2)]
        for call in calls:
            call.start()
        for call in calls:
            call.join()
        ids = {one.processor_charge_id for one in told if isinstance(one, Paid)}
        yield (
            _ok("the same key twice at once", "one charge")
            if len(ids) == 1
            else _bad(
                "the same key twice at once",
                f"{len(ids)} charges",
                "take a lock or a unique index on the key before you charge",
            )
        )

    # --- who is let in ----------------------------------------------------------------------------------------------------------

    def _forged(self) -> Iterator[Check]:
        yield self._shut_out(
            "a call signed with another secret",
            self._stranger,
            "forged",
            "check the webhook-signature header with billing_secret",
        )

    def _old(self) -> Iterator[Check]:
        yield self._shut_out(
            "a call signed an hour ago",
            self._late,
            "old",
            "refuse a webhook-timestamp that is more than five minutes off",
        )

    def _shut_out(self, about: str, client: BillingClient, key: str, to_do: str) -> Check:
        answer = client.post(self._addresses.charge_url, self._body(key, "test_paid", AMOUNT_MINOR), self._key(key))
        refused = isinstance(answer, Answer) and answer.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
        return (
            _ok(about, "it is refused")
            if refused
            else _bad(about, _said(_told(answer)), f"{to_do}, and answer HTTP 401")
        )

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


def _now() -> datetime:
    return datetime.now(UTC)


def _told(answer: Answer | NoAnswer) -> ChargeAnswer:
    return answers.of_charge_call(answer, AMOUNT_MINOR, _now())


def _ok(about: str, found: str) -> Check:
    return Check(about, Level.OK, found)


def _bad(about: str, found: str, to_do: str) -> Check:
    return Check(about, Level.FAILED, found, to_do)


def _said(told: ChargeAnswer | LookUpAnswer) -> str:
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
