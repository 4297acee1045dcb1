"""The page behind the link in a mail, as a customer has it: a narrow phone, no JavaScript, a real browser."""

import re
import time
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page

from dunr.mail.links import CARD_LINK_LIFE
from tests.browser.browsing import browser, complaints, needs_chromium
from tests.entry.web.served import PATIENCE_SECONDS, Served, served
from tests.entry.web.test_links import made_link, mailed_link

pytestmark = [pytest.mark.browser, pytest.mark.endurance, needs_chromium]


def opened(page: Page, dunr: Served, path: str) -> str:
    """The text of a page after going there."""
    page.goto(f"{dunr.http.base_url}{path}")
    return shown(page)


def shown(page: Page) -> str:
    return page.inner_text("main")


def pressed(page: Page, label: str) -> str:
    page.get_by_role("button", name=label).click()
    return shown(page)


def test_a_new_card_pays_and_access_comes_back(tmp_path: Path) -> None:
    with served(tmp_path) as dunr, browser() as page:
        dunr.fail(amount_minor=4900, currency="usd")
        dunr.advance(to="2026-07-08T12:00:00Z")
        assert dunr.access() == "paused"
        link = mailed_link(dunr)
        assert "$49.00 is due" in opened(page, dunr, link)
        assert "Your access is paused" in shown(page)
        pressed(page, "Use another card")
        assert "/sandbox/" in page.url, "on the processor's page, where cards are entered"
        page.get_by_label("Visa that works").check()
        assert "saved" in pressed(page, "Save card only")
        dunr.until_quiet()
        dunr.advance(seconds=0)
        assert (dunr.access(), dunr.captures()) == ("granted", 1)
        assert "All paid" in opened(page, dunr, link)


def test_a_declined_card_is_said_kindly_and_another_one_is_offered(tmp_path: Path) -> None:
    with served(tmp_path) as dunr, browser() as page:
        dunr.fail()
        opened(page, dunr, mailed_link(dunr))
        text = pressed(page, "Pay now with the card on file")
        assert "did not go through" in text
        assert "Nothing was charged" in text
        assert "insufficient" not in text
        page.get_by_role("link", name="Back").click()
        assert "is due" in shown(page)
        dunr.script("succeed")
        assert "Thank you" in pressed(page, "Pay now with the card on file")
        assert dunr.captures() == 1


def test_who_paid_meanwhile_is_told_so_and_pays_nothing_more(tmp_path: Path) -> None:
    """The page stood open while the money came by another way, of which we have not heard."""
    with served(tmp_path) as dunr, browser() as page:
        dunr.fail()
        opened(page, dunr, mailed_link(dunr))
        dunr.http.patch("/sandbox/settings", json={"delay_webhooks_seconds": 3600})
        paid = dunr.post("/sandbox/invoices/in_1/pay")
        assert paid.status_code < 300, paid.text
        assert dunr.case()["state"] == "scheduled", "nobody has told us yet"
        assert "All paid" in pressed(page, "Pay now with the card on file")
        assert [one["trigger"] for one in dunr.case()["attempts"]].count("customer") == 0


def test_scanners_change_nothing_and_then_the_button_acts(tmp_path: Path) -> None:
    with served(tmp_path) as dunr, browser() as page:
        dunr.fail()
        dunr.script("succeed")
        link, before = mailed_link(dunr), dunr.case()
        for _ in range(10):
            assert dunr.get(link).status_code == 200
            assert dunr.http.head(link).status_code == 200
        assert dunr.case() == before
        assert dunr.captures() == 0
        opened(page, dunr, link)
        assert "Thank you" in pressed(page, "Pay now with the card on file")
        assert dunr.captures() == 1


def test_an_expired_link_is_replaced_by_mail_to_the_address_on_file(tmp_path: Path) -> None:
    with served(tmp_path) as dunr, browser() as page:
        dunr.fail()
        link = mailed_link(dunr)
        dunr.advance(seconds=(CARD_LINK_LIFE + timedelta(seconds=1)).total_seconds())
        assert "expired" in opened(page, dunr, link)
        count = len(dunr.get("/outbox").json())
        assert "on its way" in pressed(page, "Send a new link")
        wait_for_mail(dunr, count + 1)
        fresh = dunr.get("/outbox").json()[-1]
        assert fresh["to"] == "ada@example.com"
        assert "is due" in opened(page, dunr, mailed_link(dunr))


