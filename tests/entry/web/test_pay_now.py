"""Clicks: many at once are one attempt, a click is answered before a processor that does not, and there is a cap of their own."""

from pathlib import Path

import pytest

from dunr.ports import Refs
from dunr.testing.together import together
from tests.entry.web.served import served


@pytest.mark.parametrize("clock", ["manual", "system"])
def test_twenty_clicks_at_once_are_one_attempt(tmp_path: Path, clock: str) -> None:
    with served(tmp_path, clock=clock, store=f"sqlite:///{tmp_path}/dunr.db") as dunr:
        dunr.fail()
        dunr.script("succeed")
        statuses = together([lambda: dunr.post("/v1/cases/in_1/pay-now").status_code] * 20)
        assert sorted(statuses) == [202] + [409] * 19
        dunr.until_quiet()
        assert dunr.captures() == 1
        assert dunr.case()["state"] == "recovered"


def test_a_click_is_answered_while_the_processor_is_not(tmp_path: Path) -> None:
    """And everybody else gets 409 until the first one is settled."""
    with served(tmp_path, clock="system") as dunr:
        dunr.fail()
        dunr.script("hang:4:succeed")
        statuses = together([lambda: dunr.post("/v1/cases/in_1/pay-now")] * 5)
        assert sorted(answer.status_code for answer in statuses) == [202, 409, 409, 409, 409]
        taken = next(answer.json() for answer in statuses if answer.status_code == 202)
        assert taken == {"case": "sandbox:acct_sandbox:in_1", "attempt_number": 1, "outcome": None}
        refused = next(answer.json() for answer in statuses if answer.status_code == 409)
        assert "Already processing" in refused["detail"]
        assert dunr.case()["shown"] == "attempting"
    with_answer = dunr.application
    case = with_answer.store.load("sandbox:acct_sandbox:in_1", Refs()).case
    assert case is not None
    assert case.amount_due_minor == 0, "the attempt that was on its way ended before the server did"


def test_clicks_spend_no_step_and_have_a_cap(tmp_path: Path) -> None:
    """C36: four declined clicks, then ten more: the plan stays, the fifth is the last, then 429."""
    with served(tmp_path) as dunr:
        dunr.fail()
        before = dunr.case()["plan"]
        statuses = [dunr.post("/v1/cases/in_1/pay-now").status_code for _ in range(14)]
        assert statuses == [202] * 5 + [429] * 9
        told = dunr.case()
        assert (told["plan"]["steps"], told["plan"]["pause_at"]) == (before["steps"], before["pause_at"])
        assert told["steps_spent_count"] == 0
        assert dunr.access() == "grace"


def test_a_processor_that_cannot_be_read_is_503_and_nothing_is_queued(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.http.patch("/sandbox/settings", json={"snapshots_failing": True})
        assert dunr.post("/v1/cases/in_1/pay-now").status_code == 503
        dunr.http.patch("/sandbox/settings", json={"snapshots_failing": False})
        dunr.advance(seconds=60)
        assert [attempt["number"] for attempt in dunr.case()["attempts"]] == [0]
