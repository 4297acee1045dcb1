"""The pages for people: they show what there is, act by forms of ours only, and need no JavaScript."""

import re
from pathlib import Path

import httpx

from tests.entry.web.desk import application_for, desk
from tests.entry.web.served import Served, served

PAGE = {"accept": "text/html,application/xhtml+xml"}
FAILURE = {
    "name": "Ada",
    "email": "ada@example.com",
    "amount": "49.00",
    "currency": "usd",
    "decline": "insufficient_funds",
}


def form_token(http: httpx.Client) -> str:
    """Open the first page as a browser does; the cookie stays with the client."""
    found = re.search(r'name="form_token" value="([^"]+)"', http.get("/", headers=PAGE).text)
    assert found is not None
    return found.group(1)


def submit(dunr: Served, path: str, **fields: str) -> httpx.Response:
    return dunr.http.post(path, data={"form_token": form_token(dunr.http), **fields})


def test_a_person_fails_a_payment_and_moves_the_time(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        first = dunr.get("/", **PAGE)
        assert "Manual clock" in first.text
        assert "Tue 23 Jun 2026, 10:00 UTC" in first.text
        assert "No payment is being recovered" in first.text
        failed = submit(dunr, "/rehearsal/failures", **FAILURE)
        assert (failed.status_code, failed.headers["location"]) == (303, "/")
        (case,) = dunr.get("/v1/cases").json()["cases"]
        shown = dunr.get("/", **PAGE).text
        assert "$49.00" in shown
        assert case["invoice"] in shown
        assert "Wed 24 Jun 2026, 09:00 UTC" in shown
        for where, now in (
            ({"where": "next"}, "2026-06-24T09:00:00Z"),
            ({"where": "day"}, "2026-06-25T09:00:00Z"),
            ({"where": "date", "to": "2026-07-09T12:00"}, "2026-07-09T12:00:00Z"),
        ):
            assert submit(dunr, "/rehearsal/clock", **where).status_code == 303
            assert dunr.get("/v1/test/clock").json()["now"] == now
        assert "exhausted" in dunr.get("/", **PAGE).text


def test_the_story_of_a_case_tells_each_why(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.advance(to="2026-06-29T09:00:00Z")
        told, shown = dunr.case(), dunr.get("/cases/in_1", **PAGE).text
        readable = shown.replace("&#39;", "'").replace("&#34;", '"').replace("&gt;", ">")
        reasons = [why for step in told["plan"]["steps"] for why in step["why"]] + told["plan"]["pause_why"]
        reasons += [why for entry in told["audit"] for why in entry["because"]]
        assert reasons
        assert [why for why in reasons if why not in readable] == []
        assert "Thu 2 Jul 2026, 09:00 UTC" in shown
        assert "Charge failed by dunr" in shown
        assert "access is paused at the earliest" in shown
        dunr.advance(to="2026-07-07T09:00:00Z")
        assert "Nothing is planned." in dunr.get("/cases/in_1", **PAGE).text
        assert dunr.get("/cases/in_no", **PAGE).status_code == 404


def test_figures_say_what_is_at_risk_recovered_and_lost(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        for number, amount in enumerate((1000, 2000, 4000)):
            dunr.fail(
                f"in_{number}",
                amount_minor=amount,
                subscription=f"sub_{number}",
                customer={"id": f"cus_{number}"},
                card={"id": f"pm_{number}"},
            )
        dunr.script("succeed", card="pm_1")
        assert dunr.post("/v1/cases/in_1/pay-now").status_code == 202
        assert dunr.post("/v1/cases/in_2/close", why="given up").status_code == 200
        shown = re.sub(r"\s+", " ", dunr.get("/", **PAGE).text)
        for name, sum_told in (("At risk", "$10.00"), ("Recovered", "$20.00"), ("Lost", "$40.00")):
            assert f"<dt>{name}</dt> <dd>{sum_told}</dd>" in shown


BAD_FORMS: list[dict[str, str]] = [
    {"amount": "0"},
    {"amount": "-1"},
    {"amount": "49.001"},
    {"amount": "NaN"},
    {"amount": "much"},
    {"amount": ""},
    {"currency": "xau"},
    {"decline": "bored"},
]


def test_a_form_that_makes_no_sense_fails_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        for odd in BAD_FORMS:
            assert (odd, submit(dunr, "/rehearsal/failures", **(FAILURE | odd)).status_code) == (odd, 400)
        for odd in ({}, {"where": "yesterday"}, {"where": "date", "to": "soon"}):
            assert submit(dunr, "/rehearsal/clock", **odd).status_code == 400
        yen = submit(dunr, "/rehearsal/failures", **(FAILURE | {"currency": "jpy", "amount": "49.50"}))
        assert yen.json()["detail"] == "Write the amount in JPY, more than nothing, as 49."
        assert dunr.get("/v1/cases").json()["cases"] == []


def test_where_nothing_is_due_there_is_no_way_to_it(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        assert 'value="next" disabled' in dunr.get("/", **PAGE).text
        fields = {"form_token": form_token(dunr.http), "where": "next"}
        refused = dunr.http.post("/rehearsal/clock", data=fields, headers=PAGE)
        assert (refused.status_code, '<a href="/">All cases</a>' in refused.text) == (409, True)
        dunr.fail()
        assert 'value="next" disabled' not in dunr.get("/", **PAGE).text


def test_forms_of_others_are_refused(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        token = form_token(dunr.http)
        cookie = dunr.http.cookies["dunr_form"]
        set_cookie = httpx.get(dunr.http.base_url, headers=PAGE).headers["set-cookie"].lower()
        assert "httponly" in set_cookie
        assert "samesite=strict" in set_cookie
        table: list[tuple[dict[str, str], dict[str, str]]] = [
            ({}, {"dunr_form": cookie}),
            ({"form_token": token}, {}),
            ({"form_token": token}, {"dunr_form": "another"}),
            ({"form_token": token[:-1]}, {"dunr_form": cookie}),
            ({"form_token": cookie}, {"dunr_form": cookie}),
        ]
        for fields, cookies in table:
            with httpx.Client(base_url=dunr.http.base_url, cookies=cookies, verify=False) as other:
                for path, more in (("/rehearsal/failures", FAILURE), ("/rehearsal/clock", {"where": "day"})):
                    assert other.post(path, data=fields | more).status_code == 403
        assert dunr.get("/v1/cases").json()["cases"] == []
        assert dunr.get("/v1/test/clock").json()["now"] == "2026-06-23T10:00:00Z"


def test_a_sandbox_that_does_not_answer_is_said(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        fields = {"form_token": form_token(client), **FAILURE}
        assert client.post("/rehearsal/failures", data=fields, headers=PAGE).status_code == 503
        moved = {"form_token": form_token(client), "where": "day"}
        assert client.post("/rehearsal/clock", data=moved, headers=PAGE).status_code == 503


def test_a_clock_that_runs_by_itself_has_no_form(tmp_path: Path) -> None:
    with desk(application_for(tmp_path, clock="system", clock_start=None)) as client:
        shown = client.get("/", headers=PAGE).text
        assert "Manual clock" not in shown
        assert "/rehearsal/clock" not in shown


def test_the_outbox_lists_mails_and_shows_each(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        assert dunr.get("/outbox").json() == []
        dunr.fail()
        (mail,) = dunr.get("/outbox").json()
        assert {"kind", "to", "subject", "message_id", "at", "text", "html"} <= set(mail)
        assert (mail["kind"], mail["to"]) == ("first", "ada@example.com")
        shown = dunr.get("/outbox", **PAGE)
        assert mail["subject"] in shown.text
        assert "Tue 23 Jun 2026, 10:00 UTC</time>" in shown.text
        assert '<a href="http' in shown.text
        html = dunr.get(f"/outbox/{mail['id']}", **PAGE)
        assert html.text == mail["html"]
        assert "default-src 'none'" in html.headers["content-security-policy"]
        for other in ("0" * 40, "..%2f..%2fsecrets", "link-secret", mail["id"].upper()):
            assert dunr.get(f"/outbox/{other}").status_code == 404
