"""What comes in: too much, packed, nested a thousand deep, numbers that are none, and text meant for a database or a file system."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from dunr.adapters.processors.admission import WebhookAccount
from dunr.adapters.processors.billing_http.events import received
from dunr.errors import BadSignature
from tests.entry.web.desk import START, application_for, desk, event, signed
from tests.entry.web.served import Served, served
from tests.security.routes import UNSAFE, addresses, operations

DEEP = 9_000
TOO_MUCH = 1_048_577
NESTED = {
    "lists": b"[" * DEEP + b"]" * DEEP,
    "objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "in a field": b'{"kind":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "in a field of no name": b'{"zz":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "in facts": b'{"id":"a","facts":' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}",
    "never closed": b"[" * 60_000,
}
NUMBERS = {
    "of thousands of digits": b'{"amount_minor":' + b"9" * 20_000 + b"}",
    "beyond every number": b'{"seconds":1e999}',
    "no number": b'{"seconds":NaN}',
    "half a sign": b'{"kind":"\\ud800"}',
    "not UTF-8": b'{"kind":"\xff\xfe"}',
    "NUL": b'{"kind":"\\u0000"}',
}
FOR_THE_STORE = (
    "' OR 1=1 --",
    '"; DROP TABLE cases; --',
    "%",
    "_",
    "\\",
    "in_1' UNION SELECT body FROM documents --",
    "x" * 5_000,
    "é\u202e",
)
FOR_THE_FILES = (
    "/static/../pages.py", "/static/..%2f..%2fpages.py", "/static/%2e%2e/%2e%2e/pages.py", "/static/....//pages.py", "/static//etc/passwd",
    "/static/%00", "/outbox/..%2f..%2fdunr-data%2flink-secret", "/outbox/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/notices/preview?brand=../../etc/passwd", "/notices/preview?locale=../../../etc/passwd", "/pay/..%2f..%2fetc%2fpasswd",
)  # fmt: skip


@pytest.fixture(scope="module")
def dunr(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One case in a real SQLite file, that somebody would like to read or to change."""
    folder = tmp_path_factory.mktemp("dunr")
    with served(folder, store=f"sqlite:///{folder}/dunr.db") as running:
        running.fail()
        yield running


def writing(dunr: Served) -> list[tuple[str, str]]:
    return [(method, path) for method, declared, path in addresses(dunr.app, filled_with="in_none") if method in UNSAFE]


def test_no_body_is_unpacked_anywhere(dunr: Served) -> None:
    """A small packed body may unpack to a huge one, so that none is; the sandbox reads bytes as they are."""
    for method, path in writing(dunr):
        if path.startswith(("/sandbox/", "/processor/")):
            continue
        answer = dunr.http.request(method, path, content=b"\x1f\x8b" + b"0" * 100, headers={"content-encoding": "gzip"})
        assert (path, answer.status_code) in {(path, 415), (path, 405)}


def test_no_address_reads_more_than_it_says(dunr: Served) -> None:
    for method, path in writing(dunr):
        answer = dunr.http.request(method, path, content=b"0" * TOO_MUCH)
        # What is refused before its body is looked at is refused as well.
        assert answer.status_code in {413, 401}, (path, answer.status_code)


@pytest.mark.parametrize("body", [*NESTED.values(), *NUMBERS.values()], ids=[*NESTED, *NUMBERS])
def test_no_form_of_json_is_more_than_a_wrong_body(dunr: Served, body: bytes) -> None:
    before = dunr.case()
    for method, path in writing(dunr):
        answer = dunr.http.request(method, path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code < 500, (path, answer.text)
    headers = {"sandbox-signature": signed(body)["sandbox-signature"]}
    assert dunr.http.post("/webhooks/sandbox", content=body, headers=headers).status_code == 400
    assert dunr.case() == before


def test_a_genuine_event_with_something_deep_in_it_stops_nobody(tmp_path: Path) -> None:
    """It is signed, so that it is kept or refused; and the next one is taken."""
    with desk(application_for(tmp_path)) as client:
        for name in ("data", "zz"):
            body = (
                b'{"id":"evt_d","type":"invoice.paid","account":"acct_sandbox","live":false,"' + name.encode() + b'":'
            )
            body += b'{"invoice":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
            assert client.post("/webhooks/sandbox", content=body, headers=signed(body)).status_code < 500
        good = event("evt_good")
        assert client.post("/webhooks/sandbox", content=good, headers=signed(good)).status_code == 200


@pytest.mark.parametrize("digits", ["0" * 5_000 + "1", "9" * 5_000, "1e3", "٣", "-1", "0x1", " 1", "1_0"])
def test_a_limit_is_a_small_number_or_a_clear_error(dunr: Served, digits: str) -> None:
    for path in ("/v1/cases", "/v1/ledger", "/v1/deadletters", "/processor/v1/invoices"):
        answer = dunr.http.get(
            path,
            params={"limit": digits},
            headers={"authorization": "Bearer sk_sandbox_local"} if "processor" in path else {},
        )
        assert answer.status_code in {400, 404}, (path, answer.text)


@pytest.mark.parametrize("seconds", ["999999999999", "253402300800", "1" * 5_000, "²", "-1", ""])
def test_a_time_beyond_every_calendar_proves_nothing(seconds: str) -> None:
    """Before the signature is known to be right, nothing that was sent may be more than a wrong signature."""
    account = WebhookAccount(
        account="a", live=False, webhook_secrets=("whsec_" + "TWZLUQ==" * 6,), tolerance_seconds=300
    )
    headers = {"webhook-id": "msg_1", "webhook-timestamp": seconds, "webhook-signature": "v1,AAAA"}
    with pytest.raises(BadSignature):
        received(b"{}", headers, account, START)


@pytest.mark.parametrize("text", FOR_THE_STORE)
def test_what_is_searched_for_is_text_to_the_store_and_nothing_else(dunr: Served, text: str) -> None:
    before = dunr.case()
    for method, path, operation in operations():
        if method != "GET":
            continue
        for name in ("q", "after", "case", "state", "kind", *operation.query):
            answer = dunr.http.get(path, params={name: text})
            assert answer.status_code < 500, (path, name, answer.text)
        answer = dunr.http.get(path.replace("in_1", httpx.QueryParams({"a": text}).__str__()[2:].replace("+", "%20")))
        assert answer.status_code < 500, (path, answer.text)
    assert dunr.http.get("/v1/cases", params={"q": text}).json()["cases"] == [], "none of these is a word of an id"
    assert dunr.case() == before


@pytest.mark.parametrize("path", FOR_THE_FILES)
def test_no_path_leads_out_of_its_folder(dunr: Served, path: str) -> None:
    answer = dunr.http.get(path)
    for stolen in ("root:", "Copyright", "import ", dunr.application.settings.sandbox_api_key):
        assert stolen not in answer.text
    assert answer.status_code in ({200, 404} if "locale" in path else {400, 404})
    if answer.status_code == 200:
        assert "passwd" not in answer.text
