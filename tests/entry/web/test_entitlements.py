"""The question that the application asks: one answer, with a version that a client can keep."""

from pathlib import Path

import pytest

from tests.entry.web.desk import application_for, desk
from tests.entry.web.served import served


def test_a_subscription_that_was_never_seen_is_granted(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        answer = client.get("/v1/entitlements/sub_unknown")
        assert answer.status_code == 200
        assert answer.json() == {
            "subscription": "sub_unknown",
            "access": "granted",
            "reason": "no failed payment is known",
            "version": 0,
            "known": False,
            "valid_until": "2026-06-24T10:00:00Z",
            "next_change_at": None,
            "banner": None,
        }
        assert answer.headers["cache-control"].startswith("private")


def test_the_answer_has_a_tag_that_changes_with_the_access(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        told = dunr.get("/v1/entitlements/sub_1")
        assert (told.json()["access"], told.json()["known"], told.json()["version"]) == ("grace", True, 1)
        assert told.json()["next_change_at"] == dunr.case()["pause_at"]
        assert dunr.get("/v1/entitlements/sandbox:acct_sandbox:sub_1").json()["access"] == "grace"
        tag = told.headers["etag"]
        for known in (tag, f'"old", {tag}', f"W/{tag}"):
            unchanged = dunr.get("/v1/entitlements/sub_1", **{"if-none-match": known})
            assert (unchanged.status_code, unchanged.content, unchanged.headers["etag"]) == (304, b"", tag)
        dunr.advance(to="2026-07-08T12:00:00Z")
        changed = dunr.get("/v1/entitlements/sub_1", **{"if-none-match": tag})
        assert (changed.status_code, changed.json()["access"]) == (200, "paused")
        assert changed.json()["valid_until"] == "2026-07-08T12:01:00Z"


def test_a_banner_says_what_is_owed_when_it_is_tried_again_and_where_to_pay(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        told = dunr.get("/v1/entitlements/sub_1")
        banner = told.json()["banner"]
        assert (banner["amount_due_minor"], banner["currency"], banner["invoices_count"]) == (4900, "usd", 1)
        assert banner["next_attempt_at"] == "2026-06-24T09:00:00Z"
        page = dunr.get("/pay/" + banner["link"].rpartition("/")[2])
        assert page.status_code == 200
        assert "49.00" in page.text
        dunr.advance(to="2026-06-24T10:00:00Z")
        changed = dunr.get("/v1/entitlements/sub_1", **{"if-none-match": told.headers["etag"]})
        assert (changed.status_code, changed.json()["access"]) == (200, "grace"), "the next date has moved"
        dunr.script("succeed")
        dunr.advance(to="2026-07-01T10:00:00Z")
        assert dunr.get("/v1/entitlements/sub_1").json()["banner"] is None


@pytest.mark.parametrize(
    ("amount_minor", "currency", "whole"),
    [
        (4900, "usd", "49.00"),
        (5000, "jpy", "5000"),
        (5000, "kwd", "5.000"),
        (500, "ugx", "5.00"),
        (5000, "huf", "50.00"),
    ],
)
def test_a_banner_says_the_amount_in_whole_units_whatever_the_processor_counts(
    tmp_path: Path, amount_minor: int, currency: str, whole: str
) -> None:
    with served(tmp_path) as dunr:
        dunr.fail(amount_minor=amount_minor, currency=currency)
        assert dunr.get("/v1/entitlements/sub_1").json()["banner"]["amount_due"] == whole


def test_another_account_is_not_asked_by_its_long_id(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        assert client.get("/v1/entitlements/sandbox:acct_other:sub_1").json()["known"] is False
