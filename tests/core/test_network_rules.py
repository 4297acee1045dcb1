"""Each rule of a network as a table with dates worked out by hand: how many are left, and the second at which there is room again."""

from datetime import timedelta

import pytest

from dunr.core.sends import FOREIGN, Initiator, Send
from dunr.core.terms import Outcome, Trigger
from dunr.core.value import replace
from tests.core.cards import WIDE, ask, said, send
from tests.core.world import utc

FIRST = send("2026-06-01 09:00", 0)


def daily(count: int, **changes: object) -> list[Send]:
    """Retries at ten o'clock, the first on 2 June."""
    return [send(utc("2026-06-02 10:00") + timedelta(days=n), n + 1, **changes) for n in range(count)]  # type: ignore[arg-type]


def hourly(count: int, **changes: object) -> list[Send]:
    """Retries every hour, the first at 10:00 on 1 June."""
    return [send(utc("2026-06-01 10:00") + timedelta(hours=n), n + 1, **changes) for n in range(count)]  # type: ignore[arg-type]


# --- Visa: 15 retries of one amount on one card in 30 days, 20 where the acquirer allows it, the customer's own apart ------------


@pytest.mark.parametrize(
    ("at", "sends", "answer"),
    [
        ("2026-06-02 10:00", [], "14 left by visa-15-in-30-days"),
        ("2026-06-02 10:00", [FIRST], "14 left by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(14)], "0 left by visa-15-in-30-days"),
        # The first charge leaves the window on 1 July at nine and was no retry; the first retry leaves on 2 July at ten.
        ("2026-06-17 10:00", [FIRST, *daily(15)], "2026-07-02 10:00:00 by visa-15-in-30-days"),
        ("2026-07-02 09:59:59", [FIRST, *daily(15)], "2026-07-02 10:00:00 by visa-15-in-30-days"),
        ("2026-07-02 10:00:00", [FIRST, *daily(15)], "0 left by visa-15-in-30-days"),
        ("2026-07-03 10:00:00", [FIRST, *daily(15)], "1 left by visa-15-in-30-days"),
        # The first charge of a second invoice of the same amount is a retry to Visa, who knows no invoices.
        ("2026-06-17 10:00", [FIRST, *daily(14), send("2026-06-10 09:00", 0, case_id="in_2")], "2026-07-02 10:00:00 by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, case_id="in_2")], "2026-07-02 10:00:00 by visa-15-in-30-days"),
        # Another amount, another expiry and what reached nobody do not count; what is not known does.
        ("2026-06-17 10:00", [FIRST, *daily(15, amount=5000)], "14 left by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, currency="eur")], "14 left by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, credential="card_1/2028-01")], "14 left by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, network="mastercard")], "14 left by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, outcome=Outcome.WITHDRAWN)], "14 left by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, outcome=Outcome.REFUSED)], "14 left by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, reached=False)], "14 left by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, outcome=None)], "2026-07-02 10:00:00 by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, outcome=Outcome.UNKNOWN)], "2026-07-02 10:00:00 by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, amount=None)], "2026-07-02 10:00:00 by visa-15-in-30-days"),
        ("2026-06-17 10:00", [FIRST, *daily(15, credential=None)], "2026-07-02 10:00:00 by visa-15-in-30-days"),
    ],
)  # fmt: skip
def test_visa_allows_fifteen_retries_of_one_amount_in_thirty_days(at: str, sends: list[Send], answer: str) -> None:
    assert said(ask(at, *sends, network="visa")) == answer


def test_visa_counts_what_the_customer_begins_apart() -> None:
    clicks = daily(15, trigger=Trigger.CUSTOMER)
    by_customer = ask("2026-06-17 10:00", FIRST, *clicks, network="visa", by=Initiator.CUSTOMER)
    assert said(by_customer) == "2026-07-02 10:00:00 by visa-15-in-30-days"
    assert said(ask("2026-06-17 10:00", FIRST, *clicks, network="visa")) == "14 left by visa-15-in-30-days"
    unattended = ask("2026-06-17 10:00", FIRST, *daily(15), network="visa", by=Initiator.CUSTOMER)
    assert said(unattended) == "14 left by visa-15-in-30-days"


def test_a_foreign_charge_may_have_been_begun_by_either_side_and_counts_for_both() -> None:
    foreign = [replace(one, attempt_number=FOREIGN, trigger=Trigger.PROCESSOR) for one in daily(15)]
    for by in Initiator:
        assert (
            said(ask("2026-06-17 10:00", FIRST, *foreign, network="visa", by=by))
            == "2026-07-02 10:00:00 by visa-15-in-30-days"
        )


