"""After the last retry the customer hears once that access is paused, however often anything looks at the case afterwards."""

from collections import Counter
from pathlib import Path

from tests.entry.web.served import Served, served

AFTER_THE_LAST_RETRY = "2026-07-07T09:00:00Z"
USUAL = {"first": 1, "reminder": 2, "final_warning": 1, "paused": 1}


def kinds(dunr: Served) -> Counter[str]:
    return Counter(mail["kind"] for mail in dunr.get("/outbox").json())


def test_after_the_last_retry_there_is_exactly_one_final_mail_however_often_sweeps_run(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.script("decline:insufficient_funds")
        dunr.fail()
        dunr.advance(to=AFTER_THE_LAST_RETRY)
        assert (dunr.case()["state"], dunr.access()) == ("exhausted", "paused")
        assert kinds(dunr) == USUAL
        case_id = dunr.case()["id"]
        for _ in range(20):
            dunr.application.sweep.run()
            dunr.application.engine.wake(case_id)
            dunr.application.runner.run_until_quiet()
        assert kinds(dunr) == USUAL, "at the same instant"
        for _ in range(30):
            dunr.advance(seconds=86_400)  # each day has its own sweep, and one more
            dunr.application.sweep.run()
            dunr.application.runner.run_until_quiet()
        assert kinds(dunr) == USUAL, "nor in a month of days"


def test_a_processor_that_says_it_again_and_again_brings_no_second_final_mail(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.script("decline:insufficient_funds")
        dunr.fail()
        dunr.advance(to=AFTER_THE_LAST_RETRY)
        for event in [row["event"] for row in dunr.get("/sandbox/webhooks").json()]:
            dunr.post(f"/sandbox/webhooks/{event}/resend", times=3)
        dunr.until_quiet()
        dunr.advance(seconds=3 * 86_400)
        assert kinds(dunr) == USUAL
