"""The log of a real dunr over a whole case: each event of consequence has its line, with what it is about, and nobody's address, card or key."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.cases.rehearsal import until
from tests.ports import free_port

DUNR = Path(sys.executable).with_name("dunr")
EMAIL, NAME = "zoe.customer@shop.example.com", "Zoe Customer"
WEBHOOK_SECRET, API_KEY = "whsec_bG9nLXRlc3QtbG9nLXRlc3QtbG9nLXRlc3Q", "sk_sandbox_logtest123"


@contextmanager
def serving(folder: Path) -> Iterator[tuple[httpx.Client, Path]]:
    """A real process, and the file in which its log is."""
    port, log = free_port(), folder / "log"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DUNR_")}
    environment |= {"DUNR_WEBHOOK_SECRETS": WEBHOOK_SECRET, "DUNR_SANDBOX_API_KEY": API_KEY}
    command: list[str | Path] = [DUNR, "serve", "--sandbox", "--clock", "manual", "--port", str(port)]
    command += ["--clock-start", "2026-06-23T10:00:00Z"]
    with log.open("wb") as stream:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=stream)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, verify=False) as http:
            until(lambda: answers(http))
            yield http, log
    finally:
        process.terminate()
        process.wait(timeout=30)


def answers(http: httpx.Client) -> bool:
    try:
        return http.get("/readyz").status_code == 200
    except httpx.HTTPError:
        return False


def test_the_log_of_a_whole_case(tmp_path: Path) -> None:
    with serving(tmp_path) as (http, log):
        card = {"id": "pm_1"}
        assert http.put("/sandbox/cards/pm_1/script", json=["decline:insufficient_funds", "succeed"]).status_code == 200
        body = {"invoice": "in_1", "subscription": "sub_1", "decline": "insufficient_funds", "card": card}
        body |= {"customer": {"id": "cus_1", "email": EMAIL, "name": NAME}}
        assert http.post("/sandbox/failures", json=body).status_code == 201
        for _ in range(2):
            http.post("/v1/test/clock/advance", json={"seconds": 6 * 86_400})
        held = http.post("/v1/cases/in_1/hold", json={"why": "x"}, headers={"x-request-id": "from-a-proxy-7"})
        assert held.headers["x-request-id"] == "from-a-proxy-7"
        assert http.get("/v1/cases/in_1").json()["state"] == "recovered"
    text = log.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert all({"event", "level", "timestamp"} <= line.keys() for line in lines)
    case = "sandbox:acct_sandbox:in_1"
    opened = [line for line in lines if line["event"] == "case_opened"]
    assert [line["case"] for line in opened] == [case]
    answered = [line for line in lines if line["event"] == "attempt_answered"]
    assert [(line["case"], line["attempt"], line["answer"]) for line in answered] == [
        (case, 1, "declined"),
        (case, 2, "paid"),
    ]
    assert all(line["seconds"] >= 0 for line in answered)
    events = [line["event"] for line in lines]
    assert events.count("attempt_sent") == 2
    assert {"webhooks_received", "webhook_settled", "access_changed", "case_changed"} <= set(events)
    assert [
        line for line in lines if line["event"] == "effect_done" and line["kind"] == "Notice" and line["note"] == "sent"
    ]
    for secret in (EMAIL, NAME, "zoe", WEBHOOK_SECRET, WEBHOOK_SECRET[6:], API_KEY, "logtest123"):
        assert secret not in text
