"""Writing down on a card's row what went out on it, with all that a rule may count by."""

from collections.abc import Iterable

from dunr.core.attempt import Attempt, MethodRef
from dunr.core.declines import classify, network_of
from dunr.core.facts import Facts
from dunr.core.model import Case, Method
from dunr.core.sends import Send, network_code, remembered
from dunr.core.snapshot import ChargeSnapshot, RawDecline
from dunr.core.terms import Outcome, Rail, Trigger
from dunr.core.value import replace


def remember(row: Method, sends: Iterable[Send]) -> Method:
    """The row with more sends; what it has to forget for them is counted."""
    kept, forgotten = remembered(row.sends, row.sends_forgotten, sends)
    return replace(row, sends=kept, sends_forgotten=forgotten)


def send_of_attempt(case: Case, attempt: Attempt, method: MethodRef) -> Send:
    """An attempt of ours as it leaves."""
    return Send(
        at=attempt.begun_at,
        trigger=attempt.trigger,
        case_id=case.id,
        attempt_number=attempt.number,
        outcome=None,
        amount_minor=attempt.amount_minor,
        currency=attempt.currency,
        credential=method.credential,
        network=method.network,
    )


def send_of_charge(case: Case, charge: ChargeSnapshot, number: int, method: MethodRef | None, facts: Facts) -> Send:
    """A failed charge that somebody else made, by a method where the processor still shows it. What it does not say is left unknown."""
    send = Send(
        at=charge.at,
        trigger=Trigger.PROCESSOR,
        case_id=case.id,
        attempt_number=number,
        outcome=Outcome.DECLINED,
        amount_minor=charge.amount_minor,
        currency=case.currency,
        credential=method.credential if method is not None else None,
        network=method.network if method is not None else None,
    )
    return answered(send, charge.decline, method, case.processor, facts) if charge.decline is not None else send


def answered(send: Send, raw: RawDecline, method: MethodRef | None, processor: str, facts: Facts) -> Send:
    """The send with what came back: the network's own code and advice, what they mean, and whether a network has seen it at all."""
    network = raw.network or (network_of(method) if method is not None else None)
    meant = classify(raw, processor, facts, network)
    return replace(
        send,
        code=network_code(raw, method.rail if method is not None else Rail.CARD),
        advice=raw.network_advice_code,
        reason=meant.reason,
        reached_network=meant.reached_network,
    )
