"""What the pages for customers promise besides their buttons: languages, headers, strangers, a new link, no more reminders."""

import re
import time
from datetime import timedelta
from pathlib import Path

import pytest

from dunr.entry.web.pace import Pace, TooFast
from dunr.entry.web.speech import TAGS, sentences, speech
from dunr.mail.links import CARD_LINK_LIFE, ReminderLinks
from dunr.settings import link_secret
from tests.entry.web.served import PATIENCE_SECONDS, START, Served, served
from tests.entry.web.test_links import made_link, mailed_link


def reminder_link(dunr: Served) -> str:
    links = ReminderLinks(link_secret(dunr.application.settings), dunr.application.settings.links_base)
    return "/reminders/" + links.make("sandbox:acct_sandbox:in_1", 1, START).rpartition("/")[2]


def kinds(dunr: Served) -> list[str]:
    return [mail["kind"] for mail in dunr.get("/outbox").json()]


def wait_for_mails(dunr: Served, count: int) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while len(kinds(dunr)) < count:
        assert time.monotonic() < give_up, "the mail never left"
        time.sleep(0.01)


@pytest.mark.parametrize("tag", TAGS)
def test_no_language_lacks_a_sentence_or_a_fact_in_one(tag: str) -> None:
    def facts(of: str) -> dict[str, list[str]]:
        return {key: sorted(re.findall(r"\{(\w+)\}", text)) for key, text in sentences(of).items()}

    assert facts(tag) == facts("en")
    assert all(text.strip() for text in sentences(tag).values())


@pytest.mark.parametrize(
    ("chosen", "known", "accepted", "expected"),
    [
        (None, None, None, "en"),
        ("ja", "de-AT", "fr", "ja"),
        (None, "de_AT.UTF-8", "fr", "de"),
        (None, "pt", None, "pt-BR"),
        (None, "nl-NL", "sv;q=0.9, es-MX;q=0.8, fr;q=0.95", "fr"),
        ("<script>", "../../etc", "*;q=x,;;,", "en"),
        (None, None, "de;q=0", "en"),
    ],
)
def test_the_language_of_a_page(chosen: str | None, known: str | None, accepted: str | None, expected: str) -> None:
    assert speech(chosen, known, accepted).tag == expected


