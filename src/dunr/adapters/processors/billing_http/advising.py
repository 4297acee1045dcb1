"""The merchant's own billing system where dunr only decides: each attempt is written down as advice, the merchant makes its call, and says what it came to."""

from datetime import datetime

from dunr.adapters.processors.admission import WebhookAccount
from dunr.adapters.processors.billing_http import reading
from dunr.adapters.processors.billing_http.facts import ADVISING_FACTS
from dunr.adapters.processors.billing_http.processor import Addresses, BillingProcessor
from dunr.advice_book import Advice, AdviceBook
from dunr.charge_book import LeftCharge
from dunr.core.answers import CannotSay, ChargeAnswer, Declined, LookUpAnswer, NotThere, Paid, Pending, Unanswered
from dunr.core.attempt import Attempt
from dunr.core.snapshot import ChargeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus
from dunr.ports import ChargeRequest, Clock, Store


class AdvisingProcessor(BillingProcessor):
    """The billing system that is never called."""

    facts = ADVISING_FACTS

    def __init__(self, account: WebhookAccount, update_url: str | None, store: Store, clock: Clock) -> None:
        """Keep the parts; nothing is asked yet, or ever."""
        super().__init__(account, None, Addresses("", "", update_url), store, clock)
        self._advice = AdviceBook(store)

    def charge(self, request: ChargeRequest) -> ChargeAnswer:
        """Write the call down for the merchant to make."""
        self._advice.write(request, self._clock.now())
        return Unanswered("it is advised, and the merchant has not said what came of it")

    def find_charge(self, account: str, processor_invoice_id: str, attempt: Attempt) -> LookUpAnswer:  # noqa: ARG002 - the key says it all
        """What the merchant has reported. Advice that expired before they had it, or was never written, charged nothing."""
        advice = self._advice.close_if_unseen(account, attempt.key, self._clock.now())
        if advice is None or advice.is_closed:
            return NotThere()
        return _reported(advice) or CannotSay("the merchant has not said what came of it")

    def _shown(self, attempt: Attempt, charge: LeftCharge, now: datetime) -> ChargeSnapshot | None:  # noqa: ARG002 - the key says it all
        """What an attempt came to, as it was reported."""
        advice = self._advice.find(self.account.account, attempt.key)
        told = _reported(advice) if advice is not None else None
        match told:
            case None:
                return reading.collected(attempt)
            case Paid():
                return ChargeSnapshot(
                    told.processor_charge_id, attempt.key, told.amount_minor, ChargeStatus.SUCCEEDED, min(told.at, now)
                )
            case Declined():
                name = told.processor_charge_id or attempt.key
                return ChargeSnapshot(
                    name, attempt.key, attempt.amount_minor, ChargeStatus.DECLINED, min(told.at, now), told.raw
                )
            case Pending():
                name = told.processor_charge_id or attempt.key
                return ChargeSnapshot(name, attempt.key, attempt.amount_minor, ChargeStatus.PENDING, attempt.begun_at)


def _reported(advice: Advice) -> Paid | Declined | Pending | None:
    """The report as an answer; None where there is none yet."""
    report = advice.report
    if report is None:
        return None
    if report.status == "paid":
        amount_minor = advice.amount_minor if report.amount_minor is None else report.amount_minor
        return Paid(report.id or advice.key, amount_minor, report.at)
    if report.status == "not_paid":
        return Declined(report.id, RawDecline(report.reason_code), report.at)
    return Pending(report.id)
