"""Bugs that somebody could write, each planted by replacing one function or fact; the checkers must find every one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from datetime import timedelta
from itertools import count

import pytest

from dunr import claims, engine, sending
from dunr.adapters.stores import memory
from dunr.core import gate, keys, ledger, reconcile, timers
from dunr.core.access import fold
from dunr.core.answers import Declined, Paid
from dunr.core.attempt import Attempt
from dunr.core.decide import charging, ending, invoices, money, settling, unsettled
from dunr.core.decide import draft as draft_module
from dunr.core.decide.attempts import withdraw
from dunr.core.decide.draft import Draft
from dunr.core.decision import Decision
from dunr.core.events import AttemptReturned, AttemptSettled, Event
from dunr.core.facts import Facts, ProcessorFacts
from dunr.core.model import Case
from dunr.core.snapshot import ChargeSnapshot
from dunr.core.terms import AlertKind, CaseState, ChargeStatus, Outcome
from dunr.core.value import replace
from dunr.ports import Inbound, Receipt, Refs
from dunr.sending import Sender

Plant = Callable[[pytest.MonkeyPatch, Facts], Facts | None]
YEARS = 10_000_000


def no_stable_key(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """Each call makes up a key of its own."""
    serial, honest = count(), sending._request
    patch.setattr(sending, "_request", lambda c, a: replace(honest(c, a), key=f"{a.key}-{next(serial)}"))


def next_attempt_while_unanswered(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """An attempt without an answer is taken for one that failed."""
    patch.setattr(Attempt, "is_in_flight", property(lambda a: a.outcome in (None, Outcome.PENDING)))


def sends_again_past_the_key_s_life(_: pytest.MonkeyPatch, facts: Facts) -> Facts:
    """The adapter believes that keys live for ever."""
    return replace(facts, processors={"sandbox": ProcessorFacts(key_lifetime_seconds=YEARS)})


def late_money_is_ignored(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """A closed or recovered case does not listen any more."""
    honest = money.collect

    def collect(draft: Draft, *args: object, **named: object) -> None:
        if draft.case.is_open:
            honest(draft, *args, **named)  # type: ignore[arg-type]

    for module in (money, settling):
        patch.setattr(module, "collect", collect)


def lease_without_fence(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """Whoever took the lease once goes on for ever, and may say that nothing was sent."""

    def held(sender: Sender, case_id: str, _: object) -> object:
        rows = sender.store.load(case_id, Refs())
        return rows, rows.case.in_flight if rows.case is not None else None

    def withdrawn(draft: Draft, event: object) -> None:
        attempt = next((a for a in draft.case.attempts if a.number == event.number), None)  # type: ignore[attr-defined]
        if attempt is not None and attempt.is_in_flight:
            withdraw(draft, attempt, event.why)  # type: ignore[attr-defined]

    patch.setattr(Sender, "_held_attempt", held)
    patch.setattr(settling, "withdrawn", withdrawn)


def own_echo_is_a_second_payment(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """A charge of ours that a webhook shows first is taken for somebody else's, and booked again when it is named as ours."""
    honest = reconcile._attempt_of
    patch.setattr(reconcile, "_attempt_of", lambda c, charge: None if c.in_flight is not None else honest(c, charge))
    patch.setattr(
        settling, "_book", lambda d, a: money.collect(d, a.processor_charge_id, a.amount_minor, a.at, ours=True)
    )


