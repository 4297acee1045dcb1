"""The adapter against a Stripe that keeps books: what one call comes to, what a look shows after it, and what is found again when no answer came."""

from datetime import timedelta

import pytest

from dunr.adapters.processors.stripe.processor import StripeProcessor
from dunr.core.answers import (
    CannotSay,
    Declined,
    NotNow,
    NotThere,
    Paid,
    Pending,
    Refused,
    RefusedKind,
    Unanswered,
)
from dunr.core.terms import InvoiceStatus
from dunr.ports import KeyRefused
from tests.adapters.stripe.faces import ACCOUNT, START_AT, StripeFace, adapter_of, attempt, request

LATER_AT = START_AT + timedelta(hours=1)
LATER = "2026-06-23T11:00:00Z"


def fail(face: StripeFace, invoice: str = "in_1", **more: object) -> None:
    """A renewal of 49.00 fails at ten, and an hour passes."""
    face.fail(invoice, amount_minor=4900, **more)
    face.to(LATER)


def test_money_that_moved_is_paid_once_and_the_replay_says_the_same(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face)
    face.script("succeed")
    first, again = at_face.charge(request()), at_face.charge(request())
    assert first == again
    assert isinstance(first, Paid)
    assert (first.amount_minor, first.at) == (4900, LATER_AT)
    assert face.captures() == 1
    assert at_face.find_charge(ACCOUNT, "in_1", attempt(begun_at=LATER_AT)) == first
    told = at_face.snapshot(ACCOUNT, "in_1")
    assert (told.invoice.status, told.invoice.amount_due_minor) == (InvoiceStatus.PAID, 0)
    assert first.processor_charge_id in {one.processor_charge_id for one in told.charges}


def test_a_decline_carries_every_signal_and_its_replay_is_the_same_decline(
    face: StripeFace, at_face: StripeProcessor
) -> None:
    fail(face)
    face.script("decline:do_not_honor:try_again_later:05:24")
    first, again = at_face.charge(request()), at_face.charge(request())
    assert isinstance(first, Declined)
    assert first == again
    raw = first.raw
    assert (raw.code, raw.decline_code, raw.advice_code) == ("card_declined", "do_not_honor", "try_again_later")
    assert (raw.network_decline_code, raw.network_advice_code) == ("05", "24")
    found = at_face.find_charge(ACCOUNT, "in_1", attempt(begun_at=LATER_AT))
    assert isinstance(found, Declined)
    assert (found.processor_charge_id, found.raw) == (first.processor_charge_id, raw)


def test_an_authentication_that_is_wanted_names_its_intent_and_is_no_obstacle(
    face: StripeFace, at_face: StripeProcessor
) -> None:
    """It cannot be cancelled without voiding the invoice; the next attempt takes its place, and only one of the two can capture."""
    fail(face)
    face.script("requires_action", "succeed")
    answer = at_face.charge(request())
    assert isinstance(answer, Declined)
    assert (answer.raw.code, answer.processor_intent_id) == ("authentication_required", "pi_in_1")
    assert isinstance(at_face.find_charge(ACCOUNT, "in_1", attempt(begun_at=LATER_AT)), Declined)
    gone = at_face.cancel_attempt(ACCOUNT, "pi_in_1")
    assert (gone.cancelled, gone.succeeded) == (True, False)
    assert face.asked("payment_intents.cancel") == []
    assert at_face.snapshot(ACCOUNT, "in_1").invoice.status is InvoiceStatus.OPEN
    assert isinstance(at_face.charge(request("dunr-in_1-a2")), Paid)
    assert face.captures() == 1


def test_an_intent_that_the_customer_confirmed_first_has_succeeded(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face)
    face.script("requires_action")
    at_face.charge(request())
    face.control("POST", "/intents/pi_in_1/confirm")
    late = at_face.cancel_attempt(ACCOUNT, "pi_in_1")
    assert (late.cancelled, late.succeeded) == (False, True)
    assert at_face.charge(request("dunr-in_1-a2")) == Refused(RefusedKind.NOT_PAYABLE, "http_400")
    nobody = at_face.cancel_attempt(ACCOUNT, "pi_nobody")
    assert (nobody.cancelled, nobody.succeeded) == (False, False)
    assert face.captures() == 1


def test_a_debit_that_is_under_way_is_pending_and_settles(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face)
    face.script("pending:settle")
    answer = at_face.charge(request())
    assert isinstance(answer, Pending)
    assert at_face.find_charge(ACCOUNT, "in_1", attempt(begun_at=LATER_AT)) == answer
    assert at_face.charge(request("dunr-in_1-a2")) == Refused(
        RefusedKind.NOT_PAYABLE, "payment_intent_unexpected_state"
    )
    under_way = at_face.cancel_attempt(ACCOUNT, "pi_in_1")
    assert (under_way.cancelled, under_way.succeeded) == (False, False)


