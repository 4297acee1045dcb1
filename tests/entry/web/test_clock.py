"""Time over the API: told always, moved only where a person may, and never over what is due."""

from pathlib import Path
from typing import Any

from dunr.testing.together import together
from tests.entry.web.desk import application_for, desk
from tests.entry.web.served import served

MOVE = "/v1/test/clock/advance"


def test_the_clock_is_told_and_moves_to_an_instant_or_by_seconds(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        assert dunr.get("/v1/test/clock").json() == {
            "mode": "manual",
            "now": "2026-06-23T10:00:00Z",
            "next_due_at": None,
        }
        dunr.fail()
        assert dunr.get("/v1/test/clock").json()["next_due_at"] == "2026-06-24T09:00:00Z"
        moved = dunr.advance(seconds=3600)
        assert moved == {"mode": "manual", "now": "2026-06-23T11:00:00Z", "next_due_at": "2026-06-24T09:00:00Z"}
        assert dunr.advance(to="2026-06-25T00:00:00+02:00")["now"] == "2026-06-24T22:00:00Z"
        assert dunr.case()["attempts"][1]["begun_at"] == "2026-06-24T09:00:00Z"


def test_senseless_targets_are_refused(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        table: list[tuple[dict[str, Any], int]] = [
            ({}, 422),
            ({"to": "2026-06-24T00:00:00Z", "seconds": 5}, 422),
            ({"to": "2026-06-22T00:00:00Z"}, 409),
            ({"seconds": -1}, 422),
            ({"seconds": 1e300}, 422),
            ({"to": "2026-06-24T00:00:00"}, 400),
            ({"to": "soon"}, 400),
            ({"to": "9999-12-31T23:59:59-12:00"}, 400),
            ({"hours": 1}, 400),
        ]
        for body, status in table:
            assert (body, dunr.post(MOVE, **body).status_code) == (body, status)
        assert dunr.get("/v1/test/clock").json()["now"] == "2026-06-23T10:00:00Z"


def test_a_clock_that_runs_by_itself_is_not_moved(tmp_path: Path) -> None:
    with desk(application_for(tmp_path, clock="system", clock_start=None)) as client:
        assert client.get("/v1/test/clock").json()["mode"] == "system"
        assert client.post(MOVE, json={"seconds": 1}).status_code == 409


def test_concurrent_advances_wait_for_each_other(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        answers = together([lambda: dunr.advance(seconds=86_400)] * 4)
        assert sorted(answer["now"] for answer in answers) == [f"2026-06-{day}T10:00:00Z" for day in (24, 25, 26, 27)]
        assert [attempt["begun_at"][:10] for attempt in dunr.case()["attempts"]] == ["2026-06-23", "2026-06-24"]


def test_webhooks_clicks_and_questions_go_on_while_the_clock_moves(tmp_path: Path) -> None:
    """Nobody waits for somebody who waits for them."""
    with served(tmp_path) as dunr:
        for number in range(5):
            dunr.fail(
                f"in_{number}",
                subscription=f"sub_{number}",
                customer={"id": f"cus_{number}"},
                card={"id": f"pm_{number}"},
            )
        dunr.http.patch("/sandbox/settings", json={"duplicate_webhooks": 2})
        dunr.script("succeed", card="pm_0")

        def click() -> int:
            return dunr.post("/v1/cases/in_0/pay-now").status_code

        def pay_by_hand() -> int:
            return dunr.post("/sandbox/invoices/in_1/pay").status_code

        def look() -> int:
            return dunr.get("/v1/cases").status_code

        def move() -> int:
            return dunr.post(MOVE, seconds=21 * 86_400).status_code

        moved, clicked, paid, looked, moved_again = together([move, click, pay_by_hand, look, move])
        assert (moved, paid, looked, moved_again) == (200, 200, 200, 200)
        assert clicked in (202, 409), "409 where the planned attempt was faster"
        dunr.advance(seconds=0)
        states = {case["invoice"]: case["state"] for case in dunr.get("/v1/cases").json()["cases"]}
        assert (states["in_0"], states["in_1"], states["in_2"]) == ("recovered", "recovered", "exhausted")
        assert dunr.captures("in_0") == dunr.captures("in_1") == 1
