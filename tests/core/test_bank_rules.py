"""The rules of rails without a card network: how often, how long after the first time, after which answers and at which hours a debit may be presented again."""

import pytest

from dunr.core.sends import Initiator, Send
from dunr.core.terms import DeclineReason, Outcome, Rail
from tests.core.cards import ask, said, send

R = DeclineReason


def entry(at: str, number: int = 0, code: str | None = "R01", **changes: object) -> Send:
    return send(at, number, code=code, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("at", "sends", "answer"),
    [
        ("2026-06-05 09:00", [entry("2026-06-01 09:00")], "1 left by nacha-2-retries"),
        ("2026-06-09 09:00", [entry("2026-06-01 09:00"), entry("2026-06-05 09:00", 1)], "0 left by nacha-2-retries"),
        ("2026-06-15 09:00", [entry("2026-06-01 09:00"), entry("2026-06-05 09:00", 1), entry("2026-06-09 09:00", 2)], "never by nacha-2-retries"),
        # Another invoice on the same account is another entry.
        ("2026-06-15 09:00", [entry("2026-06-01 09:00", 0, case_id="in_2"), entry("2026-06-05 09:00", 1, case_id="in_2")], "1 left by nacha-2-retries"),
        # The first entry was on 1 June; 180 days later is 28 November.
        ("2026-11-28 09:00:00", [entry("2026-06-01 09:00")], "1 left by nacha-2-retries"),
        ("2026-11-28 09:00:01", [entry("2026-06-01 09:00")], "never by nacha-180-days"),
        ("2026-06-05 09:00", [entry("2026-06-01 09:00", 0, "R09")], "1 left by nacha-2-retries"),
        ("2026-06-05 09:00", [entry("2026-06-01 09:00", 0, "R02")], "never by nacha-r01-r09"),
        ("2026-06-05 09:00", [entry("2026-06-01 09:00", 0, "R08")], "never by nacha-r01-r09"),
        ("2026-06-09 09:00", [entry("2026-06-01 09:00"), entry("2026-06-05 09:00", 1, "R10")], "never by nacha-r01-r09"),
        # A processor that has words of its own for it, or a row from before the codes were kept.
        ("2026-06-05 09:00", [entry("2026-06-01 09:00", 0, None, reason=R.INSUFFICIENT_FUNDS)], "1 left by nacha-2-retries"),
        ("2026-06-05 09:00", [entry("2026-06-01 09:00", 0, None, reason=R.UNKNOWN)], "never by nacha-r01-r09"),
        ("2026-06-05 09:00", [entry("2026-06-01 09:00", 0, None)], "1 left by nacha-2-retries"),
    ],
)  # fmt: skip
def test_nacha_allows_two_more_within_180_days_and_only_for_want_of_funds(
    at: str, sends: list[Send], answer: str
) -> None:
    assert said(ask(at, *sends, rail=Rail.ACH, reason=R.INSUFFICIENT_FUNDS)) == answer


def test_a_debit_that_the_customer_begins_is_a_new_entry() -> None:
    spent = [entry("2026-06-01 09:00"), entry("2026-06-05 09:00", 1), entry("2026-06-09 09:00", 2, "R10")]
    asked = ask("2026-06-15 09:00", *spent, rail=Rail.ACH, by=Initiator.CUSTOMER)
    assert said(asked) == "996 left by policy-card-30-days"


def test_where_nothing_is_known_of_a_debit_the_case_s_own_reason_decides() -> None:
    assert ask("2026-06-05 09:00", rail=Rail.ACH, reason=R.INSUFFICIENT_FUNDS).until_at is None
    assert ask("2026-06-05 09:00", rail=Rail.ACH, reason=R.ACCOUNT_BLOCKED).is_never
    assert ask("2026-06-05 09:00", rail=Rail.ACH).is_never


@pytest.mark.parametrize(
    ("first_at", "last_at", "late_at"),
    [
        ("2026-06-01 09:00", "2026-07-01 09:00:00", "2026-07-01 09:00:01"),
        ("2026-01-31 09:00", "2026-02-28 09:00:00", "2026-02-28 09:00:01"),
        ("2028-01-31 09:00", "2028-02-29 09:00:00", "2028-02-29 09:00:01"),
        ("2026-12-15 09:00", "2027-01-15 09:00:00", "2027-01-15 09:00:01"),
    ],
)
def test_bacs_allows_it_within_a_month(first_at: str, last_at: str, late_at: str) -> None:
    first = send(first_at, 0)
    assert ask(last_at, first, rail=Rail.BACS, first_at=first_at).until_at is None
    assert said(ask(late_at, first, rail=Rail.BACS, first_at=first_at)) == "never by bacs-one-month"


@pytest.mark.parametrize(
    ("at", "answer"),
    [
        # 10:00 in India is 04:30 UTC, 13:00 is 07:30, 17:00 is 11:30, 21:30 is 16:00.
        ("2026-06-05 04:29:59", "2 left by upi-3-retries"),
        ("2026-06-05 04:30:00", "2026-06-05 07:30:00 by upi-hours"),
        ("2026-06-05 07:29:59", "2026-06-05 07:30:00 by upi-hours"),
        ("2026-06-05 07:30:00", "2 left by upi-3-retries"),
        ("2026-06-05 11:29:59", "2 left by upi-3-retries"),
        ("2026-06-05 11:30:00", "2026-06-05 16:00:00 by upi-hours"),
        ("2026-06-05 16:00:00", "2 left by upi-3-retries"),
        ("2026-06-05 18:30:00", "2 left by upi-3-retries"),  # midnight there
        ("2025-07-31 12:00:00", "999 left by policy-card-24-hours"),  # the day before the rule
    ],
)
def test_upi_runs_outside_the_peak_hours(at: str, answer: str) -> None:
    assert said(ask(at, send("2025-06-01 03:00", 0), rail=Rail.UPI)) == answer


def test_upi_allows_three_retries_of_one_debit() -> None:
    past = [send("2026-06-01 03:00", 0), *(send(f"2026-06-0{n} 03:00", n) for n in (2, 3))]
    assert said(ask("2026-06-05 03:00", *past, rail=Rail.UPI)) == "0 left by upi-3-retries"
    past.append(send("2026-06-04 03:00", 4, outcome=Outcome.UNKNOWN))
    assert said(ask("2026-06-05 03:00", *past, rail=Rail.UPI)) == "never by upi-3-retries"
    in_the_peak = ask("2026-06-05 05:00", *past, rail=Rail.UPI)
    assert said(in_the_peak) == "never by upi-3-retries"


@pytest.mark.parametrize("rail", [Rail.SEPA, Rail.CARRIER])
def test_other_rails_have_only_the_policy_s_own_ceilings(rail: Rail) -> None:
    past = [send(f"2026-06-01 {n:02}:00", n) for n in range(20)]
    assert said(ask("2026-06-01 20:00", *past, rail=rail)) == "979 left by policy-card-24-hours"