def pauses_unwarned(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """The pause comes at its date, warned or not."""
    honest = timers.pause_due_at

    def due(case: Case) -> object:
        return honest(replace(case, warned_at=case.warned_at or case.opened_at))

    patch.setattr(timers, "WARNING_LEAD", timedelta(0))
    patch.setattr(timers, "pause_due_at", due)
    patch.setattr(ending, "pause_due_at", due)


def late_decline_unpays(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """The last word counts, whenever it comes."""
    honest = settling.settled

    def settled(draft: Draft, event: AttemptSettled) -> None:
        attempt = next((a for a in draft.case.attempts if a.number == event.number), None)
        if attempt is not None and isinstance(event.answer, Declined):
            settling._declined(draft, attempt, event.answer)
        else:
            honest(draft, event)

    def own(attempt: Attempt, charge: ChargeSnapshot) -> Iterator[AttemptSettled]:
        if attempt.number and charge.status is ChargeStatus.SUCCEEDED and attempt.outcome is not Outcome.SUCCEEDED:
            yield AttemptSettled(attempt.number, Paid(charge.processor_charge_id, charge.amount_minor, charge.at))
        elif attempt.number and charge.decline is not None and attempt.outcome is not Outcome.DECLINED:
            yield AttemptSettled(attempt.number, Declined(None, charge.decline, charge.at))

    patch.setattr(settling, "settled", settled)
    patch.setattr(reconcile, "_from_own_charge", own)


def withdraws_at_once(_: pytest.MonkeyPatch, facts: Facts) -> Facts:
    """What is not there yet will never be there."""
    return replace(facts, processors={"sandbox": ProcessorFacts(settle_after_seconds=0)})


def trusts_old_looks(patch: pytest.MonkeyPatch, facts: Facts) -> Facts:
    """One look is good for ever."""
    patch.setattr(gate, "is_believed", lambda *_: True)
    patch.setattr(charging, "is_believed", lambda *_: True)
    return replace(facts, timing=replace(facts.timing, look_max_age_seconds=YEARS))


def stopped_card_is_charged(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """A hard decline is forgotten."""
    honest = gate._method_reasons
    patch.setattr(gate, "_method_reasons", lambda method, snapshot, _: honest(method, snapshot, None))
    patch.setattr(charging, "_is_stopped_elsewhere", lambda *_: False)


def last_writer_wins(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """The store writes what it is given, whatever was written meanwhile."""
    patch.setattr(memory, "_holds", lambda *_: True)
    patch.setattr(memory.MemoryStore, "_audit_fits", lambda *_: True)


def keys_are_counted_anew(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """Each attempt of an invoice has the same key."""
    patch.setattr(keys, "charge", lambda invoice, *_: f"dunr-{invoice}")


def overpayments_are_silent(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """What is too much is not booked."""
    honest = ledger.collected
    patch.setattr(ledger, "collected", lambda case, ref, owed, _, at: honest(case, ref, owed, 0, at))


def answers_of_stale_holders_count(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """An attempt that was not found is withdrawn though somebody has just sent it again."""
    patch.setattr(unsettled, "not_found", _withdraw_found)


def _withdraw_found(draft: Draft, event: object) -> None:
    attempt = next((a for a in draft.case.attempts if a.number == event.number), None)  # type: ignore[attr-defined]
    if attempt is not None and attempt.is_in_flight:
        withdraw(draft, attempt, ("not there",))


def effects_are_not_claimed(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """Each worker performs whatever it finds."""
    patch.setattr(claims.Claims, "holding", lambda _, undone: nullcontext(undone))
    patch.setattr(claims.Claims, "mark", lambda _, undone, __: undone)


def access_is_not_folded(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """The last case that speaks decides for all cases of a subscription."""
    patch.setattr(
        draft_module,
        "fold",
        lambda subscription: (subscription.cases[-1].access, "") if subscription.cases else fold(subscription),
    )


def voids_are_not_heard(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """An invoice that was voided stays open here."""
    patch.setattr(invoices, "voided", lambda draft: draft.why("voided"))


def a_part_is_taken_for_all(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """Whoever pays something has paid."""
    honest = money.collect

    def collect(draft: Draft, *args: object, **named: object) -> None:
        honest(draft, *args, **named)  # type: ignore[arg-type]
        if draft.case.is_open:
            money.recover(draft, ours=False)

    patch.setattr(money, "collect", collect)
    patch.setattr(settling, "collect", collect)


def cancels_in_silence(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """Whoever has not paid after the last step is a customer no more."""
    honest = draft_module.Draft.finish

    def finish(draft: Draft, what: str, actor: str) -> Decision:
        decision = honest(draft, what, actor)
        row, case = decision.subscription, decision.case
        if row is None or case is None or case.state is not CaseState.EXHAUSTED:
            return decision
        return replace(decision, subscription=replace(row, ended_at=draft.now))

    patch.setattr(draft_module.Draft, "finish", finish)


def returns_are_not_heard(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """A debit that came back stays paid."""
    honest = reconcile.events_from

    def events(*args: object) -> Iterator[Event]:
        return (event for event in honest(*args) if not isinstance(event, AttemptReturned))  # type: ignore[arg-type]

    patch.setattr(engine, "events_from", events)


def webhooks_are_acknowledged_and_forgotten(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """One event in ten is taken and not written."""
    honest, serial = memory.MemoryStore.receive, count()

    def receive(store: memory.MemoryStore, inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        return [Receipt.NEW for _ in inbounds] if next(serial) % 10 == 0 else honest(store, inbounds)

    patch.setattr(memory.MemoryStore, "receive", receive)


def reasons_are_kept_to_itself(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """A decision that begins an attempt tells nobody why."""
    honest = charging.begin

    def begin(draft: Draft, *args: object, **named: object) -> None:
        honest(draft, *args, **named)  # type: ignore[arg-type]
        draft.because.clear()

    patch.setattr(charging, "begin", begin)


def overpayments_are_booked_and_told_to_nobody(patch: pytest.MonkeyPatch, _: Facts) -> None:
    """The alert is thought to be somebody else's."""
    honest = Draft.alert
    patch.setattr(Draft, "alert", lambda d, kind, *rest: None if kind is AlertKind.OVERPAID else honest(d, kind, *rest))


PLANTED: tuple[tuple[Plant, int], ...] = (
    (no_stable_key, 50),
    (next_attempt_while_unanswered, 200),
    (sends_again_past_the_key_s_life, 1000),
    (late_money_is_ignored, 200),
    (lease_without_fence, 1000),
    (own_echo_is_a_second_payment, 300),
    (pauses_unwarned, 200),
    (late_decline_unpays, 1000),
    (withdraws_at_once, 500),
    (trusts_old_looks, 2000),
    (stopped_card_is_charged, 200),
    (last_writer_wins, 200),
    (keys_are_counted_anew, 50),
    (overpayments_are_silent, 300),
    (answers_of_stale_holders_count, 500),
    (effects_are_not_claimed, 200),
    (access_is_not_folded, 300),
    (voids_are_not_heard, 300),
    (a_part_is_taken_for_all, 300),
    (cancels_in_silence, 300),
    (returns_are_not_heard, 500),
    (webhooks_are_acknowledged_and_forgotten, 50),
    (reasons_are_kept_to_itself, 50),
    (overpayments_are_booked_and_told_to_nobody, 500),
)