@pytest.mark.parametrize(
    ("at", "answer"),
    [
        ("2025-05-24 23:59:59", "2025-05-31 10:00:00 by visa-15-in-30-days"),
        ("2025-05-25 00:00:00", "4 left by visa-20-in-30-days"),
    ],
)
def test_visa_allows_twenty_from_the_day_on_where_the_acquirer_does(at: str, answer: str) -> None:
    # One minute apart on 1 May 2025, from ten o'clock on.
    past = [send("2025-05-01 09:00", 0), *(send(f"2025-05-01 10:{n:02}", n + 1) for n in range(15))]
    policy = replace(WIDE, acquirer_allows=("visa-20-in-30-days",))
    assert said(ask(at, *past, network="visa", policy=policy)) == answer
    without = ask(at, *past, network="visa")
    assert said(without) == "2025-05-31 10:00:00 by visa-15-in-30-days"


@pytest.mark.parametrize(
    ("at", "answered", "answer"),
    [
        ("2026-06-02 10:00", send("2026-06-01 09:00", 0, code="14"), "never by visa-category-1-invoice"),
        ("2031-06-02 10:00", send("2026-06-01 09:00", 0, code="41"), "never by visa-category-1-invoice"),
        ("2026-06-30 10:00", send("2026-06-01 09:00", 0, code="R1", case_id="in_2"), "2026-07-01 09:00:00 by visa-category-1"),
        ("2026-07-01 09:00", send("2026-06-01 09:00", 0, code="R1", case_id="in_2"), "14 left by visa-15-in-30-days"),
        ("2026-06-02 10:00", send("2026-06-01 09:00", 0, code="R1", case_id="in_2", amount=100), "14 left by visa-15-in-30-days"),
        ("2026-06-02 10:00", send("2026-06-01 09:00", 0, code="51"), "14 left by visa-15-in-30-days"),
        ("2026-06-02 10:00", send("2026-06-01 09:00", 0, code="14", outcome=Outcome.WITHDRAWN), "14 left by visa-15-in-30-days"),
    ],
)  # fmt: skip
def test_visa_forbids_what_the_issuer_will_never_approve(at: str, answered: Send, answer: str) -> None:
    assert said(ask(at, answered, network="visa")) == answer


def test_a_ban_holds_for_the_customer_and_the_operator_too() -> None:
    dead = send("2026-06-01 09:00", 0, code="43")
    assert ask("2026-06-02 10:00", dead, network="visa", by=Initiator.CUSTOMER).is_never


# --- Mastercard -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "sends", "answer"),
    [
        ("2026-06-01 19:00", [FIRST, *hourly(8)], "0 left by mastercard-10-in-24-hours"),
        ("2026-06-01 19:00", [FIRST, *hourly(9)], "2026-06-02 09:00:00 by mastercard-10-in-24-hours"),
        ("2026-06-02 08:59:59", [FIRST, *hourly(9)], "2026-06-02 09:00:00 by mastercard-10-in-24-hours"),
        ("2026-06-02 09:00:00", [FIRST, *hourly(9)], "0 left by mastercard-10-in-24-hours"),
        # Whatever the amount, the invoice, and whoever began it; but only what was declined.
        ("2026-06-01 19:00", [FIRST, *hourly(9, amount=1, case_id="in_2")], "2026-06-02 09:00:00 by mastercard-10-in-24-hours"),
        ("2026-06-01 19:00", [FIRST, *hourly(9, trigger=Trigger.CUSTOMER)], "2026-06-02 09:00:00 by mastercard-10-in-24-hours"),
        ("2026-06-01 19:00", [FIRST, *hourly(9, outcome=Outcome.SUCCEEDED)], "8 left by mastercard-10-in-24-hours"),
        ("2026-06-01 19:00", [FIRST, *hourly(9, outcome=None)], "2026-06-02 09:00:00 by mastercard-10-in-24-hours"),
    ],
)  # fmt: skip
def test_mastercard_allows_ten_declined_attempts_a_day(at: str, sends: list[Send], answer: str) -> None:
    assert said(ask(at, *sends, network="mastercard")) == answer


@pytest.mark.parametrize(
    ("at", "answer"),
    [
        ("2022-09-30 23:59:59", "8 left by mastercard-20-in-24-hours"),
        ("2022-10-01 00:00:00", "2022-10-01 10:00:00 by mastercard-10-in-24-hours"),
    ],
)
def test_mastercard_lowered_its_figure_on_the_first_of_october_2022(at: str, answer: str) -> None:
    past = [send(f"2022-09-30 10:{n:02}", n) for n in range(11)]
    past[0] = send("2022-09-30 09:00", 0)
    # Eleven declines within the day: the one of 09:00 and ten from 10:01 on.
    expected = answer.replace("10:00:00", "10:01:00")
    assert said(ask(at, *past, network="mastercard")) == expected


