"""What holds, and who changed it: the automatic brake is shown beside the stops of people, and a person lifts it, on record."""

from datetime import timedelta
from pathlib import Path

from dunr.core.answers import Unanswered
from dunr.core.brake import Group
from tests.entry.web.served import Served, served

VISA = Group("visa", "GB")


def silence(dunr: Served) -> None:
    """So many charges without an answer that the brake goes on."""
    application = dunr.application
    brake = application.engine.parts.brake
    assert brake is not None
    for _ in range(40):
        brake.answered("sandbox", application.settings.account, VISA, Unanswered("silence"))
    dunr.application.runner.run_until_quiet()


def ends(dunr: Served) -> list[bool]:
    alerts = dunr.get("/v1/alerts").json()["alerts"]
    return [one["over_at"] is not None and one["over_at"] <= dunr.application.clock.now().isoformat() for one in alerts]


def test_a_person_sees_what_holds_by_itself_and_lifts_it_on_record(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        silence(dunr)
        [held] = dunr.get("/v1/stops").json()["brakes"]
        assert (held["network"], held["country"], held["times"]) == ("visa", "GB", 1)
        assert "holds by itself" in held["why"]
        assert "holds by itself" in dunr.get("/").text
        case_id = f"sandbox:{dunr.application.settings.account}:in_1"
        assert dunr.application.rulebook.standing("sandbox", dunr.application.settings.account).brakes
        lifted = dunr.post("/v1/stops/lift", network="visa", why="their status page says that it is over")
        assert lifted.status_code == 200, lifted.text
        assert lifted.json()["brakes"] == []
        [act] = lifted.json()["record"]
        assert "lifted the brake on visa cards issued in GB" in act["what"]
        assert act["why"] == "their status page says that it is over"
        assert dunr.post("/v1/stops/lift").status_code == 404, "nothing is left"
        dunr.script("succeed")
        dunr.fail(card={"id": "pm_1", "network": "visa", "country": "GB"})
        dunr.advance(to="2026-06-24T09:00:00Z")
        assert dunr.captures() == 1, f"{case_id} is charged again"


def test_people_hear_of_the_brake_and_of_its_end_once(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        silence(dunr)
        assert ends(dunr) == [False]
        [held] = dunr.get("/v1/stops").json()["brakes"]
        dunr.advance(to=held["all_at"])
        told = dunr.application.reports.effects(kind="RaiseAlert", case_id=None, limit=10)
        assert len([one for one in told if one.done_at is not None and one.note.startswith("told")]) == 2
        dunr.advance(seconds=timedelta(days=1).total_seconds())
        assert len(dunr.application.reports.effects(kind="RaiseAlert", case_id=None, limit=10)) == 2


def test_each_stop_and_each_resume_is_on_record(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.post("/v1/stops", kind="charges", why="looking")
        answer = dunr.post("/v1/stops", kind="charges", stopped=False, why="looked").json()
        assert answer["stops"] == []
        assert [(act["what"], act["why"]) for act in answer["record"]] == [
            ("resumed charges (everywhere)", "looked"),
            ("stopped charges (everywhere)", "looking"),
        ]
        assert all(act["actor"] for act in answer["record"])
