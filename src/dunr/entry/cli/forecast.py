"""What would become of a failed charge if every attempt were declined the same way: the case is played through `decide`, as the engine would play it.

Nothing is computed a second time here, so a forecast cannot promise what the engine would not do.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from dunr.core import notices
from dunr.core.answers import Declined
from dunr.core.decide import decide
from dunr.core.decision import Decision, Dossier
from dunr.core.effects import Charge, Notice
from dunr.core.events import AttemptSettled, ChargeFailed, Event, NoticeSent
from dunr.core.facts import Facts
from dunr.core.model import Case, PlannedStep
from dunr.core.policy import Policy
from dunr.core.snapshot import (
    ChargeSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    MethodSnapshot,
    RawDecline,
    Snapshot,
    SubscriptionSnapshot,
)
from dunr.core.terms import (
    ChargeStatus,
    CollectionMethod,
    DeclineReason,
    InvoiceStatus,
    NoticeKind,
    Rail,
    SubscriptionStatus,
)
from dunr.core.timers import due_event
from dunr.core.value import replace

CASE_ID = "sandbox:forecast:invoice"
CODE = "forecast"
AMOUNT_MINOR = 10_000
MOMENTS_MAX = 1000


@dataclass(frozen=True, slots=True)
class ForeseenAttempt:
    """One coming step: `number` is the step's."""

    number: int
    at: datetime
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForeseenNotice:
    """One coming message, and the dates that it names."""

    kind: NoticeKind
    at: datetime
    step: int | None
    next_attempt_at: datetime | None
    pause_at: datetime | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """All of it."""

    policy: str
    attempts: tuple[ForeseenAttempt, ...]
    pause_at: datetime | None
    pause_why: tuple[str, ...]
    notices: tuple[ForeseenNotice, ...]


def forecast(policy: Policy, facts: Facts, reason: DeclineReason, failed_at: datetime) -> Forecast:
    """The future of a charge that fails at `failed_at`."""
    world = _World(policy, replace(facts, declines={**facts.declines, ("sandbox", "code", CODE): reason}), failed_at)
    world.play()
    return Forecast(
        policy=policy.name,
        attempts=tuple(ForeseenAttempt(step.number, step.at, step.why) for step in world.first_steps),
        pause_at=world.paused_at,
        pause_why=world.pause_why if world.paused_at is not None else ("nothing pauses access by itself",),
        notices=tuple(world.told),
    )


class _World:
    """One customer, one card that is always declined, and a mailer that always delivers. Time goes from one due moment to the next."""

    def __init__(self, policy: Policy, facts: Facts, failed_at: datetime) -> None:
        self._facts = facts
        self._now = self._failed_at = failed_at
        self._dossier = Dossier(CASE_ID, None, None, None, None, policy)
        self._waiting: list[Notice] = []
        self.told: list[ForeseenNotice] = []
        self.first_steps: tuple[PlannedStep, ...] = ()
        self.paused_at: datetime | None = None
        self.pause_why: tuple[str, ...] = ()

    def play(self) -> None:
        """From the failure until nothing is due any more."""
        self._step(ChargeFailed())
        case = self._case()
        self.first_steps = case.plan.steps
        for _ in range(MOMENTS_MAX):
            self._keep_pause()
            at = min(self._moments(), default=None)
            if at is None:
                return
            self._now = max(self._now, at)
            self._tell_due()
            event = due_event(self._case(), self._now)
            if event is not None:
                self._step(event)

    def _moments(self) -> Iterator[datetime]:
        yield from (notice.not_before_at for notice in self._waiting)
        wake_at = self._case().wake_at
        if wake_at is not None:
            yield wake_at

    def _keep_pause(self) -> None:
        """The pause as it came, with the reasons of its date."""
        case = self._case()
        self.paused_at = case.paused_at
        if case.plan.pause_at is not None:
            self.pause_why = case.plan.pause_why

    def _tell_due(self) -> None:
        """Every notice whose hour has come leaves, as it then stands."""
        due = [notice for notice in self._waiting if notice.not_before_at <= self._now]
        for notice in due:
            self._waiting.remove(notice)
            leaving = notices.as_it_leaves(self._case(), notice)
            if leaving is not None:
                self.told.append(
                    ForeseenNotice(
                        leaving.kind, self._now, leaving.step_number, leaving.next_attempt_at, leaving.pause_at
                    )
                )
                self._step(NoticeSent(leaving.kind, leaving.key, leaving.is_warning, leaving.next_attempt_at))

    def _step(self, event: Event) -> None:
        """Decide, take the new rows, and answer every charge with the same no."""
        dossier = replace(self._dossier, snapshot=self._snapshot())
        decision = decide(dossier, event, self._facts, self._now)
        self._take(decision)
        for effect in decision.effects:
            if isinstance(effect, Notice):
                self._waiting.append(effect)
            elif isinstance(effect, Charge):
                charge_id = f"charge-{effect.attempt_number}"
                answer = Declined(charge_id, RawDecline(CODE), self._now)
                self._step(AttemptSettled(effect.attempt_number, answer))

    def _take(self, decision: Decision) -> None:
        before = self._dossier
        self._dossier = replace(
            before,
            case=decision.case or before.case,
            subscription=decision.subscription or before.subscription,
            method=decision.method or before.method,
            customer=decision.customer or before.customer,
        )

    def _case(self) -> Case:
        assert self._dossier.case is not None, "a failed charge opens a case"
        return self._dossier.case

    def _snapshot(self) -> Snapshot:
        """What a processor would show: an open invoice, and one card."""
        failed = ChargeSnapshot(
            "charge-0", None, AMOUNT_MINOR, ChargeStatus.DECLINED, self._failed_at, RawDecline(CODE), "card"
        )
        return Snapshot(
            taken_at=self._now,
            live=False,
            invoice=InvoiceSnapshot(
                processor_invoice_id="invoice",
                status=InvoiceStatus.OPEN,
                amount_total_minor=AMOUNT_MINOR,
                amount_due_minor=AMOUNT_MINOR,
                credited_minor=0,
                currency="usd",
                first_failed_at=self._failed_at,
                collection_method=CollectionMethod.CHARGE_AUTOMATICALLY,
                is_first=False,
            ),
            subscription=SubscriptionSnapshot("subscription", SubscriptionStatus.PAST_DUE, None),
            customer=CustomerSnapshot("customer", deleted=False, email="payer@shop.invalid"),
            methods=(MethodSnapshot("card", "card", Rail.CARD),),
            charges=(failed,),
        )
