"""What would become of a failed charge if every attempt were declined the same way: the case is played through `decide`, as the engine would play it.

Nothing is computed a second time here, so a forecast cannot promise what the engine would not do.
"""

from collections.abc import Iterator
from datetime import datetime

from dunr.core import notices
from dunr.core.answers import Declined
from dunr.core.circumstances import whereabouts
from dunr.core.decide import decide
from dunr.core.decision import Decision, Dossier
from dunr.core.declines import Classification, classify
from dunr.core.effects import Charge, Effect, Notice, RefreshMethod
from dunr.core.events import AttemptSettled, ChargeFailed, Event, MethodRefreshed, NoticeSent
from dunr.core.facts import Facts
from dunr.core.gate import ref_of
from dunr.core.model import Case
from dunr.core.policy import Policy
from dunr.core.snapshot import (
    ChargeSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    MethodSnapshot,
    Snapshot,
    SubscriptionSnapshot,
)
from dunr.core.strategies import strategy_for
from dunr.core.terms import (
    ChargeStatus,
    CollectionMethod,
    InvoiceStatus,
    SubscriptionStatus,
)
from dunr.core.timers import due_event
from dunr.core.value import replace
from dunr.entry.cli.foreseen import NOTICE_WHY, Forecast, ForeseenAccess, ForeseenAttempt, ForeseenNotice, Scene, Turn

ACCOUNT = "forecast"
ANY_CODE = "forecast"  # the code that stands for a reason which was named itself
AMOUNT_MINOR = 10_000
MOMENTS_MAX = 1000
FRESH_EXPIRY = "2099-12"  # what an updater would find


def forecast(policy: Policy, facts: Facts, scene: Scene) -> Forecast:
    """The future of a charge that fails in that scene."""
    world = _World(policy, facts, scene)
    world.play()
    meant = classify(scene.raw, scene.processor, facts, scene.network)
    zone_name, zone_why = whereabouts(scene.payer, policy, facts)
    return Forecast(
        policy=policy.name,
        reason=meant.reason,
        kind=facts.reasons[meant.reason].kind,
        strategy=strategy_for(policy, meant.reason),
        decline_why=(*_signals(meant), f"the reason is {meant.reason}: {facts.reasons[meant.reason].sentence}"),
        timezone=zone_name,
        timezone_why=zone_why,
        country=scene.payer.country,
        network=scene.network,
        failed_at=scene.failed_at,
        attempts=tuple(world.attempts),
        undated=tuple(dict.fromkeys(world.undated)),
        pause_at=world.paused_at,
        pause_why=world.pause_why if world.paused_at is not None else ("nothing pauses access by itself",),
        access=tuple(world.access),
        notices=tuple(world.told),
        turns=tuple(world.turns),
    )


def _signals(meant: Classification) -> tuple[str, ...]:
    """What each code means; nothing where the reason was named itself."""
    return tuple(text for text in meant.why if repr(ANY_CODE) not in text)


class _World:
    """One customer, one card that is always declined, an updater that always finds something, and a mailer that always delivers."""

    def __init__(self, policy: Policy, facts: Facts, scene: Scene) -> None:
        self._facts, self._scene = facts, scene
        self._now = scene.failed_at
        self._method = MethodSnapshot("card", "card", scene.rail, scene.network, expires_on="2030-12")
        self._dossier = Dossier(f"{scene.processor}:{ACCOUNT}:invoice", None, None, None, None, policy)
        self._waiting: list[Notice] = []
        self.told: list[ForeseenNotice] = []
        self.attempts: list[ForeseenAttempt] = []
        self.access: list[ForeseenAccess] = []
        self.undated: list[str] = []
        self.turns: list[Turn] = []
        self.paused_at: datetime | None = None
        self.pause_why: tuple[str, ...] = ()

    def play(self) -> None:
        """From the failure until nothing is due any more; time goes from one due moment to the next."""
        self._step(ChargeFailed())
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
                self.told.append(self._foreseen(leaving))
                self._step(NoticeSent(leaving.kind, leaving.key, leaving.is_warning, leaving.next_attempt_at))

    def _foreseen(self, leaving: Notice) -> ForeseenNotice:
        why = [NOTICE_WHY[leaving.kind]]
        if leaving.is_warning:
            why.append("it warns of the pause, without which nothing is paused")
        why.append("it tells the reason" if leaving.reason is not None else "it does not tell the reason")
        return ForeseenNotice(
            leaving.kind,
            self._now,
            leaving.step_number,
            leaving.next_attempt_at,
            leaving.pause_at,
            leaving.reason,
            tuple(why),
        )

    def _step(self, event: Event) -> None:
        """Decide, take the new rows, and answer every charge with the same no."""
        dossier = replace(self._dossier, snapshot=self._snapshot())
        decision = decide(dossier, event, self._facts, self._now)
        self._take(decision)
        if not decision.changes_nothing:
            self.turns.append(Turn(self._now, type(event).__name__, decision.because))
        self._note_undated(decision.because)
        for effect in decision.effects:
            self._answer(effect)

    def _answer(self, effect: Effect) -> None:
        if isinstance(effect, Notice):
            self._waiting.append(effect)
        elif isinstance(effect, RefreshMethod):
            self._method = replace(self._method, expires_on=FRESH_EXPIRY)
            self._step(MethodRefreshed(effect.processor_method_id, ref_of(self._method)))
        elif isinstance(effect, Charge):
            step = self._case().plan.next_step
            assert step is not None, "an attempt that a timer began belongs to a step"
            self.attempts.append(ForeseenAttempt(step.number, self._now, step.why))
            answer = Declined(f"charge-{effect.attempt_number}", self._scene.raw, self._now)
            self._step(AttemptSettled(effect.attempt_number, answer))

    def _note_undated(self, because: tuple[str, ...]) -> None:
        """The reasons that follow the word that a step has no date."""
        starts = [index for index, text in enumerate(because) if text.endswith("has no date")]
        for start in starts:
            end = next((i for i in range(start, len(because)) if because[i].startswith("no date:")), start)
            self.undated.extend(because[start : end + 1])

    def _take(self, decision: Decision) -> None:
        before = self._dossier
        self._dossier = replace(
            before,
            case=decision.case or before.case,
            subscription=decision.subscription or before.subscription,
            method=decision.method or before.method,
            customer=decision.customer or before.customer,
        )
        after = self._dossier.subscription
        if after is not None and (not self.access or self.access[-1].access is not after.access):
            self.access.append(ForeseenAccess(self._now, after.access, after.access_why))

    def _case(self) -> Case:
        assert self._dossier.case is not None, "a failed charge opens a case"
        return self._dossier.case

    def _snapshot(self) -> Snapshot:
        """What a processor would show: an open invoice, and one card."""
        scene, payer = self._scene, self._scene.payer
        failed = ChargeSnapshot(
            "charge-0", None, AMOUNT_MINOR, ChargeStatus.DECLINED, scene.failed_at, scene.raw, self._method.card_key
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
                first_failed_at=scene.failed_at,
                collection_method=CollectionMethod.CHARGE_AUTOMATICALLY,
                is_first=False,
            ),
            subscription=SubscriptionSnapshot("subscription", SubscriptionStatus.PAST_DUE, None),
            customer=CustomerSnapshot(
                "customer", deleted=False, email="payer@shop.invalid", timezone=payer.timezone, country=payer.country
            ),
            methods=(self._method,),
            charges=(failed,),
        )
