"""Charges that a merchant's own billing system leaves to dunr, from the API to its two calls and back."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.billing.billed import Billed, billed
from tests.entry.web.served import START

LADDER = (1, 2, 4, 7, 12, 20, 33, 54, 88, 143, 232, 376, 609, 986)


@pytest.fixture
def dunr(tmp_path: Path) -> Iterator[Billed]:
    with billed(tmp_path) as running:
        yield running


def minutes_of_calls(dunr: Billed) -> list[float]:
    """When the merchant was called to charge, in minutes after the first call, by the times that our signatures carry."""
    times = [seen.signed_at for seen in dunr.merchant.charges]
    return [(at - times[0]) / timedelta(minutes=1) for at in times[1:]]


def test_a_charge_is_made_at_once_and_the_merchant_is_told(dunr: Billed) -> None:
    answer = dunr.leave(facts={"plan": "gold"})
    assert answer.status_code == 202
    told = dunr.charge()
    assert (told["status"], told["amount_due_minor"], told["attempts_count"]) == ("CHARGE_PAID", 0, 1)
    assert dunr.told() == ["CHARGE_PAID"]
    assert [seen.body for seen in dunr.merchant.charges] == [
        {
            "charge": "ch_1",
            "key": "dunr-ch_1-a0",
            "amount_minor": 4900,
            "currency": "usd",
            "instrument": "wallet_1",
            "customer": "cus_1",
            "subscription": "sub_1",
            "facts": {"plan": "gold"},
        }
    ]


def test_the_same_charge_twice_is_one_and_another_under_its_id_is_refused(dunr: Billed) -> None:
    assert dunr.leave(due_at="2026-06-24T08:00:00Z").status_code == 202
    assert dunr.leave(due_at="2026-06-24T08:00:00Z").status_code == 202
    other = dunr.leave(due_at="2026-06-24T08:00:00Z", amount_minor=5000)
    assert other.status_code == 409
    assert "another id" in other.json()["detail"]
    dunr.advance(to="2026-06-24T09:00:00Z")
    assert len(dunr.merchant.charges) == 1


def test_fourteen_retries_to_the_minute_and_then_charge_not_paid(dunr: Billed) -> None:
    dunr.merchant.otherwise = "no NO_CREDIT"
    dunr.leave()
    dunr.advance(to="2026-06-26T10:00:00Z")
    assert minutes_of_calls(dunr) == list(LADDER)
    assert len({seen.body["key"] for seen in dunr.merchant.charges}) == 15, (
        "a reason code is an answer: each retry is a new attempt"
    )
    assert dunr.told() == ["CHARGE_NOT_PAID"]
    assert dunr.charge()["status"] == "CHARGE_NOT_PAID"


def test_a_server_that_is_down_is_called_on_the_same_minutes_under_one_key(dunr: Billed) -> None:
    dunr.merchant.otherwise = "500"
    dunr.leave()
    dunr.advance(to="2026-06-26T10:00:00Z")
    assert minutes_of_calls(dunr) == list(LADDER)
    assert {seen.body["key"] for seen in dunr.merchant.charges} == {"dunr-ch_1-a0"}
    assert dunr.told() == ["CHARGE_NOT_PAID"]


def test_a_final_reason_ends_at_once_and_the_next_cycle_charges_afresh(dunr: Billed) -> None:
    dunr.merchant.script.append("no BARRED")
    dunr.leave()
    assert dunr.told() == ["CHARGE_NOT_PAID"]
    dunr.advance(to="2026-07-23T10:00:00Z")
    assert len(dunr.merchant.charges) == 1
    dunr.leave("ch_2")
    assert dunr.charge("ch_2")["status"] == "CHARGE_PAID"


def test_a_code_that_nobody_mapped_gets_one_cautious_retry_and_an_alert(dunr: Billed) -> None:
    dunr.merchant.otherwise = "no STRANGE"
    dunr.leave()
    dunr.advance(to="2026-06-24T12:00:00Z")
    assert len(dunr.merchant.charges) == 2
    alerts = dunr.get("/v1/alerts").json()["alerts"]
    assert [one["kind"] for one in alerts if "STRANGE" in one["text"]] == ["unknown_decline"]


def test_c02_a_time_out_that_had_captured_is_found_by_look_up_and_not_charged_again(dunr: Billed) -> None:
    dunr.merchant.script.append("hang paid")
    dunr.leave()
    dunr.advance(to="2026-06-23T10:00:30Z")
    assert dunr.charge()["status"] == "CHARGE_PAID"
    assert len(dunr.merchant.charges) == 1
    assert dunr.merchant.captures == ["dunr-ch_1-a0"]


def test_c08_a_time_out_that_captured_nothing_is_called_again_under_its_key(dunr: Billed) -> None:
    dunr.merchant.script.extend(["hang", "500", "garbage"])
    dunr.leave()
    dunr.advance(to="2026-06-23T11:00:00Z")
    assert minutes_of_calls(dunr) == [1, 2, 4]
    assert len({seen.body["key"] for seen in dunr.merchant.charges}) == 1
    assert dunr.merchant.captures == ["dunr-ch_1-a0"]
    assert dunr.charge()["status"] == "CHARGE_PAID"


def test_nobody_there_at_all_is_no_answer_either(tmp_path: Path) -> None:
    with billed(tmp_path, billing_charge_url="http://127.0.0.1:9/charge") as dunr:
        dunr.leave()
        dunr.advance(to="2026-06-26T10:00:00Z")
        assert dunr.told() == ["CHARGE_NOT_PAID"]
        assert len(dunr.merchant.look_ups) > 0
        assert dunr.charge()["attempts_count"] == 1


def test_c33_a_rate_limit_spends_no_step_and_our_own_fault_is_no_decline(dunr: Billed) -> None:
    dunr.merchant.script.extend(["429", "paid"])
    dunr.leave()
    dunr.advance(to="2026-06-23T10:00:59Z")
    assert dunr.charge()["status"] == "CHARGE_PAID"
    dunr.merchant.script.append("400 no_such_wallet")
    dunr.leave("ch_2")
    dunr.advance(to="2026-06-23T12:00:00Z")
    assert dunr.charge("ch_2")["state"] == "held"
    assert dunr.told() == ["CHARGE_PAID"]


def test_a_pending_charge_that_failed_is_learnt_by_look_up_where_no_report_comes(dunr: Billed) -> None:
    dunr.merchant.script.append("pending")
    dunr.leave()
    dunr.advance(to="2026-06-23T12:00:00Z")
    assert (dunr.charge()["state"], dunr.told()) == ("attempting", [])
    dunr.merchant.settle("dunr-ch_1-a0", {"status": "not_paid", "reason_code": "NO_CREDIT", "id": "m_1"})
    dunr.merchant.otherwise = "paid"
    dunr.advance(to="2026-06-23T16:02:00Z")
    assert dunr.charge()["status"] == "CHARGE_PAID"
    assert [seen.body["key"] for seen in dunr.merchant.charges] == ["dunr-ch_1-a0", "dunr-ch_1-a1"]


def test_a_charge_that_was_taken_back_before_it_was_due_is_never_made(dunr: Billed) -> None:
    dunr.leave(due_at="2026-06-24T08:00:00Z")
    answer = dunr.post("/v1/charges/ch_1/take-back", status="void")
    assert answer.status_code == 202, answer.text
    dunr.advance(to="2026-06-25T08:00:00Z")
    assert dunr.merchant.charges == []
    assert dunr.charge()["status"] == "CHARGE_CLOSED"


def test_what_is_paid_cannot_be_taken_back(dunr: Billed) -> None:
    dunr.leave()
    answer = dunr.post("/v1/charges/ch_1/take-back", status="void")
    assert answer.status_code == 409
    assert dunr.charge()["status"] == "CHARGE_PAID"


def test_money_that_came_without_us_ends_the_retries(dunr: Billed) -> None:
    dunr.merchant.otherwise = "no NO_CREDIT"
    dunr.leave()
    dunr.advance(to="2026-06-23T10:05:00Z")
    dunr.post("/v1/charges/ch_1/payments", id="shop_7", amount_minor=4900, at="2026-06-23T10:04:30Z")
    calls = len(dunr.merchant.charges)
    dunr.advance(to="2026-06-25T10:00:00Z")
    assert dunr.charge()["status"] == "CHARGE_PAID"
    assert len(dunr.merchant.charges) == calls


def test_another_instrument_is_tried_at_once(dunr: Billed) -> None:
    dunr.merchant.script.append("no BARRED")
    dunr.leave()
    dunr.advance(to="2026-06-23T12:00:00Z")
    dunr.post("/v1/charges/ch_1/instrument", id="wallet_2")
    assert dunr.charge()["status"] == "CHARGE_PAID"
    assert [seen.body["instrument"] for seen in dunr.merchant.charges] == ["wallet_1", "wallet_2"]


def test_a_report_is_believed_in_nothing_but_that_the_charge_is_to_be_looked_at(dunr: Billed) -> None:
    from standardwebhooks import Webhook

    from tests.billing.merchant import SECRET

    dunr.merchant.script.append("pending")
    dunr.leave()
    dunr.merchant.settle("dunr-ch_1-a0", {"status": "paid", "id": "m_1", "at": "2026-06-23T10:00:05Z"})
    body = b'{"type":"charge.changed","data":{"charge":"ch_1"}}'
    headers = {"webhook-id": "msg_1", "webhook-timestamp": str(int(START.timestamp()))}
    headers["webhook-signature"] = Webhook(SECRET).sign("msg_1", datetime(2026, 6, 23, 10, tzinfo=UTC), body.decode())
    unsigned = dunr.http.post("/webhooks/billing_http", content=body, headers=headers | {"webhook-signature": "v1,no"})
    assert unsigned.status_code == 400
    assert dunr.charge()["state"] == "attempting"
    assert dunr.http.post("/webhooks/billing_http", content=body, headers=headers).status_code == 200
    assert dunr.charge()["status"] == "CHARGE_PAID"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"amount_minor": 0}, "amount_minor"),
        ({"currency": "US"}, "currency"),
        ({"id": "with:colon"}, "id"),
        ({"due_at": "2026-06-24T08:00:00"}, "due_at"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_a_charge_that_makes_no_sense_is_refused_by_name(dunr: Billed, wrong: dict[str, object], says: str) -> None:
    answer = dunr.leave(**wrong)  # type: ignore[arg-type]
    assert answer.status_code == 400
    assert says in answer.json()["detail"]
    assert dunr.merchant.charges == []
