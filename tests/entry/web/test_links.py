"""The page behind the link in a mail: it shows to everybody who has the link, and acts only when a button is pressed."""

import re
from datetime import timedelta
from pathlib import Path

import httpx

from dunr.mail.links import CARD_LINK_LIFE, CardLinks
from dunr.settings import link_secret
from tests.entry.web.served import START, Served, served


def path_of(link: str) -> str:
    return "/pay/" + link.rpartition("/")[2]


def mailed_link(dunr: Served) -> str:
    """The link in the newest mail, as its path here."""
    text = dunr.get("/outbox").json()[-1]["text"]
    found = re.search(r"https?://\S+/pay/\S+", text)
    assert found is not None
    return path_of(found.group())


def made_link(dunr: Served, case_id: str = "sandbox:acct_sandbox:in_1", round_number: int = 1) -> str:
    links = CardLinks(link_secret(dunr.application.settings), dunr.application.settings.links_base)
    return path_of(links.make(case_id, round_number, START))


def choose_card(dunr: Served, url: str, card: str, action: str) -> httpx.Response:
    return dunr.http.post(url, data={"card": card, "action": action})


def test_looking_changes_nothing_and_tells_what_happens_next(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail(amount_minor=4900, currency="usd")
        link, before = mailed_link(dunr), dunr.case()
        for method in ("GET", "HEAD", "GET"):
            shown = dunr.http.request(method, link)
            assert shown.status_code == 200
        assert "$49.00" in shown.text
        assert "Wednesday, June 24, 2026" in shown.text
        assert "Tuesday, July 7, 2026" in shown.text
        assert "<script" not in shown.text
        assert shown.headers["cache-control"] == "no-store"
        assert dunr.case() == before
        assert dunr.get("/sandbox/charges?invoice=in_1").json() == []
        for path in (f"{link}/update", f"{link}/pay-now"):
            assert dunr.get(path).status_code == 405


def test_a_new_card_is_put_on_file_at_the_processor_and_access_comes_back(tmp_path: Path) -> None:
    """C48: paused, a good card by the link in the mail, one charge, access granted."""
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.advance(to="2026-07-08T12:00:00Z")
        assert dunr.access() == "paused"
        link = mailed_link(dunr)
        assert "paused" in dunr.get(link).text
        first, second = dunr.post(f"{link}/update"), dunr.post(f"{link}/update")
        assert (first.status_code, second.status_code) == (303, 303)
        assert first.headers["location"] != second.headers["location"], "a fresh session on each click"
        done = choose_card(dunr, second.headers["location"], "visa_good", "save")
        assert done.status_code == 200
        dunr.until_quiet()
        dunr.advance(seconds=0)
        assert dunr.access() == "granted"
        assert dunr.captures() == 1
        assert "All paid" in dunr.get(link).text
        assert dunr.post(f"{link}/update").status_code == 409
        assert dunr.post(f"{link}/pay-now").status_code == 409


def test_paying_now_has_a_friendly_page_for_each_end(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        link = mailed_link(dunr)
        declined = dunr.post(f"{link}/pay-now")
        assert declined.status_code == 200
        assert "did not go through" in declined.text
        assert "insufficient" not in declined.text
        dunr.script("hang:86400:decline:do_not_honor", "decline:do_not_honor")
        waiting = dunr.post(f"{link}/pay-now")
        assert "being processed" in waiting.text
        assert "being processed" in dunr.get(link).text
        for name in ("pay-now", "update"):
            closed = dunr.post(f"{link}/{name}")
            assert closed.status_code == 409
            assert closed.headers["content-type"].startswith("text/html")
        dunr.advance(seconds=2 * 86_400)
        dunr.script("succeed")
        assert "Thank you" in dunr.post(f"{link}/pay-now").text
        assert dunr.captures() == 1


def test_a_card_that_will_not_do_is_not_offered_and_why_is_not_told(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail(decline="stolen_card")
        link = mailed_link(dunr)
        shown, refused = dunr.get(link).text, dunr.post(f"{link}/pay-now")
        assert ("Use another card" in shown, "pay-now" in shown) == (True, False)
        assert refused.status_code == 409
        assert "nothing was charged" in refused.text
        for word in ("stolen", "issuer", "stopped"):
            assert word not in shown + refused.text
        dunr.fail(
            "in_2",
            decline="authentication_required",
            subscription="sub_2",
            customer={"id": "cus_2"},
            card={"id": "pm_2"},
        )
        asked = dunr.get(made_link(dunr, "sandbox:acct_sandbox:in_2")).text
        assert "confirm this payment" in asked
        assert "pay-now" not in asked


def test_forged_and_expired_links_get_a_friendly_page(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        link = mailed_link(dunr)
        broken = (
            link[:-1],
            link[:-9] + ("A" if link[-9] != "A" else "B") + link[-8:],
            "/pay/x",
            "/pay/" + "x" * 5000,
            "/pay/%00",
        )
        unknown = made_link(dunr, case_id="sandbox:acct_sandbox:in_no")
        for path in (*broken, unknown):
            for answer in (dunr.get(path), dunr.post(f"{path}/pay-now"), dunr.post(f"{path}/update")):
                assert answer.status_code == 404
                assert answer.headers["content-type"].startswith("text/html")
        assert dunr.get(made_link(dunr, round_number=2)).status_code == 410
        dunr.advance(seconds=(CARD_LINK_LIFE + timedelta(seconds=1)).total_seconds())
        expired = dunr.get(link)
        assert expired.status_code == 410
        assert "expired" in expired.text
        assert dunr.post(f"{link}/pay-now").status_code == 410
        assert [one["trigger"] for one in dunr.case()["attempts"]].count("customer") == 0


def test_a_processor_that_cannot_be_reached_is_said_kindly(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        link = mailed_link(dunr)
        dunr.http.patch("/sandbox/settings", json={"api_key_revoked": True})
        for name in ("update", "pay-now"):
            answer = dunr.post(f"{link}/{name}")
            assert answer.status_code == 503
            assert "try again" in answer.text
            assert "HTTP" not in answer.text


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\"'"
    with served(tmp_path, merchant_name='Shop <b onclick="x">') as dunr:
        dunr.fail(customer={"id": "cus_1", "email": "ada@example.com", "name": hostile}, invoice="in_<i>")
        pages = [
            mailed_link(dunr),
            "/",
            "/cases/in_<i>",
            "/alerts",
            "/pay/<script>",
            "/cases/<script>alert(1)<%2fscript>",
        ]
        for path in pages:
            shown = dunr.get(path, accept="text/html").text
            assert "<script" not in shown
            assert "<i>" not in shown
            assert 'onclick="x"' not in shown
