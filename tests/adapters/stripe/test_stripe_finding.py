"""Which charge of an invoice is an attempt's own, where nobody answered: its key says so, else time, amount and card, else nobody can."""

from datetime import datetime, timedelta

import pytest

from dunr.adapters.processors.stripe.charges import AUTHENTICATION_REQUIRED
from dunr.adapters.processors.stripe.finding import Causes, fate_of, window_of
from dunr.adapters.processors.stripe.wire import IntentOnWire
from dunr.core.answers import CannotSay, Declined, NotThere, Paid, Pending
from dunr.core.attempt import Attempt
from dunr.core.snapshot import ChargeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus
from dunr.core.value import replace
from tests.adapters.stripe.bodies import AT
from tests.adapters.stripe.faces import attempt

MINE = attempt(begun_at=AT, card_key="fp_1")
NO = RawDecline("card_declined", "insufficient_funds")
SOON = AT + timedelta(seconds=2)
WAITING = IntentOnWire("pi_1", "requires_action")


def charge(
    charge_id: str = "ch_1", status: ChargeStatus = ChargeStatus.DECLINED, at: datetime = SOON, amount_minor: int = 4900
) -> ChargeSnapshot:
    decline = NO if status is ChargeStatus.DECLINED else None
    return ChargeSnapshot(charge_id, None, amount_minor, status, at, decline, "fp_1")


def caused(**keys: str | None) -> Causes:
    return {about: frozenset({key}) for about, key in keys.items()}


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (ChargeStatus.SUCCEEDED, Paid("ch_1", 4900, SOON)),
        (ChargeStatus.RETURNED, Paid("ch_1", 4900, SOON)),
        (ChargeStatus.PENDING, Pending("ch_1")),
        (ChargeStatus.DECLINED, Declined("ch_1", NO, SOON)),
    ],
)
def test_a_charge_under_our_key_is_ours_whatever_it_looks_like(status: ChargeStatus, answer: object) -> None:
    one = charge(status=status)
    assert fate_of(MINE, [one], [], caused(ch_1=MINE.key)) == answer
    odd = replace(one, card_key="another card", at=AT - timedelta(minutes=4))
    assert isinstance(fate_of(MINE, [odd], [], caused(ch_1=MINE.key)), type(answer))


@pytest.mark.parametrize("key", ["somebody-elses-key", None])
def test_a_charge_under_another_key_or_none_is_not_ours_however_like_it_is(key: str | None) -> None:
    assert fate_of(MINE, [charge()], [], caused(ch_1=key)) == NotThere()


def test_the_id_that_an_answer_named_needs_no_proof() -> None:
    pending = replace(MINE, processor_charge_id="py_1")
    settled = charge("py_1", ChargeStatus.SUCCEEDED, at=AT + timedelta(days=3))
    assert fate_of(pending, [settled], [], {}) == Paid("py_1", 4900, settled.at)


def test_where_no_event_tells_the_charge_since_then_of_this_amount_and_card_is_ours() -> None:
    assert fate_of(MINE, [charge()], [], {}) == Declined("ch_1", NO, SOON)
    for other in (
        charge(amount_minor=100),
        charge(at=AT - timedelta(minutes=2)),
        replace(charge(), card_key="fp_other"),
    ):
        assert fate_of(MINE, [other], [], {}) == NotThere()


def test_two_declines_that_are_alike_are_nobodys_until_an_event_tells_them_apart() -> None:
    both = [charge("ch_1"), charge("ch_2")]
    assert isinstance(fate_of(MINE, both, [], {}), CannotSay)
    assert fate_of(MINE, both, [], caused(ch_1=None)) == Declined("ch_2", NO, SOON)


def test_money_that_moved_outweighs_every_decline_that_is_like_it() -> None:
    paid = charge("ch_2", ChargeStatus.SUCCEEDED)
    assert fate_of(MINE, [charge("ch_1"), paid], [], {}) == Paid("ch_2", 4900, SOON)


def test_a_bank_that_wants_the_customer_left_no_charge_but_an_event() -> None:
    assert fate_of(MINE, [], [WAITING], caused(pi_1=MINE.key)) == Declined("pi_1", AUTHENTICATION_REQUIRED, AT, "pi_1")
    assert fate_of(MINE, [], [WAITING], caused(pi_1="an-older-try")) == NotThere()


def test_events_are_asked_for_only_where_something_happened() -> None:
    older = charge(at=AT - timedelta(hours=1))
    assert window_of(MINE, [older], []) is None
    window = window_of(MINE, [older, charge()], [])
    assert window is not None
    assert window.since_at < SOON < window.until_at
    assert window.until_at - window.since_at < timedelta(minutes=5)
    called: Attempt = replace(MINE, last_called_at=AT + timedelta(hours=2))
    waiting = window_of(called, [], [WAITING])
    assert waiting is not None
    assert waiting.since_at < AT < called.last_called_at < waiting.until_at  # type: ignore[operator]  # it was called
