"""Telling customers: one mail for several invoices, not too many a day, not at night, not twice, and by whom the merchant says."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from dunr.dead_notices import dead_notices
from dunr.notifying import MAIL_TRIES_MAX
from dunr.ports import Delivery
from tests.entry.web.served import Served, served

EVENING = datetime(2026, 6, 23, 21, tzinfo=UTC)
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


def outbox(dunr: Served) -> list[tuple[str, str]]:
    return [(mail["kind"], mail["text"]) for mail in dunr.get("/outbox").json()]


def test_several_invoices_of_one_person_are_one_mail(tmp_path: Path) -> None:
    """They fail at night; in the morning one letter tells of all three, with every amount and date."""
    with served(tmp_path, clock_start=EVENING) as dunr:
        for number in (1, 2, 3):
            dunr.fail(f"in_{number}", subscription=f"sub_{number}", amount_minor=1000 * number, currency="usd")
        assert outbox(dunr) == []
        dunr.advance(to="2026-06-24T08:30:00Z")
        [(kind, text)] = outbox(dunr)
        assert kind == "first"
        for number in (1, 2, 3):
            assert f"in_{number}" in text
            assert f"${10 * number}.00" in text
            [notice] = dunr.case(f"in_{number}")["notices"]
            assert notice["done_at"] is not None
            assert notice["note"].startswith("sent")
            assert dunr.case(f"in_{number}")["plan"]["steps"][0]["told_at"] is not None


def test_an_address_gets_so_many_reminders_a_day_and_no_more(tmp_path: Path) -> None:
    with served(tmp_path, mails_per_day_max=1) as dunr:
        dunr.fail("in_1")
        dunr.fail("in_2", subscription="sub_2")
        assert len(outbox(dunr)) == 1
        dunr.advance(seconds=24 * 3600)
        assert len(outbox(dunr)) == 2


def test_a_queued_mail_is_dropped_when_the_customer_pays_before_it_leaves(tmp_path: Path) -> None:
    with served(tmp_path, clock_start=EVENING) as dunr:
        dunr.fail()
        dunr.post("/sandbox/invoices/in_1/pay")
        dunr.until_quiet()
        dunr.advance(to="2026-06-26T12:00:00Z")
        assert outbox(dunr) == []
        assert [one["note"][:7] for one in dunr.case()["notices"]] == ["dropped"]


def test_what_no_server_takes_is_given_up_visibly_and_tried_again_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path, clock_start=EVENING) as dunr:
        notifier = dunr.application.performer.notifier
        real = notifier.mailer
        tries = []

        class Down:
            def send(self, *_: object) -> Delivery:
                tries.append(1)
                return Delivery.FAILED_FOR_NOW

        monkeypatch.setattr(notifier, "mailer", Down())
        dunr.fail(decline="authentication_required")
        dunr.advance(seconds=9 * 86_400)  # until Thursday
        [dead] = dead_notices(dunr.application.reports, 10)
        assert dead.kind == "confirm_with_bank"
        assert len(tries) == MAIL_TRIES_MAX + 1
        assert [one["kind"] for one in dunr.get("/v1/alerts").json()["alerts"]].count("notice_undeliverable") == 1
        monkeypatch.setattr(notifier, "mailer", real)
        assert [one["key"] for one in dunr.get("/v1/notices/dead").json()["notices"]] == [dead.key]
        assert dunr.post("/v1/notices/redrive", key="notice/nobody").status_code == 404
        before = len(outbox(dunr))
        assert dunr.post("/v1/notices/redrive", key=dead.key).status_code == 202
        dunr.advance(to="2026-07-03T12:00:00Z")
        assert [kind for kind, _ in outbox(dunr)[before:]] == ["confirm_with_bank"]
        assert dunr.get("/v1/notices/dead").json()["notices"] == []
        assert dunr.post("/v1/notices/redrive", key=dead.key).status_code == 404


@contextmanager
def merchant() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    """An application with an endpoint."""
    heard: list[tuple[dict[str, str], bytes]] = []

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            heard.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hooks", heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_merchants_own_system_writes_and_dunr_does_not(tmp_path: Path) -> None:
    with (
        merchant() as (url, heard),
        served(tmp_path, mail_channel="own", publish_url=url, publish_secret=SECRET) as dunr,
    ):
        dunr.fail(amount_minor=4900, currency="usd")
        assert outbox(dunr) == []
        due = [(headers, json.loads(body)) for headers, body in heard if b"notice.due" in body]
        [(headers, message)] = due
        assert headers["webhook-id"].startswith("notice/")
        data = message["data"]
        assert (data["kind"], data["invoice"], data["customer"]) == ("first", "in_1", "cus_1")
        assert (data["amount_minor"], data["currency"]) == (4900, "usd")
        assert data["plan"]["next_attempt_at"] == data["valid_until"] == "2026-06-24T09:00:00Z"
        path = "/pay/" + data["link"].rpartition("/")[2]
        assert "is due" in dunr.get(path).text
        dunr.advance(to="2026-07-08T12:00:00Z")
        kinds = [json.loads(body)["data"]["kind"] for _, body in heard if b"notice.due" in body]
        assert kinds == ["first", "reminder", "reminder", "final_warning", "paused"]
        assert outbox(dunr) == []
        assert dunr.access() == "paused"


def test_where_nobody_writes_a_person_hears_of_the_pause(tmp_path: Path) -> None:
    with served(tmp_path, mail_channel="off") as dunr:
        dunr.fail()
        dunr.advance(to="2026-07-08T12:00:00Z")
        assert outbox(dunr) == []
        assert [one["kind"] for one in dunr.get("/v1/alerts").json()["alerts"]].count("notice_undeliverable") == 1
        assert dunr.access() == "paused"
