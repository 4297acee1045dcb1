"""The question before a charge: the merchant's own system may know better than anybody that this customer is not to be charged now.

One call, right before the intent is committed, with no card held: what is forbidden has not begun. What follows from the answer the core decides.
"""

from typing import Protocol

from dunr.core.answers import Permission
from dunr.core.attempt import Attempt
from dunr.core.decision import Decision
from dunr.core.effects import Charge
from dunr.core.model import Case
from dunr.core.value import Value


class Question(Value):
    """What is about to be charged, by the processor's ids."""

    case_id: str
    processor: str
    account: str
    processor_invoice_id: str
    processor_subscription_id: str | None
    processor_customer_id: str | None
    processor_method_id: str | None
    amount_minor: int
    currency: str
    attempt_number: int
    trigger: str


class Preflight(Protocol):
    """Who may forbid a charge."""

    def may_charge(self, question: Question) -> Permission:
        """One bounded call; whatever goes wrong in it is an answer, too."""
        ...


def question_about(case: Case, attempt: Attempt) -> Question:
    """What is asked before an attempt, or a further call of it, goes out."""
    return Question(
        case_id=case.id,
        processor=case.processor,
        account=case.account,
        processor_invoice_id=case.processor_invoice_id,
        processor_subscription_id=_foreign(case.subscription_id),
        processor_customer_id=_foreign(case.customer_id),
        processor_method_id=attempt.method.processor_method_id if attempt.method is not None else None,
        amount_minor=attempt.amount_minor,
        currency=attempt.currency,
        attempt_number=attempt.number,
        trigger=attempt.trigger.value,
    )


def question_before(decision: Decision) -> Question | None:
    """What is to be asked before a decision is written; None where it charges nothing."""
    case = decision.case
    attempt = case.in_flight if case is not None else None
    if case is None or attempt is None or not any(isinstance(effect, Charge) for effect in decision.effects):
        return None
    return question_about(case, attempt)


def _foreign(row_id: str | None) -> str | None:
    """The processor's id in the id of a row."""
    return row_id.split(":", 2)[2] if row_id is not None else None
