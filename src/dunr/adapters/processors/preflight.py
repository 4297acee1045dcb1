"""The merchant's own endpoint that says whether a charge may be made: signed like our webhooks, answered at once or not at all."""

from datetime import datetime
from typing import Annotated

import msgspec

from dunr.adapters.processors.exchange import Answer, NoAnswer, Unreadable
from dunr.adapters.processors.signed_calls import SignedCalls
from dunr.core.answers import Forbidden, NoWord, Permission, Permitted
from dunr.happenings import tell
from dunr.ports import Clock
from dunr.preflight import Question

OK = 200
REASON_MAX = 200


class _AnswerOnWire(msgspec.Struct, frozen=True):
    """`may_charge` is required: an answer that says something else is none."""

    may_charge: bool
    reason: Annotated[str, msgspec.Meta(max_length=REASON_MAX)] | None = None
    ask_again_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class WebhookPreflight:
    """Asks one address, once for each question."""

    def __init__(self, url: str, calls: SignedCalls, clock: Clock) -> None:
        """Keep the connection; nothing is asked yet."""
        self._url = url
        self._calls = calls
        self._clock = clock

    def close(self) -> None:
        """Let go of the connection."""
        self._calls.close()

    def may_charge(self, question: Question) -> Permission:
        """Ask. A redirect, an error and a body that cannot be read are no word."""
        answer = self._calls.post(self._url, _body(question), f"{question.case_id}/{self._clock.now().isoformat()}")
        permission = _told(answer)
        tell("asked_before_charge", case=question.case_id, answer=type(permission).__name__.lower())
        return permission


def _body(question: Question) -> dict[str, object]:
    """The question as it goes over the wire."""
    return {
        "case": question.case_id,
        "processor": question.processor,
        "account": question.account,
        "invoice": question.processor_invoice_id,
        "subscription": question.processor_subscription_id,
        "customer": question.processor_customer_id,
        "method": question.processor_method_id,
        "amount_minor": question.amount_minor,
        "currency": question.currency,
        "attempt": question.attempt_number,
        "trigger": question.trigger,
    }


def _told(answer: Answer | NoAnswer) -> Permission:
    if isinstance(answer, NoAnswer):
        return NoWord(str(answer))
    if answer.status != OK:
        return NoWord(f"HTTP {answer.status}")
    try:
        told = answer.read(_AnswerOnWire)
    except Unreadable as unreadable:
        return NoWord(str(unreadable))
    if told.may_charge:
        return Permitted()
    return Forbidden(" ".join((told.reason or "no reason given").split()), told.ask_again_at)
