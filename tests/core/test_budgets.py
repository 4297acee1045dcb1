"""The policy's ceilings for a card, what a row has forgotten, and how several rules speak together."""

from datetime import timedelta

import pytest

from dunr.core import budget
from dunr.core.budget import assumed, customer_has_room
from dunr.core.counting import NEVER_AT, Wish
from dunr.core.model import Method
from dunr.core.policy import Policy
from dunr.core.sends import (
    BEGUN_BY_ANYBODY,
    BEGUN_BY_CUSTOMER,
    BEGUN_BY_MERCHANT,
    SENDS_KEPT_MAX,
    Forgotten,
    Initiator,
    Send,
    initiator_of,
    network_code,
    remembered,
)
from dunr.core.snapshot import RawDecline
from dunr.core.terms import Outcome, Rail, Trigger
from tests.core.cards import WIDE, ask, said, send
from tests.core.world import facts, utc

NOON = "2026-06-23 12:00"


def hours_ago(*hours: float, outcome: Outcome | None = Outcome.DECLINED) -> list[Send]:
    return [send(utc(NOON) - timedelta(hours=hour), n, outcome=outcome) for n, hour in enumerate(hours)]


@pytest.mark.parametrize(
    ("sends", "policy", "until"),
    [
        ([], Policy(), None),
        (hours_ago(1), Policy(card_attempts_24h_max=2), None),
        (hours_ago(2, 1), Policy(card_attempts_24h_max=2), "2026-06-24 10:00"),
        (hours_ago(1, 2), Policy(card_attempts_24h_max=2), "2026-06-24 10:00"),
        (hours_ago(3, 2, 1), Policy(card_attempts_24h_max=2), "2026-06-24 10:00"),
        (hours_ago(24, 1), Policy(card_attempts_24h_max=2), None),
        (hours_ago(2, 1, outcome=Outcome.WITHDRAWN), Policy(card_attempts_24h_max=2), None),
        (hours_ago(2, 1, outcome=Outcome.REFUSED), Policy(card_attempts_24h_max=2), None),
        (hours_ago(2, 1, outcome=Outcome.SUCCEEDED), Policy(card_attempts_24h_max=2), "2026-06-24 10:00"),
        (hours_ago(2, 1, outcome=None), Policy(card_attempts_24h_max=2), "2026-06-24 10:00"),
        (hours_ago(300, 200, 1), Policy(card_attempts_30d_max=3), "2026-07-11 00:00"),
        (hours_ago(3, 2, 1), Policy(card_attempts_30d_max=3, card_attempts_24h_max=1), "2026-07-23 09:00"),
        (hours_ago(300, 1), Policy(card_attempts_30d_max=2, card_attempts_24h_max=1), "2026-07-11 00:00"),
        # The month's ceiling frees earlier than the day's.
        (hours_ago(719, 1, 0.5), Policy(card_attempts_24h_max=2, card_attempts_30d_max=3), "2026-06-24 11:00"),
    ],
)
def test_when_a_card_has_room_again(sends: list[Send], policy: Policy, until: str | None) -> None:
    found = ask(NOON, *sends, policy=policy, network="amex")
    assert found.until_at == (utc(until) if until else None)
    assert found.rule.startswith("policy-card-")


def test_a_card_without_a_row_has_all_of_its_room() -> None:
    wish = Wish("in_1", utc(NOON), Rail.CARRIER, None, None, "c", 100, "usd")
    found = budget.allowance(wish, None, Policy(), facts(), utc(NOON))
    assert said(found) == "9 left by policy-card-24-hours"
    assert found.why == "the policy allows 10 attempts on one card in 24 hours; there have been 0"


def test_clicks_are_counted_apart() -> None:
    now, policy = utc(NOON), Policy(customer_attempts_max=2)

    def row(*hours: float, **changes: object) -> Method:
        made = [send(now - timedelta(hours=hour), 1, **changes) for hour in hours]  # type: ignore[arg-type]
        return Method("m", 1, sends=tuple(made))

    assert customer_has_room(None, policy, now)
    assert customer_has_room(row(3, 2, 1), policy, now)
    assert not customer_has_room(row(2, 1, trigger=Trigger.CUSTOMER), policy, now)
    assert customer_has_room(row(24, 1, trigger=Trigger.CUSTOMER), policy, now)
    assert customer_has_room(row(2, 1, trigger=Trigger.CUSTOMER, outcome=Outcome.REFUSED), policy, now)


