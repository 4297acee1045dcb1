"""What a merchant says of a charge twice, too early, too late or wrongly: nothing is charged twice or before its time for it, and nothing is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dunr.charge_book import Instrument, LeftCharge, PaidOutside
from dunr.core.terms import Rail
from tests.billing.billed import Billed, billed
from tests.entry.web.served import START


@pytest.fixture
def dunr(tmp_path: Path) -> Iterator[Billed]:
    with billed(tmp_path) as running:
        yield running


def test_a_charge_that_is_left_again_because_no_answer_came_is_the_same_charge_however_much_later(dunr: Billed) -> None:
    dunr.merchant.otherwise = "no NO_CREDIT"
    assert dunr.leave().status_code == 202
    dunr.advance(to="2026-06-23T10:00:30Z")
    again = dunr.leave()
    assert again.status_code == 202, again.text
    assert dunr.leave(due_at="2026-06-24T10:00:00Z").status_code == 409
    assert len(dunr.merchant.charges) == 1


def test_taking_a_charge_back_twice_is_taking_it_back_once(dunr: Billed) -> None:
    dunr.merchant.otherwise = "no NO_CREDIT"
    dunr.leave()
    for _ in range(2):
        answer = dunr.post("/v1/charges/ch_1/take-back", status="void")
        assert answer.status_code == 202, answer.text
    assert dunr.told() == ["CHARGE_CLOSED"]


def test_a_charge_cannot_be_taken_back_into_being_open(dunr: Billed) -> None:
    dunr.leave(due_at="2026-06-24T08:00:00Z")
    dunr.post("/v1/charges/ch_1/take-back", status="void")
    assert dunr.post("/v1/charges/ch_1/take-back", status="open").status_code == 400


def test_a_payment_that_is_said_to_come_from_the_future_keeps_nothing_from_being_tried(dunr: Billed) -> None:
    dunr.merchant.otherwise = "no NO_CREDIT"
    dunr.leave()
    answer = dunr.post("/v1/charges/ch_1/payments", id="shop_7", amount_minor=900, at="2036-06-23T10:04:30Z")
    assert answer.status_code == 400
    assert "future" in answer.json()["detail"]


def test_a_merchant_whose_clock_is_fast_is_tried_again_for_the_rest_at_the_next_step(dunr: Billed) -> None:
    dunr.merchant.script.append("pending")
    dunr.leave()
    told = {"status": "paid", "id": "m_1", "at": "2036-06-23T10:00:00Z", "amount_minor": 900}
    dunr.merchant.settle("dunr-ch_1-a0", told)
    dunr.advance(to="2026-06-24T12:00:00Z")
    assert dunr.charge()["status"] == "CHARGE_PAID"
    assert [seen.body["amount_minor"] for seen in dunr.merchant.charges] == [4900, 4000]


@pytest.mark.parametrize("name", ["inv/2026/1", "ch_1\n", "ch:1"])
def test_an_id_by_which_the_charge_could_not_be_asked_for_or_taken_back_is_refused(dunr: Billed, name: str) -> None:
    assert dunr.leave(name).status_code == 400
    begun = {"id": name, "price_minor": 4900, "currency": "usd", "period": {"count": 1, "unit": "months"}}
    begun |= {"anchor_on": "2026-07-01", "customer": {"id": "cus_1"}, "instrument": {"id": "wallet_1"}}
    assert dunr.post("/v1/subscriptions", **begun).status_code == 400
    assert dunr.leave("ch_1", currency="usd\n").status_code == 400


def test_a_debit_that_came_back_stays_owed_while_the_server_cannot_be_asked_about_it(dunr: Billed) -> None:
    wallet = {"id": "wallet_1", "rail": "sepa"}
    dunr.leave(instrument=wallet)
    assert dunr.charge()["status"] == "CHARGE_PAID"
    back = {"status": "returned", "id": "m_dunr-ch_1-a0", "at": "2026-06-24T10:00:00Z", "reason_code": "NO_CREDIT"}
    dunr.merchant.settle("dunr-ch_1-a0", back)
    dunr.merchant.otherwise = "no NO_CREDIT"
    dunr.advance(to="2026-06-25T10:00:00Z")
    dunr.post("/v1/charges/ch_1/payments", id="shop_7", amount_minor=100, at="2026-06-25T09:00:00Z")
    assert dunr.charge()["amount_due_minor"] == 4800
    dunr.merchant.look_ups_fail = True
    dunr.post("/v1/charges/ch_1/payments", id="shop_8", amount_minor=100, at="2026-06-25T09:30:00Z")
    assert dunr.charge()["amount_due_minor"] == 4700
    assert dunr.charge()["status"] != "CHARGE_PAID"


def test_a_charge_of_next_month_whose_instrument_changes_is_made_next_month(dunr: Billed) -> None:
    dunr.leave(due_at="2026-07-23T08:00:00Z")
    dunr.post("/v1/charges/ch_1/instrument", id="wallet_2")
    assert dunr.merchant.charges == []
    dunr.advance(to="2026-07-23T08:01:00Z")
    assert [seen.body["instrument"] for seen in dunr.merchant.charges] == ["wallet_2"]


def test_a_charge_that_was_paid_before_dunr_had_looked_at_it_is_told_as_paid(dunr: Billed) -> None:
    desk = dunr.application.desk
    assert desk is not None
    charge = LeftCharge(
        id="ch_9",
        amount_minor=900,
        currency="usd",
        customer_id="cus_1",
        instrument=Instrument("wallet_1", Rail.CARRIER),
        due_at=START,
        left_at=START,
    )
    desk.leave(charge)
    desk.note_payment("ch_9", PaidOutside("shop_7", 900, START))
    dunr.application.runner.run_until_quiet()
    assert dunr.told() == ["CHARGE_PAID"]
    assert dunr.charge("ch_9")["status"] == "CHARGE_PAID"
    assert dunr.merchant.charges == []