def test_dates_and_money_follow_the_customers_region(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        customer = {"id": "cus_1", "email": "ada@example.com", "locale": "de-AT"}
        dunr.fail(amount_minor=490000, currency="eur", customer=customer)
        shown = dunr.get(made_link(dunr), **{"accept-language": "fr"}).text
        assert '<html lang="de">' in shown
        assert "4.900,00" in shown or "4\u00a0900,00" in shown
        assert "24. Juni 2026" in shown


def test_what_the_pages_tell_of_themselves(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        for path in (made_link(dunr), "/pay/forged", reminder_link(dunr)):
            answer = dunr.get(path)
            headers = answer.headers
            assert headers.get_list("referrer-policy") == ["no-referrer"]
            assert "noindex" in headers["x-robots-tag"]
            assert headers["content-security-policy"].startswith("default-src 'none'")
            assert headers["cache-control"] == "no-store"
            assert "set-cookie" not in headers
            assert not re.findall(r'(?:src|href)="(?!/|\?lang=|#main)', answer.text), "nothing is asked of anybody else"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "https://elsewhere.example"}, 403),
        ({"origin": "null", "sec-fetch-site": "same-origin"}, 200),
    ],
)
def test_no_page_of_somebody_else_presses_our_buttons(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.script("succeed")
        assert dunr.http.post(f"{made_link(dunr)}/pay-now", headers=headers).status_code == status
        assert dunr.captures() == (1 if status == 200 else 0)


def test_tries_come_back_one_by_one() -> None:
    now = [0.0]
    pace = Pace(2, 10.0, clock=lambda: now[0])
    pace.take("a")
    pace.take("a")
    pace.take("b")
    with pytest.raises(TooFast):
        pace.take("a")
    now[0] = 10.0
    pace.take("a")
    with pytest.raises(TooFast):
        pace.take("a")


def test_a_link_that_is_pressed_too_often_waits_and_a_guesser_too(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail(decline="stolen_card")
        link = made_link(dunr)
        assert [dunr.post(f"{link}/pay-now").status_code for _ in range(22)].count(429) >= 1
        assert dunr.get(link).status_code == 200, "looking is free"
        assert [dunr.get(f"/pay/guess{n}").status_code for n in range(65)].count(429) >= 1
        assert dunr.get(link).status_code == 200, "who has a link is not kept out by those who have none"


def test_a_new_link_is_the_same_answer_for_everybody_and_one_mail_an_hour(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        answers = [dunr.http.post("/pay/-/renew", data={"invoice": name}) for name in ("in_no", "in_1", "in_1", "\0")]
        assert {answer.status_code for answer in answers} == {202}
        assert len({answer.text for answer in answers}) == 1
        wait_for_mails(dunr, 2)
        assert kinds(dunr) == ["first", "reminder"]
        dunr.advance(seconds=3600)
        assert kinds(dunr) == ["first", "reminder"]
        assert dunr.get("/outbox").json()[-1]["to"] == "ada@example.com"
        dunr.advance(seconds=(CARD_LINK_LIFE + timedelta(hours=1)).total_seconds())
        count = len(kinds(dunr))
        old = made_link(dunr)
        assert "Send a new link" in dunr.get(old).text
        assert dunr.post(f"{old}/renew").status_code == 202
        wait_for_mails(dunr, count + 1)
        assert dunr.get(mailed_link(dunr)).status_code == 200


def test_links_to_other_invoices_live_no_longer_than_the_one_that_shows_them(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.fail("in_2", subscription="sub_2")
        dunr.advance(to="2026-08-20T10:00:00Z")
        other = re.search(r'href="(/pay/[^"?]+)\?lang=en">in_2<', dunr.get(made_link(dunr)).text)
        assert other is not None
        assert dunr.get(other[1]).status_code == 200
        dunr.advance(seconds=(START + CARD_LINK_LIFE - dunr.application.clock.now()).total_seconds())
        assert dunr.get(other[1]).status_code == 410


def test_the_one_click_of_a_mail_program_stops_reminders_of_that_invoice_alone(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.fail(
            "in_2", subscription="sub_2", customer={"id": "cus_2", "email": "bo@example.com"}, card={"id": "pm_2"}
        )
        stop = reminder_link(dunr)
        for _ in range(10):
            assert dunr.get(stop).status_code == 200
        answer = dunr.http.post(stop, data={"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert "No more reminders" in answer.text
        dunr.advance(to="2026-07-08T12:00:00Z")
        told = [(mail["to"][:2], mail["kind"]) for mail in dunr.get("/outbox").json()]
        assert [kind for to, kind in told if to == "ad"] == ["first", "final_warning", "paused"]
        assert [kind for to, kind in told if to == "bo"] == ["first", "reminder", "reminder", "final_warning", "paused"]
        assert "on again" in dunr.post(f"{stop}/again").text


def test_a_link_of_one_purpose_serves_no_other(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        pay, stop = made_link(dunr).rpartition("/")[2], reminder_link(dunr).rpartition("/")[2]
        assert dunr.get(f"/pay/{stop}").status_code == 404
        assert dunr.post(f"/pay/{stop}/pay-now").status_code == 404
        assert dunr.post(f"/reminders/{pay}").status_code == 404


@pytest.mark.parametrize(
    "day", ["", "2026-06-23", "2026-12-01", "tomorrow", "9999-12-31", "0001-01-01", "2026-07-01\n<b>"]
)
def test_a_day_that_cannot_be_promised_is_said_kindly(tmp_path: Path, day: str) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        before = dunr.case()["next_attempt_at"]
        answer = dunr.http.post(f"{made_link(dunr)}/promise", data={"on": day})
        assert answer.status_code in (400, 422)
        assert "choose another one" in answer.text
        assert dunr.case()["next_attempt_at"] == before
