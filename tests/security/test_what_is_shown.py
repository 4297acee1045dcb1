"""What is shown: words of strangers in pages, mails, headers and tables stay words."""

import csv
import email
import io
import re
from collections.abc import Iterator
from email import policy
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dunr.accounting.table import FORMULA_STARTS, csv_lines
from dunr.core.decision import Posting
from dunr.core.value import replace
from dunr.mail.layout import Layout
from dunr.mail.mime import as_email
from dunr.mail.overrides import TemplateRefused
from tests.entry.web.desk import START
from tests.entry.web.served import Served, served
from tests.entry.web.test_links import made_link
from tests.mail.notices import NOW, PAYER, brand, notice, renderer

EVIL = '"><script>xss()</script><img src=x onerror=xss()><xss-1 a="'
TEMPLATE = "{{7*7}}{% for x in 1 %}{{config}}"
HEADERS = "Ada\r\nBcc: evil@example.com\r\n\r\nbody"
REACHES_IN = (
    "{{ letter['__class__'] }}", "{{ (letter|attr('__class__')).__mro__ }}", "{{ letter|attr('_' ~ '_class_' ~ '_') }}",
    "{{ ''.join.__globals__ }}", "{{ self._TemplateReference__context }}", "{{ cycler.__init__.__globals__ }}",
    "{{ lipsum.__globals__['os'].popen('id').read() }}", "{{ '{0.__class__}'.format(letter) }}", "{{ ('{0.__class__.__mro__}'|format)(letter) }}",
    "{% set x = letter.__class__ %}{{ x }}", "{{ letter.opening.__class__.__base__.__subclasses__() }}", "{% import 'os' as os %}",
)  # fmt: skip


class Seen(HTMLParser):
    """The elements and attributes that a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.targets += [value or "" for name, value in attrs if name in ("href", "src", "action", "formaction")]


def harmless(html: str) -> None:
    seen = Seen()
    seen.feed(html)
    assert not seen.tags & {"script", "xss-1", "iframe", "object", "embed"}
    assert not [name for name in seen.attributes if name.startswith("on")]
    assert not [target for target in seen.targets if target.strip().lower().startswith(("javascript:", "data:text"))]
    assert "49" not in re.findall(r"{{|7\*7|>(49)<", html)


@pytest.fixture(scope="module")
def dunr(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(
        tmp_path_factory.mktemp("dunr"), merchant_name=f"Shop {EVIL}", mail_from="billing@shop.example"
    ) as running:
        person = {"id": "cus_1", "email": "ada@example.com", "name": EVIL + TEMPLATE + HEADERS}
        running.fail(
            "in_1", customer=person, card={"id": "pm_1", "network": EVIL, "last4": "1111"}, decline=f"odd_{EVIL}"[:40]
        )
        running.post("/v1/cases/in_1/hold", why=EVIL + TEMPLATE, until_at="2026-06-25T10:00:00Z")
        running.post("/v1/stops", kind="mail", why=EVIL)
        running.advance(seconds=86_400)
        yield running


def test_no_page_makes_markup_of_what_somebody_else_wrote(dunr: Served) -> None:
    link = made_link(dunr)
    pages = [
        "/",
        "/alerts",
        "/outbox",
        "/cases/in_1",
        link,
        f"/pay/{EVIL}",
        f"/cases/{EVIL}",
        f"/nothing/{EVIL}",
        f"/notices/preview?locale={EVIL}",
    ]
    pages += [f"/outbox/{mail['id']}" for mail in dunr.get("/outbox").json()]
    for path in pages:
        answer = dunr.get(path, accept="text/html", **{"accept-language": EVIL.replace('"', "")})
        assert answer.headers["content-type"].startswith("text/html"), path
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        harmless(answer.text)
    assert "&lt;script&gt;xss()" in dunr.get("/cases/in_1", accept="text/html").text  # it was there to be shown


def test_no_json_can_be_taken_for_a_page(dunr: Served) -> None:
    for path in (
        "/v1/cases",
        "/v1/cases/in_1",
        f"/v1/cases/{EVIL}",
        f"/v1/entitlements/{EVIL}",
        f"/v1/cases?state={EVIL}",
    ):
        answer = dunr.get(path, accept="text/html")
        assert answer.headers["content-type"] in {"application/json", "application/problem+json"}
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_no_mail_makes_markup_or_a_header_of_a_name(dunr: Served) -> None:
    dunr.http.delete("/v1/stops/mail")
    for mail in dunr.get("/outbox").json():
        harmless(mail["html"])
        assert "\n" not in mail["subject"] + mail["to"]
        assert "evil@example.com" not in mail["to"]


@pytest.mark.parametrize(
    "name",
    [
        HEADERS,
        "Ada\nBcc: evil@example.com",
        "Ada\x0bX: y",
        "Ada\u2028Bcc: evil@example.com",
        "=?utf-8?q?Ada=0ABcc:_evil@example.com?=",
    ],
)
def test_a_mail_has_the_headers_that_we_wrote_and_no_others(name: str) -> None:
    mail = renderer().render(notice(), replace(PAYER, name=name), "UTC", NOW)
    read = email.message_from_bytes(as_email(mail).as_bytes(), policy=policy.default)
    assert read["bcc"] is None
    assert read["x"] is None
    assert len(read.get_all("subject", [])) == len(read.get_all("to", [])) == 1
    assert "evil@example.com" not in str(read["to"])


@pytest.mark.parametrize("source", REACHES_IN)
def test_no_template_of_a_merchant_reaches_into_the_program(source: str, tmp_path: Path) -> None:
    """It is refused when it is loaded, where ours is used instead; or it shows nothing of what it reached for."""
    (tmp_path / "footer.mjml").write_text(
        f"<mj-section><mj-column><mj-text>{source}</mj-text></mj-column></mj-section>"
    )
    with pytest.raises(TemplateRefused):
        Layout(brand(), tmp_path)


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_no_cell_of_a_table_is_computed(start: str) -> None:
    """A spreadsheet takes such a text for a formula, which may fetch a page of a stranger's with what stands beside it."""
    odd = f"{start}HYPERLINK(1)"
    posting = Posting(odd, odd, "recovered", START, "usd", (("cash", 5), ("receivable", -5)))
    for row in list(csv.reader(io.StringIO("".join(csv_lines([posting])), newline="")))[1:]:
        for cell in row:
            assert not cell.startswith(FORMULA_STARTS) or re.fullmatch(r"-?\d+(\.\d+)?", cell), cell
