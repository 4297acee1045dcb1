"""C59: a subscription that began on the 31st. A short month, a failed renewal and a late payment move no later date: each is counted from the anchor."""

from pathlib import Path

import pytest

from tests.billing.billed import billed
from tests.billing.test_subscriptions import begin, charged

PAID_DAYS_LATER = ["paid", *["no NO_CREDIT"] * 3]  # January; then February's renewal and two retries of it fail


@pytest.mark.parametrize(
    ("anchor", "cycles"),
    [
        ("2027-01-31", ["20270131", "20270228", "20270331", "20270430"]),
        ("2028-01-31", ["20280131", "20280229", "20280331", "20280430"]),  # a leap year
        ("2027-01-30", ["20270130", "20270228", "20270330", "20270430"]),
    ],
)
def test_a_renewal_that_was_paid_late_in_a_short_month_moves_no_later_one(
    tmp_path: Path, anchor: str, cycles: list[str]
) -> None:
    year = anchor[:4]
    with billed(tmp_path, policy="business_days") as dunr:
        dunr.merchant.script.extend(PAID_DAYS_LATER)
        begin(dunr, anchor_on=anchor)
        dunr.advance(to=f"{year}-03-04T12:00:00Z")
        february = dunr.charge(f"sub_1-{cycles[1]}")
        assert february["status"] != "CHARGE_PAID"
        dunr.advance(to=f"{year}-03-20T12:00:00Z")
        assert dunr.charge(f"sub_1-{cycles[1]}")["status"] == "CHARGE_PAID"
        assert dunr.get("/v1/subscriptions/sub_1").json()["next_charge_at"][:10].replace("-", "") == cycles[2]
        dunr.advance(to=f"{year}-05-01T12:00:00Z")
        assert charged(dunr) == [f"sub_1-{cycle}" for cycle in cycles]
        paid = dunr.merchant.captures
        assert len(paid) == len(set(paid)) == len(cycles)