def test_not_now_is_no_outcome(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face)
    face.script("refuse:429:rate_limit", "error:429:lock_timeout", "succeed")
    assert at_face.charge(request()) == NotNow("rate_limit")
    assert at_face.charge(request()) == NotNow("lock_timeout")
    assert isinstance(at_face.charge(request()), Paid)


def test_a_first_request_that_still_runs_means_not_now_and_is_found_when_it_is_through(
    face: StripeFace, at_face: StripeProcessor
) -> None:
    fail(face)
    face.script("hang:45:succeed")
    mine = attempt(begun_at=LATER_AT)
    assert isinstance(at_face.charge(request()), Unanswered)
    assert isinstance(at_face.charge(request()), NotNow)
    assert at_face.find_charge(ACCOUNT, "in_1", mine) == NotThere()
    face.to("2026-06-23T11:00:45Z")
    assert isinstance(at_face.find_charge(ACCOUNT, "in_1", mine), Paid)
    assert face.captures() == 1


@pytest.mark.parametrize("script", ["lost:succeed", "broken:succeed"])
def test_money_that_moved_without_an_answer_is_found(face: StripeFace, at_face: StripeProcessor, script: str) -> None:
    fail(face)
    face.script(script)
    assert isinstance(at_face.charge(request()), Unanswered)
    found = at_face.find_charge(ACCOUNT, "in_1", attempt(begun_at=LATER_AT))
    assert isinstance(found, Paid)
    assert found.amount_minor == 4900


def test_a_decline_whose_answer_was_lost_is_told_from_somebody_elses(
    face: StripeFace, at_face: StripeProcessor
) -> None:
    """Two charges of one amount on one card within a minute: only the key says which is whose."""
    fail(face)
    face.script("decline:do_not_honor", "lost:decline:insufficient_funds")
    assert isinstance(at_face.charge(request("somebody-else")), Declined)
    assert isinstance(at_face.charge(request("dunr-in_1-a1")), Unanswered)
    found = at_face.find_charge(ACCOUNT, "in_1", attempt(begun_at=LATER_AT))
    assert isinstance(found, Declined)
    assert found.raw.decline_code == "insufficient_funds"
    assert at_face.find_charge(ACCOUNT, "in_1", attempt("never-sent", begun_at=LATER_AT)) == NotThere()


def test_a_key_that_may_not_read_events_is_enough_as_long_as_there_is_one_answer(face: StripeFace) -> None:
    fail(face)
    narrow = {"invoice": "write", "customer": "read", "payment_intent": "read", "charge": "read"}
    more = {"payment_method": "read", "subscription": "read", "dispute": "read"}
    face.http.put("/sandbox/stripe/keys/rk_test_sandbox/permissions", json=narrow | more).raise_for_status()
    restricted = adapter_of(face, key="rk_test_sandbox")
    card_key = restricted.snapshot(ACCOUNT, "in_1").methods[0].card_key
    mine = attempt(begun_at=LATER_AT, card_key=card_key)
    face.script("lost:decline:insufficient_funds", "lost:decline:insufficient_funds")
    assert isinstance(restricted.charge(request()), Unanswered)
    assert isinstance(restricted.find_charge(ACCOUNT, "in_1", mine), Declined)
    restricted.charge(request("somebody-else"))
    assert isinstance(restricted.find_charge(ACCOUNT, "in_1", mine), CannotSay)
    restricted.close()


def test_a_look_up_that_fails_cannot_say(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face)
    face.set(lookups_failing=True)
    assert isinstance(at_face.find_charge(ACCOUNT, "in_1", attempt(begun_at=LATER_AT)), CannotSay)


def test_the_key_is_not_for_another_request(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face)
    fail(face, "in_2")
    at_face.charge(request())
    reused = at_face.charge(request(invoice="in_2"))
    assert isinstance(reused, Refused)
    assert reused.kind is RefusedKind.IDEMPOTENCY_KEY_REUSED


def test_a_refusal_is_ours_and_no_decline(face: StripeFace, at_face: StripeProcessor) -> None:
    fail(face)
    answer = at_face.charge(request(card="pm_nobody"))
    assert answer == Refused(RefusedKind.NOT_FOUND, "resource_missing")
    assert at_face.charge(request("dunr-in_nobody-a1", "in_nobody")) == Refused(
        RefusedKind.NOT_FOUND, "resource_missing"
    )
    face.set(api_key_revoked=True)
    revoked = at_face.charge(request("dunr-in_1-a2"))
    assert isinstance(revoked, Refused)
    assert revoked.kind is RefusedKind.KEY_REVOKED
    with pytest.raises(KeyRefused):
        at_face.snapshot(ACCOUNT, "in_1")
    assert at_face.now(ACCOUNT) is None
