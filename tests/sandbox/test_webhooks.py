"""Deliveries: signed, tried again, written down, and never in the way of the receiver."""

import hashlib
import hmac
import json
import threading
import time
from pathlib import Path

import pytest

from tests.sandbox.processes import SECRETS, Received, Receiver, SandboxProcess


def marks_of(signature: str | None) -> tuple[int, list[str]]:
    assert signature is not None
    timestamp, *marks = signature.split(",")
    return int(timestamp.removeprefix("t=")), [mark.removeprefix("v1=") for mark in marks]


def test_the_raw_body_is_signed_with_each_secret_at_the_sandbox_s_time(
    sandbox: SandboxProcess, receiver: Receiver
) -> None:
    made = sandbox.fail()
    sandbox.quiet()
    (received,) = receiver.received
    timestamp, marks = marks_of(received.signature)
    assert timestamp == 1782208800  # 2026-06-23T10:00:00Z
    signed = f"{timestamp}.".encode() + received.body
    assert marks == [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in SECRETS]
    assert json.loads(received.body) == {
        "id": made["event"],
        "type": "invoice.payment_failed",
        "created": 1782208800,
        "account": "acct_sandbox",
        "live": False,
        "data": {"invoice": "in_1", "subscription": "sub_1", "customer": "cus_1", "charge": made["charge"]},
    }


def test_a_refused_delivery_is_tried_again_with_growing_waits_for_three_days(
    sandbox: SandboxProcess, receiver: Receiver
) -> None:
    receiver.answer = lambda _: 503
    sandbox.fail()
    sandbox.quiet()
    assert sandbox.http.get("/sandbox/clock").json()["next_due_at"] == "2026-06-23T10:01:00Z"
    moved = sandbox.to("2026-06-30T10:00:00Z")
    assert moved["next_due_at"] is None
    tries = sandbox.deliveries()
    assert [row["sent_at"] for row in tries[:6]] == [
        "2026-06-23T10:00:00Z",
        "2026-06-23T10:01:00Z",
        "2026-06-23T10:06:00Z",
        "2026-06-23T10:36:00Z",
        "2026-06-23T12:36:00Z",
        "2026-06-23T18:36:00Z",
    ]
    assert {row["response_status"] for row in tries} == {503}
    assert str(tries[-1]["sent_at"]) <= "2026-06-26T10:00:00Z"
    assert len({received.body for received in receiver.received}) == 1
    assert len({received.signature for received in receiver.received}) == len(tries)


def test_a_receiver_that_is_not_there_is_written_down(tmp_path: Path) -> None:
    sandbox = SandboxProcess(tmp_path, "http://127.0.0.1:9/nobody")
    sandbox.fail()
    sandbox.quiet()
    first, second = sandbox.deliveries()
    assert (first["status"], first["response_status"], second["status"]) == ("failed", None, "waiting")
    assert "ConnectError" in str(first["error"])
    sandbox.close()


def test_drop_duplicate_delay_and_reorder(sandbox: SandboxProcess, receiver: Receiver) -> None:
    sandbox.set(drop_webhooks=True)
    dropped = sandbox.fail("in_dropped")
    sandbox.quiet()
    assert receiver.received == []
    assert [row["status"] for row in sandbox.deliveries()] == ["dropped"]
    assert sandbox.control("POST", f"/webhooks/{dropped['event']}/resend").json()["sent"] == 1
    assert len(receiver.received) == 1

    sandbox.set(drop_webhooks=False, duplicate_webhooks=2)
    sandbox.fail("in_three")
    sandbox.quiet()
    assert len(receiver.received) == 4

    sandbox.set(duplicate_webhooks=0, delay_webhooks_seconds=90)
    sandbox.fail("in_late")
    sandbox.quiet()
    assert len(receiver.received) == 4
    assert sandbox.to("2026-06-23T10:01:29Z")["next_due_at"] == "2026-06-23T10:01:30Z"
    sandbox.to("2026-06-23T10:01:30Z")
    assert len(receiver.received) == 5

    sandbox.set(delay_webhooks_seconds=0, reorder_webhooks=True)
    sandbox.fail("in_swapped")
    sandbox.control("POST", "/invoices/in_swapped/void")
    sandbox.quiet()
    assert receiver.types[5:] == ["invoice.voided", "invoice.payment_failed"]


