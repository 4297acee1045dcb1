"""Whether a billing system keeps the contract, asked of the system itself: each question is a call that dunr makes one day, on instruments of the test.

There are five of them, and they move no real money: `test_paid`, `test_not_paid`, `test_pending`, `test_error` (HTTP 500, and nothing charged) and `test_slow`
(charges, and answers only after the time limit). Every key is new, so that the same server can be asked again.
"""

import threading
from collections.abc import Callable, Iterator
from http import HTTPStatus

from dunr.adapters.processors.billing_http.asking import AMOUNT_MINOR, Asking, bad, ok, said, told_by
from dunr.adapters.processors.exchange import NoAnswer
from dunr.core.answers import CannotSay, ChargeAnswer, Declined, NotThere, Paid, Pending, Refused
from dunr.inspection import Check, Level

Ask = Callable[[], Iterator[Check]]


class Conformance(Asking):
    """The questions, to one billing system."""

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
                yield ok("a charge that is paid", "it is paid, with an id and a time")
            case Paid():
                yield bad(
                    "a charge that is paid",
                    f"{told.amount_minor} was paid of {AMOUNT_MINOR}",
                    "pay all of it, or leave amount_minor out",
                )
            case _:
                yield bad(
                    "a charge that is paid",
                    said(told),
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
            ok("the same key again", "the same answer")
            if same
            else bad(
                "the same key again",
                said(second),
                "remember each key and give the first answer again: another id means a second charge",
            )
        )

    def _other_amount(self) -> Iterator[Check]:
        told = self._charge("paid", "test_paid", amount_minor=AMOUNT_MINOR + 1)
        yield (
            ok("the same key with another amount", "it is refused")
            if isinstance(told, Refused)
            else bad(
                "the same key with another amount",
                said(told),
                'answer HTTP 400 with {"error": {"code": "idempotency_key_reused"}}',
            )
        )

    def _look_up(self) -> Iterator[Check]:
        charged, found = self._charge("paid", "test_paid"), self._found("paid")
        same = isinstance(charged, Paid) and isinstance(found, Paid) and charged == found
        yield (
            ok("looking up what was paid", "the same id, amount and time")
            if same
            else bad("looking up what was paid", said(found), "answer a look-up with the recorded answer of the key")
        )

    def _look_up_of_nothing(self) -> Iterator[Check]:
        found = self._found("never-sent")
        yield (
            ok("looking up a key that was never sent", "it is not found")
            if isinstance(found, NotThere)
            else bad(
                "looking up a key that was never sent", said(found), 'answer HTTP 200 with {"status": "not_found"}'
            )
        )

    def _not_paid(self) -> Iterator[Check]:
        first, second = self._charge("not-paid", "test_not_paid"), self._charge("not-paid", "test_not_paid")
        if not isinstance(first, Declined):
            yield bad(
                "a charge that is not paid",
                said(first),
                'answer {"status": "not_paid", "reason_code": …} for the instrument test_not_paid',
            )
            return
        code = first.raw.code or ""
        if not isinstance(second, Declined) or second.raw != first.raw:
            yield bad(
                "a charge that is not paid, again",
                said(second),
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
            yield ok("a charge that is not paid", f"reason code {code}, which the settings know")

    def _pending(self) -> Iterator[Check]:
        told, found = self._charge("pending", "test_pending"), self._found("pending")
        if not isinstance(told, Pending):
            yield bad(
                "a charge that is pending", said(told), 'answer {"status": "pending"} for the instrument test_pending'
            )
        elif isinstance(found, NotThere | CannotSay):
            yield bad(
                "looking up what is pending",
                said(found),
                "a charge that you took is found: pending until it is paid or not paid",
            )
        else:
            yield ok("a charge that is pending", "it is pending, and can be looked up")

    # --- when something goes wrong ----------------------------------------------------------------------------------------------

    def _error(self) -> Iterator[Check]:
        answer, found = self._call("error", "test_error"), self._found("error")
        if isinstance(answer, NoAnswer) or answer.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            yield bad("a server error", said(told_by(answer)), "answer HTTP 500 for the instrument test_error")
        elif not isinstance(found, NotThere):
            yield bad(
                "looking up after a server error",
                said(found),
                "a call that failed has charged nothing and is not found",
            )
        else:
            yield ok("a server error", "HTTP 500, and nothing was charged")

    def _slow(self) -> Iterator[Check]:
        answer, found = self._call("slow", "test_slow"), self._found("slow")
        if not isinstance(answer, NoAnswer):
            yield bad(
                "an answer that comes too late",
                said(told_by(answer)),
                "charge, and answer only after the time limit, for the instrument test_slow",
            )
        elif not isinstance(found, Paid | Pending):
            yield bad(
                "looking up after a time-out",
                said(found),
                "record the key in the transaction that charges, before you answer",
            )
        else:
            yield ok("an answer that comes too late", "the charge is found by its key")

    def _at_once(self) -> Iterator[Check]:
        told: list[ChargeAnswer] = []
        calls = [threading.Thread(target=lambda: told.append(self._charge("twice", "test_paid"))) for _ in range(2)]
        for call in calls:
            call.start()
        for call in calls:
            call.join()
        ids = {one.processor_charge_id for one in told if isinstance(one, Paid)}
        yield (
            ok("the same key twice at once", "one charge")
            if len(ids) == 1
            else bad(
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
