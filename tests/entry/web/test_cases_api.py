"""Cases over the API: the list, the story with its whys, and the operator's acts."""

import time
from pathlib import Path
from typing import Any

from tests.entry.web.served import Served, served


def until_unanswered(dunr: Served) -> None:
    """Wait until the newest attempt is not being sent any more, and nobody knows what became of it."""
    give_up = time.monotonic() + 30
    while dunr.case()["attempts"][-1]["outcome"] != "unknown":
        assert time.monotonic() < give_up
        time.sleep(0.02)


def test_the_list_pages_searches_and_filters(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        for number in range(3):
            dunr.fail(
                f"in_{number}",
                subscription=f"sub_{number}",
                customer={"id": f"cus_{number}"},
                card={"id": f"pm_{number}"},
            )
        listed: list[str] = []
        after = ""
        while True:
            page = dunr.get(f"/v1/cases?limit=2{after}").json()
            listed += [case["invoice"] for case in page["cases"]]
            if page["next"] is None:
                break
            after = f"&after={page['next']}"
        assert sorted(listed) == ["in_0", "in_1", "in_2"]
        assert [case["invoice"] for case in dunr.get("/v1/cases?q=sub_1").json()["cases"]] == ["in_1"]
        assert dunr.get("/v1/cases?state=recovered").json()["cases"] == []
        assert len(dunr.get("/v1/cases?state=scheduled").json()["cases"]) == 3
        for query in ("state=attempting", "limit=0", "limit=501", "limit=many", "limit=%C2%B2"):
            assert dunr.get(f"/v1/cases?{query}").status_code == 400


def test_the_story_holds_everything_with_its_why(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.advance(to="2026-06-24T09:00:00Z")
        told = dunr.case("sandbox:acct_sandbox:in_1")
        assert told == dunr.case("in_1")
        assert [attempt["trigger"] for attempt in told["attempts"]] == ["processor", "timer"]
        assert told["attempts"][1]["key"] == "dunr-in_1-a1"
        assert (told["attempts"][1]["outcome"], told["attempts"][1]["reason"]) == ("declined", "insufficient_funds")
        assert [step["number"] for step in told["plan"]["steps"]] == [2, 3, 4]
        assert told["plan"]["pause_why"]
        assert [notice["kind"] for notice in told["notices"]] == ["first", "reminder"]
        assert told["subscription_access"]["access"] == "grace"
        assert [posting["kind"] for posting in told["postings"]] == ["opened"]
        assert all(entry["because"] for entry in told["audit"])
        assert [entry["number"] for entry in told["audit"]] == list(range(1, len(told["audit"]) + 1))
        ledger = dunr.get("/v1/ledger?case=in_1").json()["postings"]
        assert ledger == told["postings"]
        assert sum(amount for _, amount in ledger[0]["lines"]) == 0


def test_what_does_not_exist_is_404(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        posts = [f"/v1/cases/in_no/{name}" for name in ("pay-now", "retry")]
        bodies: list[tuple[str, dict[str, Any]]] = [(path, {}) for path in posts]
        bodies += [
            ("/v1/cases/in_no/hold", {"why": "x"}),
            ("/v1/cases/in_1/dance", {}),
            ("/v1/deadletters/x/redrive", {}),
        ]
        for path, body in bodies:
            answer = dunr.post(path, **body)
            assert (path, answer.status_code) == (path, 404)
            assert answer.headers["content-type"] == "application/problem+json"
        for path in (
            "/v1/cases/in_no",
            "/v1/ledger?case=in_no",
            "/v1/nothing",
            "/v1/cases/..%2f..%2fetc",
        ):
            assert (path, dunr.get(path).status_code) == (path, 404)


def act(dunr: Served, name: str, status: int = 200, **body: object) -> dict[str, Any]:
    answer = dunr.post(f"/v1/cases/in_1/{name}", **body)
    assert answer.status_code == status, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_an_operator_holds_releases_postpones_extends_and_closes(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        assert act(dunr, "hold", why="talking to the customer")["shown"] == "held"
        assert act(dunr, "retry", status=409)["title"] == "Not now"
        (hold,) = dunr.case()["holds"]
        assert "talking" in hold["why"]
        act(dunr, "release", status=422, ref="none")
        assert act(dunr, "release", ref=hold["ref"])["shown"] == "scheduled"
        assert act(dunr, "postpone", to_at="2026-06-25T09:00:00+02:00")["next_attempt_at"][:10] == "2026-06-25"
        act(dunr, "postpone", status=422, to_at="2026-06-24T09:00:00Z")
        assert act(dunr, "extend", to_at="2026-07-20T09:00:00Z")["pause_at"][:10] == "2026-07-20"
        assert act(dunr, "promise", on_at="2026-06-30T09:00:00Z")["next_attempt_at"][:10] == "2026-06-30"
        act(dunr, "promise", status=422, on_at="2027-06-30T09:00:00Z")
        closed = act(dunr, "close", why="written to twice")
        assert (closed["state"], closed["closed_because"]) == ("closed", "operator")
        act(dunr, "close", status=409, why="again")
        actors = {entry["actor"] for entry in dunr.case()["audit"]}
        assert "operator:local" in actors


def test_an_unanswered_attempt_is_settled_by_hand(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.script("hang:86400:decline:do_not_honor")
        assert act(dunr, "retry", status=202)["outcome"] in (None, "unknown")
        until_unanswered(dunr)
        assert dunr.case()["shown"] == "attempting"
        act(dunr, "settle", status=409, attempt_number=7, captured=False, evidence="x")
        told = act(dunr, "settle", attempt_number=1, captured=False, evidence="the processor's support says so")
        assert told["shown"] == "scheduled"
        assert dunr.case()["attempts"][1]["outcome"] == "withdrawn"


BAD_BODIES = [
    ("hold", b"{}"),
    ("hold", b'{"why": ""}'),
    ("hold", b'{"why": 7}'),
    ("hold", b'{"why": "a\\u0000b"}'),
    ("hold", b'{"why": "x", "until": "2026-07-01T00:00:00Z"}'),
    ("hold", b'{"why": "x", "until_at": "2026-07-01T00:00:00"}'),
    ("hold", b"not json 4242424242424242"),
    ("hold", b"\xff"),
    ("postpone", b'{"to_at": "tomorrow"}'),
    ("postpone", b'{"to_at": "9999-12-31T23:59:59-12:00"}'),
    ("extend", b'{"to_at": "0001-01-01T00:00:00+12:00"}'),
    ("settle", b'{"attempt_number": 1, "captured": "yes", "evidence": "x"}'),
    ("pay-now", b'{"amount_minor": 1}'),
]


def test_bodies_are_read_strictly_and_not_repeated(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        before = dunr.case()
        for name, body in BAD_BODIES:
            answer = dunr.http.post(f"/v1/cases/in_1/{name}", content=body)
            assert (name, body, answer.status_code) == (name, body, 400)
            assert "4242" not in answer.text
        assert dunr.case() == before


def test_the_brake_stops_charges_and_lets_go(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        stops = dunr.post("/v1/stops", kind="charges", why="the bank called").json()["stops"]
        assert [(stop["kind"], stop["why"]) for stop in stops] == [("charges", "the bank called")]
        assert dunr.get("/readyz").json() == {"status": "ready", "identity_stop": False, "stopped": ["charges"]}
        assert dunr.post("/v1/cases/in_1/pay-now").status_code == 409
        assert dunr.post("/v1/stops", kind="charges", stopped=False).json()["stops"] == []
        assert dunr.post("/v1/stops", kind="everything", why="x").status_code == 400
        dunr.script("succeed")
        assert dunr.post("/v1/cases/in_1/pay-now").status_code == 202


def test_a_dead_letter_is_listed_and_redriven(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.post("/sandbox/webhooks/send", id="evt_bad", type="invoice.payment_failed", data={})
        dunr.advance(seconds=3600)
        (letter,) = dunr.get("/v1/deadletters").json()["deadletters"]
        assert (letter["key"], letter["state"]) == ("sandbox:acct_sandbox:evt_bad", "dead")
        assert letter["note"]
        assert dunr.get("/v1/deadletters?state=waiting").status_code == 400
        assert dunr.post(f"/v1/deadletters/{letter['key']}/redrive").status_code == 202
        assert dunr.get("/v1/deadletters").json()["deadletters"] == []
        assert dunr.post(f"/v1/deadletters/{letter['key']}/redrive").status_code == 404


def test_an_operator_can_act_while_the_processor_cannot_be_read(tmp_path: Path) -> None:
    """To hold, to close and to settle with evidence send nothing, and are wanted most when the processor is away."""
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.script("hang:86400:decline:do_not_honor")
        act(dunr, "retry", status=202)
        until_unanswered(dunr)
        dunr.http.patch("/sandbox/settings", json={"snapshots_failing": True, "lookups_failing": True})
        act(dunr, "retry", status=503)
        assert act(dunr, "settle", attempt_number=1, captured=False, evidence="asked by phone")["shown"] == "scheduled"
        assert act(dunr, "hold", why="the processor is away")["shown"] == "held"
        assert act(dunr, "release")["shown"] == "scheduled"
        assert act(dunr, "postpone", to_at="2026-06-25T09:00:00Z")["next_attempt_at"][:10] == "2026-06-25"
        assert act(dunr, "extend", to_at="2026-07-20T09:00:00Z")["pause_at"][:10] == "2026-07-20"
        assert act(dunr, "promise", on_at="2026-06-30T09:00:00Z")["next_attempt_at"][:10] == "2026-06-30"
        assert act(dunr, "close", why="given up")["state"] == "closed"
