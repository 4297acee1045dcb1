"""Why the gate is closed, what an entitlement check answers and when mail leaves: by table."""

from datetime import timedelta

import pytest

from dunr.core.access import verdict
from dunr.core.gate import closed_because, ref_of
from dunr.core.model import CaseShare, Method, Payer, Subscription
from dunr.core.notices import as_it_leaves, mail_time, must_be_told_again
from dunr.core.policy import Policy
from dunr.core.snapshot import ChargeSnapshot, DisputeSnapshot
from dunr.core.terms import (
    Access,
    CaseState,
    ChargeStatus,
    DeclineReason,
    DisputeStatus,
    FinalAction,
    InvoiceStatus,
    Rail,
    SubscriptionStatus,
)
from dunr.core.value import replace
from dunr.testing.scenario_processor import card
from dunr.testing.scenario_world import World
from tests.core.world import facts, story, utc

R = DeclineReason
FIRST = "2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first\n"


# --- the gate -------------------------------------------------------------------------------------------------------------


def gate(change: str, world: World | None = None) -> str:
    """What the gate says about 4900 usd by card_1 after a change of the world."""
    world = world or story(FIRST)
    stopped: Method | None = None
    disputed = DisputeSnapshot("dp", "ch", None, "card_1", 1, DisputeStatus.OPEN)
    own = ChargeSnapshot("ch_own", "dunr-in_1-a1", 4900, ChargeStatus.PENDING, world.now)
    match change:
        case "void" | "paid":
            world.show("in_1", status=InvoiceStatus(change))
        case "amount":
            world.show("in_1", amount_due_minor=4800)
        case "currency":
            world.show("in_1", currency="eur")
        case "least":
            world.show("in_1", minimum_minor=5000)
        case "customer":
            world.customer = None
        case "ended":
            world.subscriptions["sub_1"] = SubscriptionStatus.ENDED
        case "no card":
            world.methods = []
        case "other expiry":
            world.methods = [card("card_1", expires_on="2031-01")]
        case "disputed card":
            world.disputes = [disputed]
        case "disputed invoice":
            world.disputes = [replace(disputed, card_key="card_9", processor_invoice_id="in_1")]
        case "lost":
            world.disputes = [replace(disputed, status=DisputeStatus.LOST)]
        case "won":
            world.disputes = [replace(disputed, status=DisputeStatus.WON)]
        case "stopped":
            stopped = Method("m", 1, stop=R.LOST_OR_STOLEN, stopped_credential=card("card_1").credential)
        case "stopped before":
            stopped = Method("m", 1, stop=R.LOST_OR_STOLEN, stopped_credential="card_1/2020-01")
        case "pending":
            world.invoice("in_1").charges.append(own)
        case _:
            assert change == "nothing"
    case, snapshot = world.case("in_1"), world.snapshot("in_1")
    assert case is not None
    reasons = closed_because(case, 4900, "usd", ref_of(card("card_1")), snapshot, stopped, world.stops)
    return "; ".join(reasons)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("nothing", ""),
        ("won", ""),
        ("stopped before", ""),
        ("void", "the invoice is void at the processor"),
        ("paid", "the invoice is paid at the processor"),
        ("amount", "what is due is not the amount of the request any more"),
        ("currency", "what is due is not the amount of the request any more"),
        ("least", "the amount is below what the processor charges"),
        ("customer", "the customer is gone"),
        ("ended", "the subscription has ended"),
        ("no card", "the payment method is not on file any more, or has changed"),
        ("other expiry", "the payment method is not on file any more, or has changed"),
        ("disputed card", "a payment by this card is disputed"),
        ("disputed invoice", "a payment of this invoice is disputed"),
        ("lost", "a payment by this card is disputed"),
        ("stopped", "this credential was stopped by the issuer"),
        ("pending", "a charge is pending"),
    ],
)
def test_the_gate_says_why_it_is_closed(change: str, reason: str) -> None:
    assert gate(change) == reason


def test_the_gate_is_closed_for_a_case_that_is_over_or_held() -> None:
    assert gate("nothing", story(FIRST + "2026-06-23 11:00  operator closes\n")) == "the case is closed"
    assert gate("nothing", story(FIRST + "2026-06-23 11:00  operator holds\n")) == "held: asked by phone"
    assert gate("nothing", story(FIRST + "2026-06-23 11:00  charges are stopped\n")) == "the brake is on"


# --- access ---------------------------------------------------------------------------------------------------------------


def test_an_entitlement_check_is_open_in_doubt() -> None:
    now = utc("2026-06-23 12:00")
    unknown = verdict(None, now)
    assert (unknown.access, unknown.known, unknown.valid_until - now) == (Access.GRANTED, False, timedelta(hours=24))
    paused = Subscription("s", 1, SubscriptionStatus.PAST_DUE, None, now, access=Access.PAUSED, access_version=3)
    told = verdict(paused, now)
    assert (told.version, told.valid_until - now) == (3, timedelta(seconds=60))
    assert verdict(replace(paused, access=Access.ENDED), now).valid_until - now == timedelta(hours=24)


def test_a_share_is_open_by_its_state() -> None:
    share = CaseShare("c", CaseState.EXHAUSTED, Access.GRACE, None, FinalAction.PAUSE)
    assert share.access is Access.GRACE


# --- mail -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "zone", "at"),
    [
        ("2026-06-23 10:00", None, "2026-06-23 10:00"),
        ("2026-06-23 07:59", None, "2026-06-23 08:00"),
        ("2026-06-23 20:00", None, "2026-06-24 08:00"),
        ("2026-06-26 20:00", None, "2026-06-29 08:00"),
        ("2026-06-27 07:00", None, "2026-06-29 08:00"),
        ("2026-06-28 12:00", None, "2026-06-29 08:00"),
        ("2026-06-23 10:00", "America/Los_Angeles", "2026-06-23 15:00"),
        ("2026-06-26 23:30", "Australia/Sydney", "2026-06-28 22:00"),
        ("2026-12-25 10:00", "Europe/London", "2026-12-29 08:00"),  # two holidays and a weekend
    ],
)
def test_mails_leave_in_the_payer_s_daytime_on_business_days(now: str, zone: str | None, at: str) -> None:
    assert mail_time(utc(now), Payer(timezone=zone), Policy(calendar="GB"), facts()) == utc(at)


def test_a_notice_is_true_when_it_leaves_or_stays() -> None:
    world = story("2026-06-26 23:30  first charge fails: insufficient_funds, 4900 usd\n")
    notice, case = world.outbox[0], world.case("in_1")
    assert case is not None
    assert as_it_leaves(case, notice) == notice
    assert as_it_leaves(None, notice) is None
    assert as_it_leaves(replace(case, round=2), notice) is None
    assert as_it_leaves(replace(case, state=CaseState.RECOVERED), notice) is None
    assert not must_be_told_again(case)


def test_an_attempt_names_its_rail() -> None:
    ref = ref_of(card("bank", rail=Rail.SEPA))
    assert (ref.rail, ref.credential) == (Rail.SEPA, "bank/2030-12")
