"""The recorded effects, performed: messages to the application, alerts, nudges, cancellations, stops; notices are in `notifying`.

Each has a key and is claimed before it is performed; it is marked done only after it was done, so a crash repeats it, and a repeat is harmless. What fails for now
is tried again with growing gaps.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from dunr.alerts import AlertTeller, Way
from dunr.claims import Claims
from dunr.core import keys
from dunr.core.answers import Missed, Refreshed
from dunr.core.decision import Decision
from dunr.core.effects import (
    CancelAttempt,
    Notice,
    Nudge,
    Publish,
    PublishCharge,
    RaiseAlert,
    RefreshMethod,
    StopSending,
    TakeOver,
)
from dunr.core.events import (
    AccessRestored,
    IntentCancelled,
    MethodRefreshed,
    RefreshMissed,
    RunEnded,
)
from dunr.core.gate import ref_of
from dunr.core.model import Case
from dunr.core.terms import AlertKind
from dunr.engine import Engine
from dunr.mail_habits import USUAL_HABITS, MailHabits
from dunr.notifying import Notifier
from dunr.ports import Change, Delivery, Mailer, ObjectMissing, Publisher, Refs, Rows, SnapshotUnavailable, Undone
from dunr.writing_turns import WritingTurns

DEFER_SECONDS = 30
DEFER_SECONDS_MAX = 3600
MERCHANT_DEFER_SECONDS_MAX = 6 * 3600  # an application that has been down for days is not asked every hour
UNCONFIRMED_TRIES = 7  # with growing gaps, that is about an hour
NOTHING_READ = Rows(None, None, None, None)


class Performer:
    """Performs recorded effects through the ports that they need."""

    def __init__(
        self,
        engine: Engine,
        mailer: Mailer,
        publisher: Publisher,
        habits: MailHabits = USUAL_HABITS,
        alert_ways: Mapping[str, Way] | None = None,
    ) -> None:
        """Keep what effects are performed with. Alerts go by `alert_ways`; None: by the publisher alone."""
        self.engine = engine
        self.store = engine.store
        self.publisher = publisher
        self.claims = Claims(engine.store, engine.clock, engine.parts.facts.timing.lease_seconds)
        ways = {"publisher": publisher.alert} if alert_ways is None else alert_ways
        self.alerts = AlertTeller(engine.store, engine.clock, self.claims, ways)
        self.turns = WritingTurns(engine.store, engine.clock, engine.parts.facts.timing.lease_seconds)
        self.notifier = Notifier(engine, mailer, publisher, self.claims, habits)

    def perform(self, undone: Undone) -> datetime | None:
        """Perform one effect and mark it done, or say when to try again; nothing where somebody else has it in hand.

        Where another process is writing to the person meant, nothing is touched, since it may be about to tell this, too: until when, at the latest, that lasts.
        """
        with self.turns.one_at_a_time(undone.effect) as theirs_until_at, self.alerts.one_at_a_time(undone.effect):
            if theirs_until_at is None:
                with self.claims.holding(undone) as held:
                    if held is not None:
                        self._perform(held)
        return theirs_until_at

    def _perform(self, undone: Undone) -> None:
        effect = undone.effect
        try:
            match effect:
                case Notice():
                    self.notifier.tell(effect, undone)
                case Publish():
                    self._publish(effect, undone)
                case PublishCharge():
                    self._delivered(self.publisher.publish_charge(effect), undone)
                case RaiseAlert():
                    self.alerts.tell(effect, undone)
                case Nudge():
                    self._nudge(effect, undone)
                case CancelAttempt():
                    self._cancel(effect, undone)
                case RefreshMethod():
                    self._refresh(effect, undone)
                case TakeOver():
                    self._take_over(effect, undone)
                case StopSending():
                    self.engine.parts.rulebook.stop_charges(effect.processor, effect.account, effect.why)
                    self._done(undone, "stopped")
        except (SnapshotUnavailable, ObjectMissing) as failure:
            self._defer(undone, str(failure))

    def _done(self, undone: Undone, note: str) -> None:
        """Mark an effect done."""
        self.claims.done(undone, note)

    def _defer(self, undone: Undone, why: str, seconds_max: int = DEFER_SECONDS_MAX) -> None:
        """Try again later."""
        delay = timedelta(seconds=min(DEFER_SECONDS * 2 ** min(undone.tries_count, 10), seconds_max))
        self.claims.defer(undone, self.engine.clock.now() + delay, why)

    def _delivered(self, delivery: Delivery, undone: Undone) -> None:
        """What became of a message to the merchant."""
        match delivery:
            case Delivery.SENT | Delivery.MAYBE_SENT | Delivery.UNDELIVERABLE:
                self._done(undone, delivery)
            case Delivery.FAILED_FOR_NOW:
                self._defer(undone, delivery, MERCHANT_DEFER_SECONDS_MAX)

    def _publish(self, effect: Publish, undone: Undone) -> None:
        """Tell the application, unless a newer version has superseded this one."""
        subscription = self.store.load(None, Refs(subscription_id=effect.subscription_id)).subscription
        if subscription is not None and subscription.access_version > effect.access_version:
            self._done(undone, f"superseded by version {subscription.access_version}")
            return
        self._delivered(self.publisher.publish(effect), undone)

    def _nudge(self, effect: Nudge, undone: Undone) -> None:
        """Look at a case because something that it hangs on has changed."""
        look = self.engine.look(effect.case_id)
        if effect.access_restored:
            self.engine.act(effect.case_id, AccessRestored(), look)
        if effect.run_ended:
            self.engine.act(effect.case_id, RunEnded(), look)
        self._done(undone, "looked at")

    def _cancel(self, effect: CancelAttempt, undone: Undone) -> None:
        """Cancel an intent; only a confirmed answer counts."""
        processor, account, _ = effect.case_id.split(":", 2)
        answer = self.engine.parts.processors[processor].cancel_attempt(account, effect.processor_intent_id)
        if not answer.cancelled and not answer.succeeded:
            self._tell_unconfirmed(effect, undone)
            self._defer(undone, "the cancellation was not confirmed")
            return
        self.engine.step(effect.case_id, IntentCancelled(effect.processor_intent_id, answer.succeeded))
        self._done(undone, "succeeded meanwhile" if answer.succeeded else "cancelled")

    def _tell_unconfirmed(self, effect: CancelAttempt, undone: Undone) -> None:
        """Nothing is charged until the cancellation is confirmed, so a person hears of one that is not for about an hour; once."""
        if undone.tries_count < UNCONFIRMED_TRIES:
            return
        text = (
            f"The cancellation of {effect.processor_intent_id} at the processor is not confirmed after {undone.tries_count} tries, and nothing is charged "
            f"for {effect.case_id} before it is. Look there, and cancel it or let the customer finish it. It is tried again meanwhile."
        )
        key = keys.alert(AlertKind.UNSETTLED_ATTEMPT, f"{effect.case_id}/intent/{effect.processor_intent_id}")
        alert = RaiseAlert(key, AlertKind.UNSETTLED_ATTEMPT, effect.case_id, text, self.engine.clock.now())
        self.store.commit((Change(NOTHING_READ, Decision((text,), effects=(alert,))),))

    def _take_over(self, effect: TakeOver, undone: Undone) -> None:
        """Have the processor leave an invoice to us, and believe it only when it is read back; the gate does not open before."""
        case = self.store.load(effect.case_id, Refs()).case
        if case is None or not case.is_open:
            self._done(undone, "nobody collects it any more")
            return
        if self.engine.parts.rulebook.standing(case.processor, case.account).stops.charges:
            self._defer(undone, "sending is stopped")
            return
        self.engine.parts.processors[case.processor].take_over(case.account, effect.processor_invoice_id)
        if self.engine.look(case.id).snapshot.collects_by_itself:
            self._defer(undone, "the processor says that it still collects the invoice by itself")
            return
        self._done(undone, "taken over")

    def _refresh(self, effect: RefreshMethod, undone: Undone) -> None:
        """Have fresher details of a payment method, and let the case go on with the answer."""
        case = self.store.load(effect.case_id, Refs()).case
        pending = case.method_notes.pending_refresh if case is not None else None
        if case is None or not case.is_open or pending is None:
            self._done(undone, "nobody waits for it any more")
            return
        if self.engine.parts.rulebook.standing(case.processor, case.account).stops.charges:
            self._defer(undone, "sending is stopped")
            return
        event = self._asked_for_fresher(case, effect)
        self.engine.step(case.id, event)
        self._done(undone, event.why if isinstance(event, RefreshMissed) else "answered")

    def _asked_for_fresher(self, case: Case, effect: RefreshMethod) -> MethodRefreshed | RefreshMissed:
        """What the processor says. A method that it does not know any more is a miss."""
        method_id = effect.processor_method_id
        try:
            answer = self.engine.parts.processors[case.processor].refresh_method(
                case.account, effect.processor_customer_id, method_id
            )
        except ObjectMissing as missing:
            return RefreshMissed(method_id, str(missing))
        match answer:
            case Refreshed():
                return MethodRefreshed(method_id, ref_of(answer.method), answer.cryptogram)
            case Missed():
                return RefreshMissed(method_id, answer.why)