# --- several rules at once ------------------------------------------------------------------------------------------------------


def test_the_tighter_of_two_rules_is_named_and_of_two_equal_ones_the_network_s() -> None:
    one = send("2026-06-01 09:00", 0)
    assert said(ask("2026-06-01 10:00", one, network="visa", policy=Policy())) == "8 left by policy-card-24-hours"
    wide_day = Policy(card_attempts_24h_max=100, card_attempts_30d_max=16)
    assert said(ask("2026-06-01 10:00", one, network="visa", policy=wide_day)) == "14 left by visa-15-in-30-days"


def test_the_wait_for_one_rule_ends_where_every_rule_has_room() -> None:
    # The day's ceiling frees at 10:30 in India, which is in the peak: UPI runs again at 13:00, 07:30 UTC.
    past = [send("2026-06-01 03:00", 0), send("2026-06-04 05:00", 1)]
    found = ask("2026-06-05 03:00", *past, rail=Rail.UPI, policy=Policy(card_attempts_24h_max=1))
    assert said(found) == "2026-06-05 07:30:00 by policy-card-24-hours"
    assert found.why.startswith("the policy allows 1 attempts on one card in 24 hours; there have been 1; then UPI")


def test_where_the_rules_take_too_many_turns_the_answer_is_the_last_one_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "ROUNDS_MAX", 1)
    past = [send("2026-06-01 03:00", 0), send("2026-06-04 05:00", 1)]
    found = ask("2026-06-05 03:00", *past, rail=Rail.UPI, policy=Policy(card_attempts_24h_max=1))
    assert said(found) == "2026-06-05 07:30:00 by policy-card-24-hours"


def test_a_wait_that_ends_too_late_for_another_rule_never_ends() -> None:
    # Bacs ends on 1 July; the month's ceiling would free on 1 July at ten.
    past = [send("2026-06-01 10:00", n) for n in range(2)]
    found = ask("2026-06-05 03:00", *past, rail=Rail.BACS, policy=Policy(card_attempts_30d_max=2))
    assert found.until_at == NEVER_AT
    assert found.is_never


def test_a_plan_reckons_with_its_own_earlier_steps() -> None:
    wish = Wish("in_1", utc(NOON), Rail.CARD, "mastercard", None, "c", 100, "usd")
    row = None
    for n in range(10):
        assert budget.allowance(wish, row, WIDE, facts(), utc(NOON)).left_count == 9 - n
        row = assumed(row, wish, utc(NOON))
    full = budget.allowance(wish, row, WIDE, facts(), utc(NOON))
    assert said(full) == "2026-06-24 12:00:00 by mastercard-10-in-24-hours"


def test_a_click_in_a_plan_is_the_customer_s() -> None:
    wish = Wish("in_1", utc(NOON), Rail.CARD, "visa", None, "c", 100, "usd", Initiator.CUSTOMER)
    assert assumed(None, wish, utc(NOON)).sends[0].trigger is Trigger.CUSTOMER


# --- what a row has to forget ---------------------------------------------------------------------------------------------------


def minutes(count: int, start: str = "2026-06-01 00:00", **changes: object) -> list[Send]:
    return [send(utc(start) + timedelta(minutes=n), n, **changes) for n in range(count)]  # type: ignore[arg-type]


def test_a_row_keeps_forty_and_counts_what_it_forgets() -> None:
    kept, forgotten = remembered(minutes(SENDS_KEPT_MAX), None, [])
    assert (len(kept), forgotten) == (40, None)
    kept, forgotten = remembered(kept, forgotten, [send("2026-06-02 00:00", 50), send("2026-06-02 00:01", 51)])
    assert (len(kept), forgotten) == (40, Forgotten(2, utc("2026-06-01 00:01")))
    kept, forgotten = remembered(kept, forgotten, [send("2026-06-03 00:00", 52)])
    assert forgotten == Forgotten(3, utc("2026-06-01 00:02"))
    assert kept[0].at == utc("2026-06-01 00:03")


