"""Notices, told: by mail, or through the merchant's own channel.

A notice that would not be true any more is dropped, at the last moment. A mail alone, of all effects, is not repeated: that it is handed over is written down first.
What several invoices of one person have to say at one time leaves as one mail.
"""

from contextlib import ExitStack
from datetime import timedelta

from dunr.claims import Claims
from dunr.core import notices
from dunr.core.effects import Notice
from dunr.core.events import NoticeBounced, NoticeSent
from dunr.core.model import Case, Payer
from dunr.core.terms import NoticeKind
from dunr.core.value import Value, replace
from dunr.core.wanted import may_be_stopped
from dunr.dead_notices import GIVEN_UP
from dunr.engine import Engine
from dunr.expiry_notices import ExpiryNotices
from dunr.mail_habits import WEIGHT, MailHabits
from dunr.ports import Delivery, Mailer, Publisher, Refs, Undone
from dunr.recent_mail import RecentMail
from dunr.suppressions import Suppressions
from dunr.writing_turns import may_have_company

DEFER_SECONDS = 30
DEFER_SECONDS_MAX = 3600
HELD_DEFER_SECONDS_MAX = 6 * 3600  # a dispute takes months
MAIL_TRIES_MAX = 60  # with growing gaps, that is more than two days
TOGETHER_MAX = 10
COMPANIONS_READ_MAX = 100
HANDED_OVER = "handed to the mail server"  # and not heard of again, where somebody else finds it
REPEATED_WHEN_UNSURE = frozenset({NoticeKind.FINAL_WARNING, NoticeKind.PAUSED})


class _Ready(Value):
    """A notice that is true, and to be told now."""

    held: Undone
    case: Case
    notice: Notice
    payer: Payer


