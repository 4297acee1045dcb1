"""Bad input against a running `dunr serve` that has something to lose: a clear error each time, nothing changed, nothing leaked."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.cases.rehearsal import KEY, SECRET, Json, Rehearsal, rehearse, signature

CARD_NUMBER = "4242424242424242"
TEN_MEGABYTES = 10 * 1024 * 1024
FAILURE = (
    b'{"id":"evt_bad","type":"invoice.payment_failed","account":"acct_sandbox","live":false,'
    b'"data":{"invoice":"in_unheard","subscription":"sub_1","customer":"cus_1"}}'
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """One case that stands, and one failure that dunr must not hear of by a forged message."""
    with rehearse(tmp_path_factory.mktemp("world")) as running:
        running.fail("in_1")
        running.fail("in_unheard", card="card_2", send_webhook=False)
        yield running


def everything(world: Rehearsal) -> Json:
    """All that a bad request could have changed."""
    return {
        "cases": world.cases(),
        "story": world.case("in_1"),
        "mails": world.mails(),
        "charges": world.psp.get("/sandbox/charges").json(),
        "stops": world.http.get("/v1/stops").json(),
        "dead": world.http.get("/v1/deadletters").json(),
        "ignored": world.http.get("/v1/deadletters", params={"state": "ignored"}).json(),
    }


def test_every_bad_request_gets_a_clear_error_changes_nothing_and_leaks_nothing(world: Rehearsal) -> None:
    now, minute = world.now(), timedelta(minutes=1)
    good = signature(FAILURE, now, SECRET)
    garbage = b'{"id": "evt_1", "number": "' + CARD_NUMBER.encode()
    webhook, v1 = "/webhooks/sandbox", "/v1/cases"
    table: list[tuple[str, str, bytes, dict[str, str], int]] = [
        ("POST", webhook, FAILURE, {}, 400),
        ("POST", webhook, FAILURE, {"sandbox-signature": ""}, 400),
        ("POST", webhook, FAILURE, {"sandbox-signature": "t=now,v1=" + "0" * 64}, 400),
        ("POST", webhook, FAILURE, {"sandbox-signature": signature(FAILURE, now, "whsec_of_somebody_else")}, 400),
        ("POST", webhook, FAILURE, {"sandbox-signature": signature(FAILURE, now - 6 * minute, SECRET)}, 400),
        ("POST", webhook, FAILURE, {"sandbox-signature": signature(FAILURE, now + 6 * minute, SECRET)}, 400),
        ("POST", webhook, FAILURE + b" ", {"sandbox-signature": good}, 400),
        ("POST", webhook, garbage, {"sandbox-signature": signature(garbage, now, SECRET)}, 400),
        ("POST", webhook, b"x" * TEN_MEGABYTES, {"sandbox-signature": good}, 413),
        ("POST", "/webhooks/nobody", FAILURE, {"sandbox-signature": good}, 404),
        ("GET", f"{v1}/in_nobody", b"", {}, 404),
        ("GET", f"{v1}/..%2f..%2fetc%2fpasswd", b"", {}, 404),
        ("GET", f"{v1}?limit=all", b"", {}, 400),
        ("GET", f"{v1}?q=%00", b"", {}, 400),
        ("GET", f"{v1}?after=%00", b"", {}, 400),
        ("GET", f"{v1}/%00", b"", {}, 400),
        ("GET", "/v1/entitlements/%00", b"", {}, 400),
        ("GET", "/cases/%00", b"", {}, 400),
        ("GET", f"{v1}?state=lost", b"", {}, 400),
        ("POST", f"{v1}/in_nobody/pay-now", b"", {}, 404),
        ("POST", f"{v1}/in_1/pay-now", garbage, {}, 400),
        ("POST", f"{v1}/in_1/hold", b'{"until_at": "tomorrow"}', {}, 400),
        ("POST", f"{v1}/in_1/close", b'{"why": "x", "amount_minor": 1}', {}, 400),
        ("POST", f"{v1}/in_1/release", b'{"ref": "none"}', {}, 422),
        ("POST", f"{v1}/in_1/settle", b'{"attempt_number": 9, "captured": true, "evidence": "x"}', {}, 409),
        ("POST", "/v1/deadletters/none/redrive", b"", {}, 404),
        ("POST", "/v1/stops", b'{"kind": "everything"}', {}, 400),
        ("POST", "/v1/test/clock/advance", b'{"to": "2020-01-01T00:00:00Z"}', {}, 409),
        ("GET", v1, b"", {"authorization": "Bearer dunr_nobodys"}, 401),
        ("POST", "/v1/stops", b'{"kind": "charges"}', {"authorization": f"Bearer {KEY}"}, 401),
        ("DELETE", f"{v1}/in_1", b"", {}, 405),
    ]
    before = everything(world)

    for method, path, body, headers, status in table:
        answer = world.http.request(method, path, content=body, headers=headers)
        asked = (method, path, body[:40], headers)
        assert answer.status_code == status, (asked, answer.text)
        assert answer.headers["content-type"] == "application/problem+json", asked
        problem = answer.json()
        assert (set(problem), problem["status"]) == ({"type", "title", "status", "detail"}, status), asked
        assert problem["detail"], asked
        for secret in (SECRET, KEY, CARD_NUMBER, "Traceback", "sqlite", str(world.folder)):
            assert secret not in answer.text, asked

    assert everything(world) == before
    assert world.find("in_unheard") is None


def test_the_log_of_the_server_holds_no_secret_and_no_traceback(world: Rehearsal) -> None:
    world.deliver(FAILURE, "t=1,v1=" + "0" * 64)
    world.http.get("/v1/cases", headers={"authorization": f"Bearer {KEY}"})
    log = (world.folder / "serve.log").read_text()
    for secret in (SECRET, KEY, CARD_NUMBER, "Traceback"):
        assert secret not in log
    assert world.http.get("/healthz").status_code == 200