def every_16_hours(count: int, **changes: object) -> list[Send]:
    """One at 09:00 on 1 June, then one every 16 hours: two or none in any day, 35 in 22 days and 16 hours."""
    return [send(utc("2026-06-01 09:00") + timedelta(hours=16 * n), n, **changes) for n in range(count)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sends", "answer"),
    [
        (every_16_hours(34), "0 left by mastercard-35-in-30-days"),
        (every_16_hours(35), "2026-07-01 09:00:00 by mastercard-35-in-30-days"),
        (every_16_hours(35, amount=100), "9 left by mastercard-10-in-24-hours"),
        (every_16_hours(35, trigger=Trigger.CUSTOMER), "2026-07-01 09:00:00 by mastercard-35-in-30-days"),
    ],
)
def test_mastercard_allows_thirty_five_of_one_amount_in_thirty_days(sends: list[Send], answer: str) -> None:
    assert said(ask("2026-06-26 12:00", *sends, network="mastercard")) == answer


@pytest.mark.parametrize(
    ("at", "region", "answer"),
    [
        ("2023-10-31 23:59:59", "US", "9 left by mastercard-10-in-24-hours"),
        ("2023-11-01 00:00:00", "US", "2023-11-05 00:00:00 by mastercard-us-35-in-30-days"),
        ("2023-11-01 00:00:00", "CA", "9 left by mastercard-10-in-24-hours"),
        ("2023-11-01 00:00:00", None, "9 left by mastercard-10-in-24-hours"),
    ],
)
def test_the_monthly_figure_came_to_one_country_after_the_other(at: str, region: str | None, answer: str) -> None:
    past = [send(utc("2023-10-06 00:00") + timedelta(hours=16 * n), n) for n in range(35)]
    assert said(ask(at, *past, network="mastercard", region=region)) == answer


@pytest.mark.parametrize(
    ("at", "sends", "answer"),
    [
        # Seven retries after the first charge; the eighth is charged.
        ("2026-06-01 17:00", [FIRST, *hourly(6)], "0 left by mastercard-br-7-in-24-hours"),
        ("2026-06-01 17:00", [FIRST, *hourly(7)], "2026-06-02 10:00:00 by mastercard-br-7-in-24-hours"),
        ("2026-06-02 09:59:59", [FIRST, *hourly(7)], "2026-06-02 10:00:00 by mastercard-br-7-in-24-hours"),
        ("2026-06-26 12:00", every_16_hours(35, amount=1), "2026-07-01 09:00:00 by mastercard-br-35-in-30-days"),
    ],
)
def test_brazil_has_figures_of_its_own(at: str, sends: list[Send], answer: str) -> None:
    assert said(ask(at, *sends, network="mastercard", region="BR")) == answer


@pytest.mark.parametrize("advice", ["03", "21"])
def test_mastercard_s_advice_closes_the_card_for_thirty_days(advice: str) -> None:
    told = send("2026-06-01 09:00", 0, advice=advice, case_id="in_2", amount=100)
    for by in Initiator:
        shut = ask("2026-06-02 10:00", told, network="mastercard", by=by)
        assert said(shut) == "2026-07-01 09:00:00 by mastercard-advice-03-21"
    assert ask("2026-06-30 10:00", told, network="mastercard").until_at == utc("2026-07-01 09:00")
    assert ask("2026-07-01 09:00", told, network="mastercard").until_at is None
    assert ask("2026-06-02 10:00", send("2026-06-01 09:00", 0, advice="02"), network="mastercard").until_at is None
    assert ask("2026-06-02 10:00", send("2026-06-01 09:00", 0, code="03"), network="mastercard").until_at is None


# --- the others -----------------------------------------------------------------------------------------------------------------


def test_elo_allows_fifteen_retries() -> None:
    assert said(ask("2026-06-17 10:00", FIRST, *daily(14), network="elo")) == "0 left by elo-15-in-30-days"
    assert said(ask("2026-06-17 10:00", FIRST, *daily(15), network="elo")) == "2026-07-02 10:00:00 by elo-15-in-30-days"


def test_a_network_without_a_public_figure_has_only_the_policy_s() -> None:
    assert said(ask("2026-06-17 10:00", FIRST, *hourly(39), network="amex")) == "959 left by policy-card-30-days"


def test_a_card_whose_network_is_not_known_keeps_to_the_rules_of_all() -> None:
    assert said(ask("2026-06-01 19:00", FIRST, *hourly(9))) == "2026-06-02 09:00:00 by mastercard-10-in-24-hours"
    assert said(ask("2026-06-17 10:00", FIRST, *daily(15))) == "2026-07-02 10:00:00 by visa-15-in-30-days"
