"""One failed charge over HTTP, from the webhook to the pause and back, on the manual clock."""

from pathlib import Path

from tests.entry.web.served import served


def test_a_failed_charge_is_retried_paused_and_paid(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        told = dunr.case()
        assert (told["state"], told["shown"]) == ("scheduled", "scheduled")
        dates = [step["at"][:10] for step in told["plan"]["steps"]]
        assert dates == ["2026-06-24", "2026-06-29", "2026-07-02", "2026-07-07"]
        assert all(step["why"] for step in told["plan"]["steps"])
        assert dunr.access() == "grace"
        moved = dunr.advance(to="2026-07-09T00:00:00Z")
        assert moved["now"] == "2026-07-09T00:00:00Z"
        told = dunr.case()
        tried = [(one["begun_at"][:16], one["trigger"]) for one in told["attempts"][1:]]
        assert tried == [(f"{date}T09:00", "timer") for date in dates]
        assert told["state"] == "exhausted"
        assert dunr.access() == "paused"
        dunr.script("succeed")
        clicked = dunr.post("/v1/cases/in_1/pay-now")
        assert clicked.status_code == 202, clicked.text
        assert clicked.json()["attempt_number"] == 5
        assert clicked.json()["outcome"] == "succeeded"
        assert dunr.case()["state"] == "recovered"
        assert dunr.access() == "granted"
        assert dunr.captures() == 1