class Notifier:
    """Tells customers what was recorded to be told, for any number of threads."""

    def __init__(
        self, engine: Engine, mailer: Mailer, publisher: Publisher, claims: Claims, habits: MailHabits
    ) -> None:
        """Keep what is told with."""
        self.engine = engine
        self.store = engine.store
        self.mailer = mailer
        self.publisher = publisher
        self.claims = claims
        self.habits = habits
        self.suppressions = Suppressions(engine.store)
        self.recent = RecentMail(engine.store)
        self._expiry_notices = ExpiryNotices(engine)

    def tell(self, notice: Notice, held: Undone) -> None:
        """Tell one notice, and with it what else is due to the same person."""
        if notice.card is not None:
            self._card_notice(notice, held)
            return
        ready = self._ready(held)
        if ready is None:
            return
        match self.habits.channel:
            case "own":
                self._tell_application(ready)
            case "off":
                self._tell_nobody(ready)
            case _:
                with ExitStack() as companions:
                    self._mail(ready, self._due_to_the_same(ready, companions))

    def _ready(self, held: Undone) -> _Ready | None:
        """The notice as it may be told now; where it may not, it was put off, dropped, or found to have been handed over before."""
        notice = held.effect
        assert isinstance(notice, Notice), "only notices are told"
        rows = self.store.load(notice.case_id, Refs())
        case = rows.case
        if held.note == HANDED_OVER:
            self._found_handed_over(case, notice, held)
            return None
        waiting = notices.waits_because(case)
        if waiting is not None:
            self._defer(held, waiting, HELD_DEFER_SECONDS_MAX)
            return None
        current = notices.as_it_leaves(case, notice)
        if case is None or current is None:
            self._done(held, "dropped: it would not be true any more, or is not wanted")
            return None
        if self.engine.parts.rulebook.standing(case.processor, case.account).stops.mail:
            self._defer(held, "mail is stopped")
            return None
        payer = rows.customer.payer if rows.customer is not None else Payer()
        ready = _Ready(held, case, current, payer)
        if self.habits.channel != "dunr":
            return ready
        if rows.customer is None or rows.customer.mail_stopped or payer.email is None:
            self._undeliverable(ready, "there is no address that may be written to")
            return None
        return ready if self._may_be_mailed(ready, payer.email) else None

    def _may_be_mailed(self, ready: _Ready, email: str) -> bool:
        """Whether the address may be written to, at this time, and has not heard enough today."""
        suppressed = self.suppressions.of(email)
        if suppressed is not None:
            self._undeliverable(ready, f"mail to the address came back before ({suppressed.kind})")
            return False
        now, notice = self.engine.clock.now(), ready.notice
        if not notice.answers_customer and notice.kind is not NoticeKind.RECEIPT:
            policy = self.engine.parts.rulebook.policy(ready.case.policy_hash)
            at = notices.mail_time(now, ready.payer, policy, self.engine.facts)
            if at > now:
                self.store.claim(ready.held, at, "it is no time for mail where the customer lives")
                return False
        if may_be_stopped(notice):
            room_at = self.recent.room_at(email, self.habits.per_day_max, now)
            if room_at > now:
                self.store.claim(ready.held, room_at, "the address got enough reminders for a day")
                return False
        return True

    # --- by mail ----------------------------------------------------------------------------------------------------------------

    def _due_to_the_same(self, ready: _Ready, companions: ExitStack) -> list[_Ready]:
        """What else is due to this person now, each claimed by itself."""
        found = [ready]
        customer = self.store.load(ready.case.id, Refs()).customer
        others = {one.case_id for one in customer.cases} - {ready.case.id} if customer is not None else set()
        if not others or not may_have_company(ready.notice):
            return found
        for undone in self.store.undone(self.engine.clock.now(), COMPANIONS_READ_MAX, sorted(others)):
            notice = undone.effect
            if not isinstance(notice, Notice) or not may_have_company(notice) or undone.note == HANDED_OVER:
                continue
            if len(found) >= TOGETHER_MAX:
                break
            held = companions.enter_context(self.claims.holding(undone))
            other = self._ready(held) if held is not None else None
            if other is not None and other.payer.email == ready.payer.email:
                found.append(other)
        return found

    def _mail(self, first: _Ready, together: list[_Ready]) -> None:
        """Give a mail to the mail server, which is written down before, for each notice in it."""
        marked = [replace(one, held=held) for one in together if (held := self.claims.mark(one.held, HANDED_OVER))]
        if not marked:
            return
        heaviest = max(marked, key=lambda one: (WEIGHT.get(one.notice.kind, 0), one is first))
        also = tuple(one.notice for one in marked if one is not heaviest)
        policy = self.engine.parts.rulebook.policy(heaviest.case.policy_hash)
        delivery = self.mailer.send(heaviest.notice, heaviest.payer, policy.timezone, also)
        if delivery in (Delivery.SENT, Delivery.MAYBE_SENT) and heaviest.payer.email is not None:
            self.recent.note(heaviest.payer.email, self.engine.clock.now())
        for one in marked:
            self._became(one, delivery, "" if one is heaviest else f", with {heaviest.notice.key}")

    def _became(self, one: _Ready, delivery: Delivery, with_key: str) -> None:
        match delivery:
            case Delivery.SENT:
                self._sent(one.case, one.notice, one.held, f"sent{with_key}")
            case Delivery.MAYBE_SENT:
                self._maybe_sent(one.case, one.notice, one.held)
            case Delivery.FAILED_FOR_NOW if one.held.tries_count >= MAIL_TRIES_MAX:
                why = f"no mail server took it in {one.held.tries_count} tries"
                self.engine.step(one.case.id, NoticeBounced(one.notice.key, one.notice.is_warning, why))
                self._done(one.held, GIVEN_UP + why)
            case Delivery.FAILED_FOR_NOW:
                self._defer(one.held, "the mail server did not take it")
            case Delivery.UNDELIVERABLE:
                self._undeliverable(one, "the mail server refused the address")

    def _found_handed_over(self, case: Case | None, notice: Notice, held: Undone) -> None:
        """Whoever handed it to the mail server was not heard of again: it may have left. A warning that may never have left, though it was repeated, warns nobody."""
        if case is None:
            self._done(held, "maybe_sent")
        elif notice.is_warning and held.tries_count:
            self._undeliverable(
                _Ready(held, case, notice, Payer()), "whoever handed it to the mail server was not heard of again"
            )
        else:
            self._maybe_sent(case, notice, held)

    def _maybe_sent(self, case: Case, notice: Notice, held: Undone) -> None:
        """It is not repeated, but for a warning before a pause and for the word that access is paused: once."""
        if (notice.is_warning or notice.kind in REPEATED_WHEN_UNSURE) and held.tries_count == 0:
            self._defer(held, "maybe sent; this kind is repeated once")
        else:
            self._sent(case, notice, held, "maybe_sent")

    def _card_notice(self, notice: Notice, held: Undone) -> None:
        """Tell the holder of a card that it expires, if that is still so and nothing else is to be said about it."""
        processor, account, _ = notice.case_id.split(":", 2)
        if held.note == HANDED_OVER:
            self._done(held, "maybe_sent")
            return
        if self.engine.parts.rulebook.standing(processor, account).stops.mail:
            self._defer(held, "mail is stopped")
            return
        card = self._expiry_notices.as_it_stands(notice)
        customer = self.store.load(None, Refs(customer_id=notice.case_id)).customer
        stopped = customer is not None and customer.mail_stopped
        email = card.payer.email if card is not None else None
        if card is None or stopped or (email is not None and self.suppressions.of(email) is not None):
            self._done(held, "dropped: the card has changed or is dunned already, or its holder wants no mail")
            return
        if self.habits.channel != "dunr":
            self._done(held, f"dropped: mail_channel is {self.habits.channel}, and the processor tells of cards itself")
            return
        marked = self.claims.mark(held, HANDED_OVER)
        if marked is None:
            return
        match self.mailer.send(notice, card.payer, self._expiry_notices.policy(processor).timezone):
            case Delivery.SENT | Delivery.MAYBE_SENT | Delivery.UNDELIVERABLE as delivery:
                self._done(marked, delivery)
            case Delivery.FAILED_FOR_NOW:
                self._defer(marked, "the mail server did not take it")

    # --- by others --------------------------------------------------------------------------------------------------------------

    def _tell_application(self, ready: _Ready) -> None:
        """The merchant's own system writes. Its endpoint knows a repeat by its id, so this may be repeated."""
        case, notice, held = ready.case, ready.notice, ready.held
        match self.publisher.notice_due(notice, case.customer_id, self.engine.clock.now()):
            case Delivery.SENT | Delivery.MAYBE_SENT:
                self._sent(case, notice, held, "told to the application, which writes by itself")
            case Delivery.FAILED_FOR_NOW:
                self._defer(held, "the application did not take it", HELD_DEFER_SECONDS_MAX)
            case Delivery.UNDELIVERABLE:
                self._undeliverable(ready, "the application wants to hear no more")

    def _tell_nobody(self, ready: _Ready) -> None:
        """Nobody is to be written to. A pause that nobody was warned of is a person's business."""
        if ready.notice.is_warning:
            self._undeliverable(ready, "mail_channel is off")
        else:
            self._done(ready.held, "not sent: mail_channel is off")

    # --- and what became of it --------------------------------------------------------------------------------------------------

    def _sent(self, case: Case, notice: Notice, held: Undone, note: str) -> None:
        """Note on the case what the customer was told."""
        self.engine.step(case.id, NoticeSent(notice.kind, notice.key, notice.is_warning, notice.next_attempt_at))
        self._done(held, note)

    def _undeliverable(self, ready: _Ready, why: str) -> None:
        """Tell a person, and let the time before a pause run from now."""
        notice = ready.notice
        self.engine.step(ready.case.id, NoticeBounced(notice.key, notice.is_warning, why))
        self._done(ready.held, f"undeliverable: {why}")

    def _done(self, held: Undone, note: str) -> None:
        self.claims.done(held, note)

    def _defer(self, held: Undone, why: str, seconds_max: int = DEFER_SECONDS_MAX) -> None:
        delay = timedelta(seconds=min(DEFER_SECONDS * 2 ** min(held.tries_count, 10), seconds_max))
        self.claims.defer(held, self.engine.clock.now() + delay, why)
