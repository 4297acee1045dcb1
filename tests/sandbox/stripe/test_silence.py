"""Answers that are errors, late, lost or never come, and what they leave behind."""

import threading
import time

import pytest
from stripe import APIConnectionError, APIError, Invoice, RateLimitError

from tests.sandbox.stripe.conftest import StripeSandbox, said


def pay(sandbox: StripeSandbox, key: str = "k1", method: str = "pm_1", invoice: str = "in_1") -> Invoice:
    return sandbox.stripe.v1.invoices.pay(
        invoice, {"payment_method": method, "off_session": True}, {"idempotency_key": key}
    )


@pytest.mark.parametrize(("script", "code"), [("error:429:lock_timeout", "lock_timeout"), ("refuse:429", "rate_limit")])
def test_a_refusal_before_the_charge_leaves_the_key_free(sandbox: StripeSandbox, script: str, code: str) -> None:
    sandbox.fail()
    sandbox.script(script, "succeed")
    with pytest.raises(RateLimitError) as refused:
        pay(sandbox)
    assert said(refused.value)["code"] == code
    assert refused.value.headers is not None
    assert refused.value.headers["stripe-should-retry"] == "true"
    assert pay(sandbox).status == "paid"


def test_a_5xx_is_kept_and_one_that_was_refused_early_is_not(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("error:500", "refuse:503", "succeed")
    for key, status in (("k1", 500), ("k1", 500), ("k2", 503)):
        with pytest.raises(APIError) as error:
            pay(sandbox, key)
        assert error.value.http_status == status
    assert pay(sandbox, "k2").status == "paid"


def test_a_5xx_after_the_charge_was_made_hides_a_capture(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("broken:succeed")
    with pytest.raises(APIError):
        pay(sandbox)
    assert sandbox.captures() == 1
    assert sandbox.stripe.v1.invoices.retrieve("in_1").status == "paid"


def test_a_lost_answer_is_found_under_its_key(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("lost:succeed")
    with pytest.raises(APIConnectionError):
        pay(sandbox)
    assert pay(sandbox).status == "paid"
    assert sandbox.captures() == 1
    assert sandbox.outcomes()[-2:] == ["succeeded", "replayed"]


def test_a_hung_request_locks_its_invoice_until_it_is_booked(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("hang:600:succeed")
    with pytest.raises(APIConnectionError):
        pay(sandbox)
    with pytest.raises(APIError) as running:
        pay(sandbox)
    assert (running.value.http_status, said(running.value)["code"]) == (409, "idempotency_key_in_use")
    with pytest.raises(RateLimitError) as locked:
        pay(sandbox, "k2")
    assert said(locked.value)["code"] == "lock_timeout"
    sandbox.to("2026-06-23T10:10:00Z")
    assert pay(sandbox).status == "paid"
    assert sandbox.captures() == 1


@pytest.mark.parametrize(("script", "first"), [("hang:1:succeed", "answer"), ("slow:1:succeed", "webhook")])
def test_in_real_time_a_slow_answer_comes_and_who_waits_gets_it(
    real_time: StripeSandbox, script: str, first: str
) -> None:
    real_time.fail()
    real_time.script(script)
    answers: list[str | None] = []
    caller = threading.Thread(target=lambda: answers.append(pay(real_time).status))
    begun = time.monotonic()
    caller.start()
    time.sleep(0.5)
    captured = real_time.captures()
    caller.join()
    assert time.monotonic() - begun >= 1.0
    assert answers == ["paid"]
    assert captured == (1 if first == "webhook" else 0)
