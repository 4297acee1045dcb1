"""The recorded effects, performed: notices, messages to the application, alerts, nudges, cancellations, stops.

Each has a key; it is marked done only after it was done, so a crash repeats it, and a repeat is harmless. What fails for now is tried again with growing gaps.
"""

from datetime import timedelta

from dunr.core import keys, notices
from dunr.core.answers import Missed, Refreshed
from dunr.core.decision import Decision
from dunr.core.effects import CancelAttempt, Notice, Nudge, Publish, RaiseAlert, RefreshMethod, StopSending, TakeOver
from dunr.core.events import (
    AccessRestored,
    IntentCancelled,
    MethodRefreshed,
    NoticeBounced,
    NoticeSent,
    RefreshMissed,
    RunEnded,
)
from dunr.core.gate import ref_of
from dunr.core.model import Case
from dunr.core.terms import AlertKind, NoticeKind
from dunr.engine import Engine
from dunr.expiry_notices import ExpiryNotices
from dunr.ports import Change, Delivery, Mailer, ObjectMissing, Publisher, Refs, Rows, SnapshotUnavailable, Undone

DEFER_SECONDS = 30
DEFER_SECONDS_MAX = 3600
MERCHANT_DEFER_SECONDS_MAX = 6 * 3600  # an application that has been down for days is not asked every hour
HELD_DEFER_SECONDS_MAX = 6 * 3600  # a dispute takes months
UNCONFIRMED_TRIES = 7  # with growing gaps, that is about an hour
NOTHING_READ = Rows(None, None, None, None)
REPEATED_WHEN_UNSURE = frozenset({NoticeKind.FINAL_WARNING, NoticeKind.PAUSED})