def wait_for_mail(dunr: Served, count: int) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while len(dunr.get("/outbox").json()) < count:
        assert time.monotonic() < give_up, "the mail never left"
        time.sleep(0.02)


def test_a_customer_says_when_they_will_pay(tmp_path: Path) -> None:
    with served(tmp_path) as dunr, browser() as page:
        dunr.fail()
        opened(page, dunr, mailed_link(dunr))
        day = page.get_by_label("Day")
        assert (day.get_attribute("min"), day.get_attribute("max")) == ("2026-06-24", "2026-07-07")
        day.fill("2026-07-01")
        assert "Wednesday, July 1, 2026" in pressed(page, "I will pay on this day")
        assert dunr.case()["next_attempt_at"] == "2026-07-01T09:00:00Z"
        dunr.script("succeed")
        dunr.advance(to="2026-07-01T10:00:00Z")
        case = dunr.case()
        assert (case["state"], case["steps_spent_count"]) == ("recovered", 0)
        assert case["attempts"][-1]["trigger"] == "promise"


def test_every_open_invoice_of_the_customer_is_shown(tmp_path: Path) -> None:
    with served(tmp_path) as dunr, browser() as page:
        dunr.fail(amount_minor=4900, currency="usd")
        dunr.fail("in_2", subscription="sub_2", amount_minor=1250, currency="eur")
        text = opened(page, dunr, mailed_link(dunr))
        assert ("$49.00" in text, "€12.50" in text) == (True, True)
        page.get_by_role("link", name=re.compile("^in_[12]$")).first.click()
        assert "is due" in shown(page)


def test_reminders_are_stopped_and_come_again(tmp_path: Path) -> None:
    with served(tmp_path) as dunr, browser() as page:
        dunr.fail()
        opened(page, dunr, mailed_link(dunr))
        page.get_by_role("link", name="Reminders").click()
        assert "No more reminders" in pressed(page, "Stop reminders for this invoice")
        dunr.advance(to="2026-06-24T12:00:00Z")
        assert [mail["kind"] for mail in dunr.get("/outbox").json()] == ["first"]
        assert "on again" in pressed(page, "Send reminders again")
        dunr.advance(to="2026-06-29T12:00:00Z")
        assert [mail["kind"] for mail in dunr.get("/outbox").json()] == ["first", "reminder"]


def test_another_language_is_one_click_away(tmp_path: Path) -> None:
    with served(tmp_path) as dunr, browser(locale="fr-FR") as page:
        dunr.fail(amount_minor=5000, currency="jpy")
        assert "à régler" in opened(page, dunr, mailed_link(dunr)), (
            "as the browser asks, where the processor knows nothing"
        )
        page.get_by_role("link", name="日本語").click()
        assert page.get_attribute("html", "lang") == "ja"
        assert "5,000" in shown(page)
        page.get_by_role("button", name="別のカードを使う").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(tmp_path: Path, scheme: str) -> None:
    """It is asked about every page of ours that a customer may see, on a narrow screen."""
    with served(tmp_path) as dunr, browser(scripts=True) as page:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        dunr.fail()
        dunr.fail("in_2", subscription="sub_2", amount_minor=1250, currency="eur")
        dunr.fail(
            "in_3",
            decline="authentication_required",
            subscription="sub_3",
            customer={"id": "cus_3"},
            card={"id": "pm_3"},
        )
        link = made_link(dunr)
        for path in (
            link,
            f"{link}?lang=ja",
            "/pay/forged",
            made_link(dunr, "sandbox:acct_sandbox:in_3"),
            made_link(dunr, round_number=2),
        ):
            opened(page, dunr, path)
            assert complaints(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (
                "nothing is wider than the screen"
            )
        opened(page, dunr, link)
        pressed(page, "Pay now with the card on file")
        assert complaints(page) == []
        page.get_by_role("link", name="Back").click()
        page.get_by_role("link", name="Reminders").click()
        assert complaints(page) == []
        pressed(page, "Stop reminders for this invoice")
        assert complaints(page) == []
