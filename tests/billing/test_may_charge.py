"""The merchant is asked before a charge, over a real socket: beside their own billing system, and beside a processor that is none of theirs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dunr.errors import SettingsError
from dunr.settings import Settings
from tests.billing.billed import Billed, billed
from tests.billing.merchant import SECRET, merchant
from tests.cases.rehearsal import rehearse


@pytest.fixture
def dunr(tmp_path: Path) -> Iterator[Billed]:
    """The books answer both as the billing system and as the one that is asked."""
    with merchant() as asked:
        chosen = {"may_charge_url": f"{asked.url}/may-charge", "may_charge_secret": SECRET, "may_charge_seconds": 1}
        with billed(tmp_path, **chosen) as running:
            running.asked = asked
            yield running


def story_of(dunr: Billed) -> dict[str, Any]:
    told: dict[str, Any] = dunr.get("/v1/cases/ch_1").json()
    return told


def test_who_is_asked_is_asked_once_for_each_charge_and_told_what_it_is(dunr: Billed) -> None:
    dunr.leave()
    assert dunr.charge()["status"] == "CHARGE_PAID"
    assert [seen.body for seen in dunr.asked.questions] == [
        {
            "case": "billing_http:acct_billing:ch_1",
            "processor": "billing_http",
            "account": "acct_billing",
            "invoice": "ch_1",
            "subscription": "sub_1",
            "customer": "cus_1",
            "method": "wallet_1",
            "amount_minor": 4900,
            "currency": "usd",
            "attempt": 0,
            "trigger": "renewal",
        }
    ]


def test_a_no_is_not_charged_and_stands_in_the_story_with_its_reason(dunr: Billed) -> None:
    dunr.asked.permission = {"may_charge": False, "reason": "cancelled a second ago"}
    dunr.leave()
    story = story_of(dunr)
    assert dunr.merchant.charges == []
    assert story["attempts"] == []
    assert [hold["why"] for hold in story["holds"]] == ["the merchant forbids it: cancelled a second ago"]
    assert any("cancelled a second ago" in why for entry in story["audit"] for why in entry["because"])
    assert dunr.get("/v1/entitlements/sub_1").json()["access"] == "granted"
    dunr.asked.permission = {"may_charge": True}
    dunr.advance(to="2026-06-24T10:00:00Z")
    assert dunr.charge()["status"] == "CHARGE_PAID"


@pytest.mark.parametrize("silence", [500, 302, 201, "hang", "<html>", {"may": True}, {"may_charge": "yes"}])
def test_whatever_is_no_answer_charges_nothing_and_keeps_access(dunr: Billed, silence: object) -> None:
    dunr.asked.permission = silence  # type: ignore[assignment]
    dunr.leave()
    assert dunr.merchant.charges == []
    assert dunr.get("/v1/entitlements/sub_1").json()["access"] == "granted"
    assert dunr.charge()["state"] == "held"
    dunr.asked.permission = {"may_charge": True}
    dunr.advance(to="2026-06-23T10:01:00Z")
    assert dunr.charge()["status"] == "CHARGE_PAID"


def test_each_retry_is_asked_about_and_a_look_up_is_not(dunr: Billed) -> None:
    dunr.merchant.script.extend(["500", "no NO_CREDIT"])
    dunr.leave()
    dunr.advance(to="2026-06-23T10:05:00Z")
    assert dunr.charge()["status"] == "CHARGE_PAID"
    assert len(dunr.asked.questions) == len(dunr.merchant.charges) == 3
    assert len(dunr.merchant.look_ups) > 0


def test_beside_another_processor_the_same_question_is_asked_and_a_no_reaches_nobody(tmp_path: Path) -> None:
    with merchant() as asked:
        environment: dict[str, Any] = {
            "DUNR_MAY_CHARGE_URL": f"{asked.url}/may-charge",
            "DUNR_MAY_CHARGE_SECRET": SECRET,
        }
        with rehearse(tmp_path, **environment) as world:
            asked.permission = {"may_charge": False, "reason": "hardship", "ask_again_at": "2026-06-24T09:30:00Z"}
            world.fail("in_1")
            world.advance("2026-06-24T09:10:00Z")
            assert world.requests("in_1") == []
            assert world.access("sub_in_1") == "grace"
            assert [seen.body["processor"] for seen in asked.questions] == ["sandbox"]
            asked.permission = {"may_charge": True}
            world.script("card_1", "succeed")
            world.advance("2026-06-24T09:30:00Z")
            assert world.captures("in_1") == 1


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"may_charge_url": "https://shop.example/may"}, "belong together"),
        ({"may_charge_url": "https://shop.example/may", "may_charge_secret": "whsec_short"}, "no secret of Standard"),
        ({"may_charge_url": "ftp://shop.example", "may_charge_secret": SECRET}, "http address"),
    ],
)
def test_settings_that_ask_nobody_are_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        Settings(**wrong)


def test_an_address_that_the_settings_do_not_allow_is_not_asked_and_so_nothing_is_charged(tmp_path: Path) -> None:
    with merchant() as asked:
        chosen: dict[str, Any] = {"may_charge_url": f"{asked.url}/may-charge", "may_charge_secret": SECRET}
        with billed(tmp_path, outbound_allowed=(), **chosen) as running:
            running.leave()
            assert (asked.seen, running.merchant.charges) == ([], [])
            assert running.charge()["state"] == "held"