class Performer:
    """Performs recorded effects through the ports that they need."""

    def __init__(self, engine: Engine, mailer: Mailer, publisher: Publisher) -> None:
        """Keep what effects are performed with."""
        self.engine = engine
        self.store = engine.store
        self.mailer = mailer
        self.publisher = publisher
        self._expiry_notices = ExpiryNotices(engine)

    def perform(self, undone: Undone) -> None:
        """Perform one effect and mark it done, or say when to try again."""
        effect = undone.effect
        try:
            match effect:
                case Notice() if effect.card is not None:
                    self._card_notice(effect, undone)
                case Notice():
                    self._notice(effect, undone)
                case Publish():
                    self._publish(effect, undone)
                case RaiseAlert():
                    self._delivered(effect.key, self.publisher.alert(effect), undone)
                case Nudge():
                    self._nudge(effect)
                case CancelAttempt():
                    self._cancel(effect, undone)
                case RefreshMethod():
                    self._refresh(effect, undone)
                case TakeOver():
                    self._take_over(effect, undone)
                case StopSending():
                    self.engine.parts.rulebook.stop_charges(effect.processor, effect.account, effect.why)
                    self._done(effect.key, "stopped")
        except (SnapshotUnavailable, ObjectMissing) as failure:
            self._defer(effect.key, undone, str(failure))

    def _done(self, key: str, note: str) -> None:
        """Mark an effect done."""
        self.store.done(key, self.engine.clock.now(), note)

    def _defer(self, key: str, undone: Undone, why: str, seconds_max: int = DEFER_SECONDS_MAX) -> None:
        """Try again later."""
        delay = timedelta(seconds=min(DEFER_SECONDS * 2 ** min(undone.tries_count, 10), seconds_max))
        self.store.defer(key, self.engine.clock.now() + delay, why)

    def _delivered(self, key: str, delivery: Delivery, undone: Undone) -> None:
        """What became of a message to the merchant."""
        match delivery:
            case Delivery.SENT | Delivery.MAYBE_SENT | Delivery.UNDELIVERABLE:
                self._done(key, delivery)
            case Delivery.FAILED_FOR_NOW:
                self._defer(key, undone, delivery, MERCHANT_DEFER_SECONDS_MAX)

    def _publish(self, effect: Publish, undone: Undone) -> None:
        """Tell the application, unless a newer version has superseded this one."""
        subscription = self.store.load(None, Refs(subscription_id=effect.subscription_id)).subscription
        if subscription is not None and subscription.access_version > effect.access_version:
            self._done(effect.key, f"superseded by version {subscription.access_version}")
            return
        self._delivered(effect.key, self.publisher.publish(effect), undone)

    def _nudge(self, effect: Nudge) -> None:
        """Look at a case because something that it hangs on has changed."""
        look = self.engine.look(effect.case_id)
        if effect.access_restored:
            self.engine.act(effect.case_id, AccessRestored(), look)
        if effect.run_ended:
            self.engine.act(effect.case_id, RunEnded(), look)
        self._done(effect.key, "looked at")

    def _cancel(self, effect: CancelAttempt, undone: Undone) -> None:
        """Cancel an intent; only a confirmed answer counts."""
        processor, account, _ = effect.case_id.split(":", 2)
        answer = self.engine.parts.processors[processor].cancel_attempt(account, effect.processor_intent_id)
        if not answer.cancelled and not answer.succeeded:
            self._tell_unconfirmed(effect, undone)
            self._defer(effect.key, undone, "the cancellation was not confirmed")
            return
        self.engine.step(effect.case_id, IntentCancelled(effect.processor_intent_id, answer.succeeded))
        self._done(effect.key, "succeeded meanwhile" if answer.succeeded else "cancelled")

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
            self._done(effect.key, "nobody collects it any more")
            return
        if self.engine.parts.rulebook.standing(case.processor, case.account).stops.charges:
            self._defer(effect.key, undone, "sending is stopped")
            return
        self.engine.parts.processors[case.processor].take_over(case.account, effect.processor_invoice_id)
        if self.engine.look(case.id).snapshot.collects_by_itself:
            self._defer(effect.key, undone, "the processor says that it still collects the invoice by itself")
            return
        self._done(effect.key, "taken over")

    def _refresh(self, effect: RefreshMethod, undone: Undone) -> None:
        """Have fresher details of a payment method, and let the case go on with the answer."""
        case = self.store.load(effect.case_id, Refs()).case
        pending = case.method_notes.pending_refresh if case is not None else None
        if case is None or not case.is_open or pending is None:
            self._done(effect.key, "nobody waits for it any more")
            return
        if self.engine.parts.rulebook.standing(case.processor, case.account).stops.charges:
            self._defer(effect.key, undone, "sending is stopped")
            return
        event = self._asked_for_fresher(case, effect)
        self.engine.step(case.id, event)
        self._done(effect.key, event.why if isinstance(event, RefreshMissed) else "answered")

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

    # --- notices ----------------------------------------------------------------------------------------------------------------

    def _notice(self, notice: Notice, undone: Undone) -> None:
        """Send a notice that still says the truth; drop one that does not."""
        rows = self.store.load(notice.case_id, Refs())
        case = rows.case
        waiting = notices.waits_because(case)
        if waiting is not None:
            self._defer(notice.key, undone, waiting, HELD_DEFER_SECONDS_MAX)
            return
        current = notices.as_it_leaves(case, notice)
        if case is None or current is None:
            self._done(notice.key, "dropped: it would not be true any more")
            return
        if self.engine.parts.rulebook.standing(case.processor, case.account).stops.mail:
            self._defer(notice.key, undone, "mail is stopped")
            return
        if rows.customer is None or rows.customer.mail_stopped or rows.customer.payer.email is None:
            self._undeliverable(case, notice, "there is no address that may be written to")
            return
        policy = self.engine.parts.rulebook.policy(case.policy_hash)
        match self.mailer.send(current, rows.customer.payer, policy.timezone):
            case Delivery.SENT:
                self._sent(case, current, "sent")
            case Delivery.MAYBE_SENT:
                if notice.kind in REPEATED_WHEN_UNSURE and undone.tries_count == 0:
                    self._defer(notice.key, undone, "maybe sent; this kind is repeated once")
                else:
                    self._sent(case, current, "maybe_sent")
            case Delivery.FAILED_FOR_NOW:
                self._defer(notice.key, undone, "the mail server did not take it")
            case Delivery.UNDELIVERABLE:
                self._undeliverable(case, notice, "the mail server refused the address")

    def _sent(self, case: Case, notice: Notice, note: str) -> None:
        """Note on the case what the customer was told."""
        self.engine.step(case.id, NoticeSent(notice.kind, notice.key, notice.is_warning, notice.next_attempt_at))
        self._done(notice.key, note)

    def _undeliverable(self, case: Case, notice: Notice, why: str) -> None:
        """Tell a person, and let the time before a pause run from now."""
        self.engine.step(case.id, NoticeBounced(notice.key, notice.is_warning, why))
        self._done(notice.key, f"undeliverable: {why}")

    def _card_notice(self, notice: Notice, undone: Undone) -> None:
        """Tell the holder of a card that it expires, if that is still so and nothing else is to be said about it."""
        processor, account, _ = notice.case_id.split(":", 2)
        if self.engine.parts.rulebook.standing(processor, account).stops.mail:
            self._defer(notice.key, undone, "mail is stopped")
            return
        card = self._expiry_notices.as_it_stands(notice)
        customer = self.store.load(None, Refs(customer_id=notice.case_id)).customer
        if card is None or (customer is not None and customer.mail_stopped):
            self._done(notice.key, "dropped: the card has changed or is dunned already, or its holder wants no mail")
            return
        match self.mailer.send(notice, card.payer, self._expiry_notices.policy(processor).timezone):
            case Delivery.SENT | Delivery.MAYBE_SENT | Delivery.UNDELIVERABLE as delivery:
                self._done(notice.key, delivery)
            case Delivery.FAILED_FOR_NOW:
                self._defer(notice.key, undone, "the mail server did not take it")
