"""Never twice, and nothing sent that must not be: watched where the processor receives a request and where money moves.

Captures are counted at the processor, never in our tables. A request is judged by what was true a little before it was sent: between our last look and the
processor lie seconds in which the world may change, and no client can do anything about them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from dunr.core.model import Case, Method
from dunr.core.terms import ChargeStatus, Outcome
from dunr.ports import ChargeRequest
from dunr.simulate.books import Charge, Invoice
from dunr.simulate.checkers.broken import PromiseBroken
from dunr.simulate.checkers.rows import UNSETTLED

LOOK_MAX = timedelta(seconds=15)  # `look_max_age_seconds` and the way of the request
KEY_LIFETIME = timedelta(hours=24)
NEVER_TWICE = "never twice"
DONT_KNOW = "don't know is an answer"
EVERY_SEND_IS_DECIDED = "every send has its committed intent"
ONE_WRITER = "one writer"
LOOK_BEFORE = "nothing is sent that the look forbids"


@dataclass(slots=True)
class Intent:
    """What a commit said would be sent under a key."""

    case_id: str
    number: int
    begun_at: datetime
    request: tuple[int, str, str]
    credential: str
    card_row: str


class SendingChecker:
    """Knows every intent that was committed and every request that arrived."""

    def __init__(self) -> None:
        """Nothing was sent yet."""
        self.intents: dict[str, Intent] = {}
        self.entered_at: dict[str, datetime] = {}
        self.stopped_at: dict[str, tuple[str, datetime]] = {}
        self.fences: dict[str, tuple[int, str, datetime]] = {}  # by card: the fence, who raised it, when

    def intent(self, case: Case, now: datetime) -> None:
        """A commit began an attempt: its number is the next one, its key is new."""
        attempt = case.attempts[-1]
        method = attempt.method
        if method is None:
            raise PromiseBroken(EVERY_SEND_IS_DECIDED, f"attempt {attempt.number} of {case.id} names no method")
        if attempt.key in self.intents:
            raise PromiseBroken(NEVER_TWICE, f"the key {attempt.key} was given to two attempts")
        self.intents[attempt.key] = Intent(
            case.id,
            attempt.number,
            now,
            (attempt.amount_minor, attempt.currency, method.processor_method_id),
            method.credential,
            f"{case.processor}:{case.account}:{method.card_key}",
        )

    def card_written(self, row: Method, now: datetime) -> None:
        """A commit wrote a card's row: whoever raised the fence holds it, and a hard stop binds its credential from here on."""
        if self.fences.get(row.id, (0, "", now))[0] != row.fence:
            self.fences[row.id] = (row.fence, row.lease.holder if row.lease is not None else "nobody", now)
        if row.stop is None or row.stopped_credential is None:
            self.stopped_at.pop(row.id, None)
        elif self.stopped_at.get(row.id, ("", now))[0] != row.stopped_credential:
            self.stopped_at[row.id] = (row.stopped_credential, now)

    def sent(self, request: ChargeRequest, invoice: Invoice, entered_at: datetime, case: Case | None) -> None:
        """A request left us at `entered_at`."""
        intent = self.intents.get(request.key)
        if intent is None:
            raise PromiseBroken(EVERY_SEND_IS_DECIDED, f"{request.key} was sent, and no commit says so")
        if intent.request != (request.amount_minor, request.currency, request.processor_method_id):
            raise PromiseBroken(NEVER_TWICE, f"{request.key} was sent with another request than its intent's")
        if entered_at - intent.begun_at > KEY_LIFETIME / 2 + LOOK_MAX:
            raise PromiseBroken(NEVER_TWICE, f"{request.key} was sent past half of its key's life")
        stop = self.stopped_at.get(intent.card_row)
        if stop is not None and stop[0] == intent.credential and entered_at - stop[1] > LOOK_MAX:
            raise PromiseBroken("no charge on a stopped credential", f"{request.key} charges {intent.credential}")
        if entered_at - invoice.changed_at > LOOK_MAX and invoice.due_minor != request.amount_minor:
            raise PromiseBroken(
                LOOK_BEFORE, f"{request.key} asks for {request.amount_minor}, and {invoice.due_minor} is due for long"
            )
        if request.key not in self.entered_at:
            self._first_time(request, case)
            self.entered_at[request.key] = entered_at

    def _first_time(self, request: ChargeRequest, case: Case | None) -> None:
        """A key that the processor has not seen yet: its attempt must still be the unsettled one."""
        unsettled = [a.key for a in case.attempts if a.outcome in UNSETTLED] if case is not None else []
        if unsettled != [request.key]:
            names = ", ".join(unsettled) or "nothing"
            raise PromiseBroken(DONT_KNOW, f"{request.key} is sent for the first time while {names} is unsettled")

    def held(self, request: ChargeRequest, entered_at: datetime, holder: str) -> None:
        """A sender still holds the card's fence, or lost it only this moment."""
        _, owner, since_at = self.fences[self.intents[request.key].card_row]
        if owner != holder and entered_at - since_at > LOOK_MAX:
            raise PromiseBroken(
                ONE_WRITER, f"{holder} sends {request.key}, and {owner} has held the card since {since_at}"
            )

    def withdrawn(self, case: Case, begun: Callable[[str], bool]) -> None:
        """An attempt that is settled as never sent was never begun at the processor."""
        attempt = case.attempts[-1]
        if attempt.outcome is Outcome.WITHDRAWN and begun(attempt.key):
            raise PromiseBroken(DONT_KNOW, f"{attempt.key} is withdrawn, and the processor has begun it")

    def captured(self, invoice: Invoice, charge: Charge) -> None:
        """Money moved under a key of ours: all that we captured of this invoice is at most what was owed to us."""
        if charge.key is None:
            return
        ours = [c for c in invoice.charges if c.key is not None and c.status is ChargeStatus.SUCCEEDED]
        looked_at = self.entered_at[charge.key] - LOOK_MAX
        owed_minor = invoice.total_minor - sum(amount for at, amount in invoice.credits if at <= looked_at)
        total_minor = sum(one.amount_minor for one in ours)
        if total_minor > owed_minor:
            names = ", ".join(f"{one.id} ({one.key}, {one.amount_minor})" for one in ours)
            raise PromiseBroken(
                NEVER_TWICE, f"{total_minor} of {invoice.id} was captured by us, {owed_minor} owed: {names}"
            )
