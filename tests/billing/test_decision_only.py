"""Decision only: the merchant tells us of failures and attempts, asks for the next decision, and makes every call; dunr never charges."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.billing.billed import Billed, billed

FAILED = {"id": "own_0", "at": "2026-06-23T10:00:00Z", "reason_code": "NO_CREDIT"}


@pytest.fixture
def dunr(tmp_path: Path) -> Iterator[Billed]:
    chosen = {"billing_decision_only": True, "billing_charge_url": None, "billing_look_up_url": None}
    with billed(tmp_path, billing_secret=None, **chosen) as running:
        yield running
        assert running.merchant.seen == [], "dunr never calls"


def decision(dunr: Billed) -> dict[str, Any]:
    answer = dunr.post("/v1/charges/ch_1/decision")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def report(dunr: Billed, key: str, status: str, at: str = "2026-06-23T10:01:10Z", **more: object) -> int:
    return dunr.post("/v1/charges/ch_1/report", key=key, status=status, at=at, **more).status_code


def test_a_failure_that_the_merchant_tells_is_followed_by_advice_at_the_minute_and_by_a_report(dunr: Billed) -> None:
    dunr.leave(failed=FAILED)
    assert (decision(dunr)["decision"], decision(dunr)["until"]) == ("wait", "2026-06-23T10:01:00Z")
    dunr.advance(to="2026-06-23T10:01:00Z")
    advised = decision(dunr)
    assert (advised["decision"], advised["key"], advised["amount_minor"]) == ("charge", "dunr-ch_1-a1", 4900)
    assert (advised["instrument"], advised["valid_until"]) == ("wallet_1", "2026-06-23T11:01:00Z")
    dunr.advance(to="2026-06-23T10:01:20Z")
    assert report(dunr, advised["key"], "not_paid", reason_code="NO_CREDIT") == 202
    assert decision(dunr)["until"] == "2026-06-23T10:02:00Z"
    dunr.advance(to="2026-06-23T10:02:00Z")
    second = decision(dunr)["key"]
    assert second == "dunr-ch_1-a2"
    assert report(dunr, second, "paid", id="own_2") == 202
    assert report(dunr, second, "paid", id="own_2") == 202
    assert (decision(dunr)["decision"], decision(dunr)["status"]) == ("stop", "CHARGE_PAID")
    assert dunr.told() == ["CHARGE_PAID"]


def test_without_a_failure_the_first_charge_is_advised_too(dunr: Billed) -> None:
    dunr.leave()
    assert decision(dunr)["key"] == "dunr-ch_1-a0"


def test_advice_that_nobody_fetched_is_withdrawn_after_its_hour_and_never_handed_out_again(dunr: Billed) -> None:
    dunr.leave(failed=FAILED)
    dunr.advance(to="2026-06-23T11:01:00Z")
    told = decision(dunr)
    assert (told["decision"], told["key"]) == ("charge", "dunr-ch_1-a2")  # just an hour late: the step is made now
    outcomes = [one["outcome"] for one in dunr.get("/v1/cases/ch_1").json()["attempts"]]
    assert outcomes == ["declined", "withdrawn", "unknown"]


def test_advice_that_was_fetched_is_never_handed_out_after_its_hour_and_its_report_may_be_late(dunr: Billed) -> None:
    dunr.leave(failed=FAILED)
    dunr.advance(to="2026-06-23T10:01:00Z")
    key = decision(dunr)["key"]
    assert decision(dunr)["key"] == key, "within its hour it is the same call"
    dunr.advance(to="2026-06-23T15:00:00Z")
    assert decision(dunr) | {"why": ""} == decision(dunr) | {"decision": "report", "key": key, "why": ""}
    assert report(dunr, key, "paid", at="2026-06-23T10:02:00Z") == 202
    assert dunr.charge()["status"] == "CHARGE_PAID"


def test_a_day_without_a_report_is_unknown_tells_a_person_and_advises_nothing_more(dunr: Billed) -> None:
    dunr.leave(failed=FAILED)
    dunr.advance(to="2026-06-23T10:01:00Z")
    key = decision(dunr)["key"]
    dunr.advance(to="2026-06-24T09:00:00Z")
    alerts = dunr.get("/v1/alerts").json()["alerts"]
    assert [one["kind"] for one in alerts] == []
    dunr.advance(to="2026-06-30T09:00:00Z")
    kinds = [one["kind"] for one in dunr.get("/v1/alerts").json()["alerts"]]
    assert kinds.count("unsettled_attempt") == 1
    assert decision(dunr)["decision"] == "report"
    assert dunr.charge()["attempts_count"] == 2
    assert report(dunr, key, "not_paid", reason_code="NO_CREDIT") == 202
    assert decision(dunr)["status"] == "CHARGE_NOT_PAID"


def test_one_attempt_has_one_end_but_money_that_came_after_a_no_is_booked(dunr: Billed) -> None:
    dunr.leave(failed=FAILED)
    dunr.advance(to="2026-06-23T10:01:00Z")
    key = decision(dunr)["key"]
    assert report(dunr, key, "not_paid", reason_code="BARRED") == 202
    assert report(dunr, key, "not_paid", reason_code="NO_CREDIT") == 409
    assert report(dunr, key, "paid") == 202
    assert dunr.charge()["status"] == "CHARGE_PAID"
    assert report(dunr, key, "not_paid", reason_code="BARRED") == 409


def test_what_the_merchant_tried_by_themselves_spends_no_step_and_what_they_got_ends_it(dunr: Billed) -> None:
    dunr.leave(failed=FAILED)
    for _ in range(2):
        told = dunr.post("/v1/charges/ch_1/failures", id="own_1", at="2026-06-23T10:00:00Z", reason_code="NO_CREDIT")
        assert told.status_code == 202, told.text
    assert decision(dunr)["until"] == "2026-06-23T10:01:00Z"
    dunr.post("/v1/charges/ch_1/payments", id="own_2", amount_minor=4900, at="2026-06-23T10:00:00Z")
    assert decision(dunr)["status"] == "CHARGE_PAID"


def test_what_was_paid_otherwise_after_it_was_advised_is_not_handed_out(dunr: Billed) -> None:
    dunr.leave(failed=FAILED)
    dunr.advance(to="2026-06-23T10:01:00Z")
    dunr.post("/v1/charges/ch_1/payments", id="own_2", amount_minor=900, at="2026-06-23T10:01:00Z")
    assert decision(dunr)["decision"] == "wait"


def test_a_charge_that_is_taken_back_is_advised_no_more(dunr: Billed) -> None:
    dunr.leave(failed=FAILED)
    dunr.post("/v1/charges/ch_1/take-back", status="void")
    assert decision(dunr)["status"] == "CHARGE_CLOSED"


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"key": "dunr-ch_1-a9", "status": "paid"}, 404),
        ({"key": "dunr-ch_1-a1", "status": "not_paid"}, 400),
        ({"key": "dunr-ch_1-a1", "status": "paid", "at": "2027-01-01T00:00:00Z"}, 400),
        ({"key": "dunr-ch_1-a1", "status": "perhaps"}, 400),
    ],
)
def test_a_report_that_makes_no_sense_is_refused(dunr: Billed, said: dict[str, Any], status: int) -> None:
    dunr.leave(failed=FAILED)
    dunr.advance(to="2026-06-23T10:01:00Z")
    assert report(dunr, **said) == status


def test_where_dunr_charges_nobody_asks_for_decisions(tmp_path: Path) -> None:
    with billed(tmp_path) as charging:
        charging.leave()
        assert charging.post("/v1/charges/ch_1/decision").status_code == 404


def test_a_failure_that_was_told_is_retried_by_dunr_where_it_charges(tmp_path: Path) -> None:
    with billed(tmp_path) as charging:
        charging.leave(failed=FAILED)
        assert charging.merchant.charges == []
        charging.advance(to="2026-06-23T10:01:00Z")
        assert [seen.body["key"] for seen in charging.merchant.charges] == ["dunr-ch_1-a1"]
        assert charging.told() == ["CHARGE_PAID"]
