"""Parallel callers, callers that hang up, and kills: one capture, and nothing forgotten."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.sandbox.processes import Receiver, SandboxProcess


def until(true: Callable[[], bool], seconds: float = 10.0) -> None:
    give_up = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up, "it never came true"
        time.sleep(0.02)


def test_twenty_callers_with_one_key_capture_once(real_time: SandboxProcess) -> None:
    real_time.fail()
    real_time.script("succeed")
    with ThreadPoolExecutor(20) as callers:
        answers = list(callers.map(lambda _: real_time.charge("a1"), range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert sum("idempotent-replayed" in answer.headers for answer in answers) == 19
    assert real_time.captures() == 1


def test_twenty_callers_with_twenty_keys_capture_once(real_time: SandboxProcess) -> None:
    real_time.fail()
    real_time.script("succeed")
    with ThreadPoolExecutor(20) as callers:
        answers = list(callers.map(lambda n: real_time.charge(f"a{n}"), range(20)))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 19
    assert real_time.captures() == 1
    assert len(real_time.requests()) == 20


def test_a_hanging_request_does_not_hold_up_twenty_others(real_time: SandboxProcess) -> None:
    for number in range(24):
        real_time.fail(f"in_{number}")
    real_time.script("hang:1:succeed")
    started = time.monotonic()
    with ThreadPoolExecutor(24) as callers:
        answers = list(callers.map(lambda n: real_time.charge(f"k{n}", f"in_{n}"), range(24)))
    assert {answer.status_code for answer in answers} == {200}
    assert time.monotonic() - started < 8
    assert all(real_time.captures(f"in_{number}") == 1 for number in range(24))


def hang_up(sandbox: SandboxProcess) -> None:
    """Ask, and be gone before the answer; the processor has begun by then."""
    with pytest.raises(httpx.ReadTimeout):
        sandbox.http.post(
            "/processor/v1/invoices/in_1/charge",
            json={"amount_minor": 4900, "currency": "usd", "card": "pm_1"},
            headers={"idempotency-key": "a1"},
            timeout=0.2,
        )
    until(lambda: sandbox.outcomes() == ["hung"])


def test_a_caller_that_hangs_up_is_charged_all_the_same(real_time: SandboxProcess) -> None:
    real_time.fail()
    real_time.script("hang:2:succeed")
    hang_up(real_time)
    assert real_time.charge("a1").status_code == 409
    assert real_time.found("a1") == []
    until(lambda: real_time.captures() == 1)
    assert real_time.charge("a1").headers["idempotent-replayed"] == "true"


def test_a_killed_processor_still_books_what_it_had_begun(real_time: SandboxProcess, receiver: Receiver) -> None:
    real_time.fail()
    real_time.script("hang:1.5:succeed")
    hang_up(real_time)
    assert real_time.captures() == 0
    real_time.kill()
    real_time.start()
    until(lambda: real_time.captures() == 1)
    until(lambda: "invoice.paid" in receiver.types)
    assert real_time.charge("a1").headers["idempotent-replayed"] == "true"


def test_kills_at_any_moment_leave_one_capture_for_each_key(real_time: SandboxProcess) -> None:
    real_time.script("succeed")
    for number in range(5):
        real_time.fail(f"in_{number}")

        def ask(caller: int, invoice: str = f"in_{number}") -> None:
            with suppress(httpx.TransportError):  # the line is dead: that is what is tested
                real_time.charge(f"{invoice}-a{caller % 3}", invoice)

        with ThreadPoolExecutor(6) as callers:
            for caller in range(12):
                callers.submit(ask, caller)
            time.sleep(0.004 * number)
            real_time.kill()
        real_time.start()
        for again in range(3):
            real_time.charge(f"in_{number}-a{again}", f"in_{number}")
        assert real_time.captures(f"in_{number}") == 1


def test_webhooks_that_were_not_sent_before_a_kill_are_sent_after_it(tmp_path: Path, receiver: Receiver) -> None:
    receiver.answer = lambda _: 500
    sandbox = SandboxProcess(tmp_path, receiver.url)
    sandbox.fail()
    sandbox.quiet()
    sandbox.kill()
    receiver.answer = lambda _: 200
    sandbox.start()
    assert sandbox.http.get("/sandbox/clock").json()["now"] == "2026-06-23T10:00:00Z"
    sandbox.to("2026-06-23T10:01:00Z")
    assert [row["status"] for row in sandbox.deliveries()] == ["failed", "delivered"]
    sandbox.close()
