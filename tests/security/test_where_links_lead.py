"""Where links lead: no answer sends anybody to a place that a stranger chose, whatever stands in the address, the host or the form."""

from collections.abc import Mapping
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.entry.web.served import Served, served
from tests.entry.web.test_links import mailed_link
from tests.security.routes import addresses

EVIL = "evil.example"
TRICKS = (
    "/",
    "//evil.example",
    "/%2f%2fevil.example",
    "/..//evil.example/",
    "?next=//evil.example&lang=//evil.example",
    "/%0d%0aset-cookie:%20a=b",
)
STARTS = ("//evil.example/", "//evil.example/%2e%2e", "/\\evil.example", "/%5cevil.example/")


def test_no_address_leads_to_a_stranger(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        link = mailed_link(dunr)
        paths = {path for _, _, path in addresses(dunr.app)} | {link, f"{link}/update", f"{link}/pay-now"}
        asked = [*STARTS, *(path + trick for path in sorted(paths) for trick in TRICKS)]
        hosts: tuple[dict[str, str], ...] = (
            {},
            {"host": EVIL},
            {"x-forwarded-host": EVIL, "x-forwarded-proto": "https"},
        )
        for method in ("GET", "POST"):
            for path in asked:
                for headers in hosts:
                    where, cookies = told(dunr, method, path, headers)
                    assert EVIL not in urlsplit(where).netloc, (method, path, headers, where)
                    assert not where.startswith(("//", "/\\")), (method, path, where)
                    assert "a=b" not in cookies


def told(dunr: Served, method: str, path: str, headers: Mapping[str, str]) -> tuple[str, str]:
    """Where an answer leads, and which cookies it sets. Asked byte by byte: a client that thinks would take some of these addresses for another place."""
    connection = HTTPConnection(dunr.http.base_url.host, dunr.http.base_url.port, timeout=30)
    try:
        connection.request(method, path, headers=dict(headers))
        answer = connection.getresponse()
        return answer.getheader("location", ""), answer.getheader("set-cookie", "")
    finally:
        connection.close()


def test_no_page_names_the_host_that_was_asked_for(tmp_path: Path) -> None:
    """Links in pages and mails begin with the address in the settings: a mail that a stranger's host was written into would lead its reader there."""
    with served(tmp_path) as dunr:
        dunr.fail()
        link = mailed_link(dunr)
        for path in (link, "/", "/alerts", "/outbox", "/pay/forged", "/nothing"):
            assert EVIL not in dunr.get(path, host=EVIL).text
        dunr.http.post(f"{link}/renew", headers={"host": EVIL})
        dunr.advance(seconds=7200)
        assert all(EVIL not in mail["text"] + mail["html"] for mail in dunr.get("/outbox").json())


@pytest.mark.parametrize("action", ["update", "pay-now", "renew"])
def test_a_button_answers_on_its_own_page_or_leads_to_the_processor(tmp_path: Path, action: str) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        fields = {"next": f"https://{EVIL}", "return_url": f"//{EVIL}", "redirect_uri": f"https://{EVIL}"}
        answer = dunr.http.post(f"{mailed_link(dunr)}/{action}", data=fields, params=fields)
        where = answer.headers.get("location", "")
        assert where == "" or where.startswith(str(dunr.http.base_url)), where