def test_one_event_twenty_times_at_once(sandbox: SandboxProcess, receiver: Receiver) -> None:
    made = sandbox.fail()
    sandbox.quiet()
    sent = sandbox.control("POST", f"/webhooks/{made['event']}/resend", times=20, concurrently=True).json()
    assert [answer["status"] for answer in sent["answers"]] == [200] * 20
    assert len(receiver.received) == 21
    assert len({received.body for received in receiver.received}) == 1
    assert len(sandbox.deliveries(event=str(made["event"]))) == 21


def test_events_that_no_processor_would_send(sandbox: SandboxProcess, receiver: Receiver) -> None:
    def send(**odd: object) -> tuple[Received, dict[str, object]]:
        answer = sandbox.control("POST", "/webhooks/send", **odd)
        assert answer.status_code == 200, answer.text
        return receiver.received[-1], answer.json()

    raw, _ = send(raw='{ "b": 1.0, "a": "\\/ë" }\n')
    assert raw.body == '{ "b": 1.0, "a": "\\/ë" }\n'.encode()
    assert marks_of(raw.signature)[1][0] == hmac.new(b"whsec_old", b"1782208800." + raw.body, "sha256").hexdigest()

    odd, _ = send(type="charge.strange", data={"invoice": 7}, live=True, account="acct_other", created=12)
    told = json.loads(odd.body)
    assert (told["live"], told["account"], told["created"], told["data"]) == (True, "acct_other", 12, {"invoice": 7})

    late, _ = send(signed_offset_seconds=-301)
    assert marks_of(late.signature)[0] == 1782208800 - 301
    assert len(marks_of(send(secrets=["only"])[0].signature)[1]) == 1
    assert send(signature="t=1,v0=00")[0].signature == "t=1,v0=00"
    assert send(signature="")[0].signature is None

    first, second = send(id="evt_same", data={"invoice": "in_a"})[1], send(id="evt_same", data={"invoice": "in_b"})[1]
    assert [json.loads(received.body)["id"] for received in receiver.received[-2:]] == ["evt_same"] * 2
    assert first["event"] == "evt_same" != second["event"]

    receiver.answer = lambda _: 400
    assert send(raw="nonsense")[1]["answers"] == [{"status": 400, "body": "", "error": None}]
    assert sandbox.http.get("/sandbox/clock").json()["next_due_at"] is None


@pytest.mark.parametrize("by_advance", [False, True])
def test_a_receiver_may_call_the_processor_while_it_answers(
    sandbox: SandboxProcess, receiver: Receiver, by_advance: bool
) -> None:
    """An engine that charges before it answers a webhook must not stop the processor."""
    sandbox.script("decline:insufficient_funds", "succeed")
    sandbox.set(delay_webhooks_seconds=60 if by_advance else 0)
    charged: list[int] = []

    def answer(received: Received) -> int:
        if received.type == "invoice.payment_failed" and len(charged) < 2:
            sandbox.snapshot()
            charged.append(sandbox.charge(f"a{len(charged)}").status_code)
        return 200

    receiver.answer = answer
    started = time.monotonic()
    sandbox.fail()
    if by_advance:
        sandbox.to("2026-06-23T10:05:00Z")
    sandbox.quiet()
    assert charged == [402, 200]
    assert sandbox.captures() == 1
    assert time.monotonic() - started < 5


def test_a_frozen_receiver_delays_no_result(real_time: SandboxProcess, receiver: Receiver) -> None:
    thaw = threading.Event()
    receiver.answer = lambda _: 200 if thaw.wait(20) else 500
    real_time.script("hang:0.3:succeed")
    real_time.fail()
    assert real_time.charge("a1").status_code == 200
    assert {row["status"] for row in real_time.deliveries()} == {"waiting"}
    thaw.set()
    real_time.quiet()
    assert receiver.types[1:3] == ["charge.succeeded", "invoice.paid"]


def test_a_receiver_that_never_answers_is_given_up_and_tried_again(
    real_time: SandboxProcess, receiver: Receiver
) -> None:
    thaw = threading.Event()
    receiver.answer = lambda _: 200 if thaw.wait(20) else 500
    real_time.set(webhook_timeout_seconds=1, webhook_backoff_seconds=[0])
    real_time.fail()
    give_up = time.monotonic() + 10
    while real_time.deliveries()[0]["status"] != "failed":
        assert time.monotonic() < give_up
        time.sleep(0.05)
    thaw.set()
    real_time.quiet()
    assert "ReadTimeout" in str(real_time.deliveries()[0]["error"])
    assert real_time.deliveries()[-1]["status"] == "delivered"