def test_what_reached_nobody_is_forgotten_first_and_costs_nothing() -> None:
    unsent = minutes(2, "2026-06-01 12:00", outcome=Outcome.WITHDRAWN)
    kept, forgotten = remembered([*minutes(38), *unsent], None, [send("2026-06-02 00:00", 50)])
    assert (len(kept), forgotten) == (40, None)
    kept, forgotten = remembered(kept, None, [send("2026-06-02 00:01", 51), send("2026-06-02 00:02", 52)])
    assert forgotten == Forgotten(1, utc("2026-06-01 00:00"))


def test_what_was_forgotten_longer_than_a_window_ago_is_over() -> None:
    _, forgotten = remembered(minutes(40, "2026-06-01 00:00"), Forgotten(9, utc("2026-05-01 00:00")), [send(NOON)])
    assert forgotten == Forgotten(1, utc("2026-06-01 00:00"))
    _, forgotten = remembered(minutes(40, "2026-05-30 00:00"), Forgotten(9, utc("2026-05-01 00:00")), [send(NOON)])
    assert forgotten == Forgotten(10, utc("2026-05-30 00:00"))
    _, forgotten = remembered(minutes(40, "2026-04-30 00:00"), Forgotten(9, utc("2026-05-01 00:00")), [send(NOON)])
    assert forgotten == Forgotten(10, utc("2026-05-01 00:00"))


def test_what_is_forgotten_counts_in_full_for_every_rule_whose_window_it_may_be_in() -> None:
    gone = Forgotten(4, utc("2026-06-20 00:00"))
    own = Policy(card_attempts_24h_max=1000, card_attempts_30d_max=5)
    assert said(ask(NOON, send("2026-06-22 00:00"), network="amex", policy=own, forgotten=gone)) == (
        "2026-07-20 00:00:00 by policy-card-30-days"
    )
    more = Forgotten(15, utc("2026-06-20 00:00"))
    assert said(ask(NOON, network="elo", forgotten=more)) == "2026-07-20 00:00:00 by elo-15-in-30-days"
    assert said(ask("2026-07-20 00:00", network="elo", forgotten=more)) == "14 left by elo-15-in-30-days"
    # It may have been an answer that bans, and it may have been of this invoice.
    one = Forgotten(1, utc("2026-06-20 00:00"))
    assert said(ask(NOON, network="mastercard", forgotten=one)) == "2026-07-20 00:00:00 by mastercard-advice-03-21"
    assert ask(NOON, network="visa", forgotten=one).is_never
    assert ask(NOON, rail=Rail.UPI, forgotten=Forgotten(1, utc("2026-06-20 00:00"))).is_never
    assert ask("2026-06-23 02:00", rail=Rail.UPI, forgotten=Forgotten(1, utc("2026-05-20 00:00"))).until_at is None


# --- words ----------------------------------------------------------------------------------------------------------------------


def test_every_trigger_is_sorted_by_who_begins_it() -> None:
    groups = (BEGUN_BY_CUSTOMER, BEGUN_BY_ANYBODY, BEGUN_BY_MERCHANT)
    assert frozenset().union(*groups) == frozenset(Trigger)
    assert sum(len(group) for group in groups) == len(Trigger)
    assert initiator_of(Trigger.CUSTOMER) is Initiator.CUSTOMER
    assert {initiator_of(one) for one in Trigger if one is not Trigger.CUSTOMER} == {Initiator.MERCHANT}


@pytest.mark.parametrize(
    ("raw", "rail", "code"),
    [
        (RawDecline("05", network_decline_code="51"), Rail.CARD, "51"),
        (RawDecline("05"), Rail.CARD, None),
        (RawDecline("R01"), Rail.ACH, "R01"),
        (RawDecline("failed", "R01"), Rail.ACH, "R01"),
        (RawDecline("failed", network_decline_code="R01"), Rail.ACH, "R01"),
    ],
)
def test_where_the_network_s_own_code_stands(raw: RawDecline, rail: Rail, code: str | None) -> None:
    assert network_code(raw, rail) == code
