"""Charge requests over HTTP: keys, refusals, declines, and answers that never come."""

import httpx
import pytest

from tests.sandbox.processes import Receiver, SandboxProcess


def error_of(answer: httpx.Response) -> tuple[int, str, str]:
    error = answer.json()["error"]
    return answer.status_code, error["type"], error["code"]


def test_a_success_pays_the_invoice_once_and_is_replayed_to_the_byte(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    first = sandbox.charge("a1")
    again = sandbox.charge("a1")
    assert first.status_code == again.status_code == 200
    assert first.content == again.content
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert sandbox.outcomes() == ["succeeded", "replayed"]
    assert sandbox.captures() == 1
    assert sandbox.invoice()["status"] == "paid"
    assert sandbox.invoice()["amount_due_minor"] == 0


def test_a_decline_is_replayed_too_and_a_new_key_is_a_new_try(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("decline:insufficient_funds", "succeed")
    declined = sandbox.charge("a1")
    assert error_of(declined) == (402, "card_error", "card_declined")
    assert declined.json()["error"]["decline_code"] == "insufficient_funds"
    assert declined.json()["charge"]["status"] == "declined"
    assert declined.json()["error"]["charge"] == declined.json()["charge"]["id"]
    assert sandbox.charge("a1").content == declined.content
    assert sandbox.charge("a2").status_code == 200
    assert sandbox.outcomes() == ["declined", "replayed", "succeeded"]


def test_the_last_outcome_repeats_and_a_failed_card_goes_on_failing(sandbox: SandboxProcess) -> None:
    sandbox.fail(decline="do_not_honor")
    for number in range(3):
        assert sandbox.charge(f"a{number}").json()["error"]["decline_code"] == "do_not_honor"


def test_a_key_with_another_body_is_an_error_and_charges_nothing(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("decline:insufficient_funds")
    sandbox.charge("a1")
    assert error_of(sandbox.charge("a1", amount_minor=3900)) == (400, "idempotency_error", "idempotency_key_reused")
    assert sandbox.outcomes() == ["declined", "error:400:idempotency_key_reused"]


def test_a_paid_invoice_is_refused_under_a_new_key(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    sandbox.charge("a1")
    assert error_of(sandbox.charge("a2")) == (400, "invalid_request_error", "invoice_not_payable")
    assert sandbox.captures() == 1


def test_after_its_life_a_key_is_a_new_request(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("succeed_partly:1000")
    sandbox.charge("a1")
    sandbox.to("2026-06-24T09:59:59Z")
    assert sandbox.charge("a1").headers["idempotent-replayed"] == "true"
    sandbox.to("2026-06-24T10:00:00Z")
    assert error_of(sandbox.charge("a1"))[2] == "amount_too_large"
    assert sandbox.charge("a1", amount_minor=3900).status_code == 200
    assert sandbox.captures() == 2


def test_what_is_refused_before_it_begins_keeps_no_key(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    refusals = [
        (sandbox.charge("a1", amount_minor=4901), 400, "amount_too_large"),
        (sandbox.charge("a1", amount_minor=49), 400, "amount_too_small"),
        (sandbox.charge("a1", amount_minor=0), 400, "parameter_invalid"),
        (sandbox.charge("a1", currency="eur"), 400, "currency_mismatch"),
        (sandbox.charge("a1", card="pm_other"), 400, "card_not_found"),
        (sandbox.charge("a1", invoice="in_none"), 404, "not_found"),
    ]
    for answer, status, code in refusals:
        assert error_of(answer) == (status, "invalid_request_error", code)
    assert sandbox.outcomes() == [f"error:{status}:{code}" for _, status, code in refusals[:5]]
    assert sandbox.outcomes("in_none") == ["error:404:not_found"]
    assert sandbox.charge("a1").status_code == 200


def test_scripted_errors_replay_only_where_the_request_had_begun(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script(
        "error:429:lock_timeout", "error:429", "not_found", "error:400:odd", "refuse:503", "error:500", "succeed"
    )
    for expected in (
        (429, "rate_limit_error", "lock_timeout"),
        (429, "rate_limit_error", "rate_limit"),
        (404, "invalid_request_error", "not_found"),
        (400, "invalid_request_error", "odd"),
        (503, "api_error", "api_error"),
        (500, "api_error", "api_error"),
        (500, "api_error", "api_error"),
    ):
        assert error_of(sandbox.charge("a1")) == expected
    assert sandbox.outcomes()[-2:] == ["error:500:api_error", "replayed"]
    assert sandbox.captures() == 0
    assert sandbox.charge("a2").status_code == 200


def test_a_part_payment_leaves_the_rest_due(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("succeed_partly:1000", "succeed")
    assert sandbox.charge("a1").json()["charge"]["amount_minor"] == 1000
    assert sandbox.invoice()["amount_due_minor"] == 3900
    assert sandbox.invoice()["status"] == "open"
    assert sandbox.charge("a2", amount_minor=3900).status_code == 200
    assert sandbox.invoice()["status"] == "paid"


def test_on_the_manual_clock_a_hang_drops_the_line_and_comes_true_later(
    sandbox: SandboxProcess, receiver: Receiver
) -> None:
    sandbox.fail()
    sandbox.script("hang:45:succeed")
    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.charge("a2")
    assert sandbox.found("a2") == []
    assert error_of(sandbox.charge("a2")) == (409, "idempotency_error", "idempotency_key_in_use")
    assert sandbox.captures() == 0
    assert sandbox.http.get("/sandbox/clock").json()["next_due_at"] == "2026-06-23T10:00:45Z"
    moved = sandbox.to("2026-06-23T10:05:00Z")
    assert moved["undelivered"] == 0
    assert [charge["at"] for charge in sandbox.found("a2")] == ["2026-06-23T10:00:45Z"]
    assert sandbox.charge("a2").headers["idempotent-replayed"] == "true"
    assert sandbox.captures() == 1
    assert receiver.types[-3:] == ["charge.succeeded", "invoice.paid", "subscription.updated"]


def test_two_channels_can_both_collect_and_the_witness_says_so(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("hang:20:succeed")
    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.charge("a1")
    assert sandbox.control("POST", "/invoices/in_1/pay").status_code == 200
    sandbox.to("2026-06-23T10:01:00Z")
    assert sandbox.captures() == 2
    assert [row["by"] for row in sandbox.requests()] == ["api", "customer"]


def test_a_lost_answer_and_a_broken_one_have_moved_the_money(sandbox: SandboxProcess) -> None:
    sandbox.fail("in_lost")
    sandbox.script("lost:succeed", "broken:succeed", "slow:0.2:succeed")
    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.charge("l1", "in_lost")
    assert sandbox.charge("l1", "in_lost").status_code == 200
    sandbox.fail("in_broken")
    assert sandbox.charge("b1", "in_broken").status_code == 500
    assert [charge["status"] for charge in sandbox.found("b1")] == ["succeeded"]
    sandbox.fail("in_slow")
    assert sandbox.charge("s1", "in_slow").status_code == 200
    assert [sandbox.captures(name) for name in ("in_lost", "in_broken", "in_slow")] == [1, 1, 1]


def test_pending_money_settles_or_fails_days_later(sandbox: SandboxProcess, receiver: Receiver) -> None:
    sandbox.fail("in_good")
    sandbox.fail("in_bad")
    sandbox.script("pending:settle", "pending:fail:account_closed")
    for invoice in ("in_good", "in_bad"):
        answer = sandbox.charge(f"{invoice}-a1", invoice)
        assert (answer.status_code, answer.json()["charge"]["status"]) == (200, "pending")
        assert sandbox.captures(invoice) == 0
    sandbox.to("2026-06-26T10:00:00Z")
    assert sandbox.captures("in_good") == 1
    assert sandbox.found("in_good-a1")[0]["settled_at"] == "2026-06-26T10:00:00Z"
    failed = sandbox.found("in_bad-a1")[0]
    assert failed["status"] == "declined"
    assert isinstance(failed["decline"], dict)
    assert failed["decline"]["decline_code"] == "account_closed"
    assert {"charge.pending", "charge.succeeded", "invoice.paid", "charge.failed"} <= set(receiver.types)


def test_an_intent_is_cancelled_or_has_succeeded_meanwhile(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("requires_action")
    asked = sandbox.charge("a1")
    assert error_of(asked) == (402, "card_error", "authentication_required")
    assert asked.json()["error"]["decline_code"] == "authentication_required"
    first, second = asked.json()["intent"], sandbox.charge("a2").json()["intent"]
    cancel = "/processor/v1/intents/{}/cancel"
    assert sandbox.http.post(cancel.format(first)).json() == {"intent": {"id": first, "status": "cancelled"}}
    assert sandbox.control("POST", f"/intents/{first}/confirm").status_code == 409
    assert sandbox.control("POST", f"/intents/{second}/confirm").status_code == 200
    assert sandbox.http.post(cancel.format(second)).json() == {"intent": {"id": second, "status": "succeeded"}}
    assert sandbox.captures() == 1
    assert sandbox.http.post(cancel.format("pi_none")).status_code == 404


def test_a_wrong_or_revoked_key_gets_nothing_and_is_noted(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    stranger = {"authorization": "Bearer sk_wrong"}
    seen = sandbox.http.get("/processor/v1/account", headers=stranger)
    assert error_of(seen) == (401, "authentication_error", "api_key_revoked")
    sandbox.set(api_key_revoked=True)
    assert sandbox.charge("a1").status_code == 401
    sandbox.set(api_key_revoked=False)
    assert sandbox.charge("a1").status_code == 200
    assert sandbox.outcomes() == ["error:401:api_key_revoked", "succeeded"]


def test_the_rate_limit_refuses_and_keeps_no_key(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    sandbox.set(rate_limit_per_second=1)
    first = sandbox.http.get("/processor/v1/account").status_code
    assert (first, error_of(sandbox.charge("a1"))[2]) == (200, "rate_limit")
    sandbox.set(rate_limit_per_second=None)
    assert sandbox.charge("a1").status_code == 200


def test_look_ups_and_snapshots_fail_when_told(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.set(lookups_failing=True)
    assert sandbox.http.get("/processor/v1/charges?invoice=in_1").status_code == 503
    assert sandbox.http.get("/processor/v1/charges/recent").status_code == 503
    assert sandbox.snapshot()
    sandbox.set(lookups_failing=False, snapshots_failing=True, settle_after_seconds=5)
    assert sandbox.http.get("/processor/v1/charges?invoice=in_1").json()["settle_after_seconds"] == 5
    assert sandbox.http.get("/processor/v1/invoices/in_1/snapshot").status_code == 503
    sandbox.set(snapshots_failing=False, lookups_hang_seconds=70)
    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.found("a1")
    sandbox.set(clock_offset_seconds=420)
    assert sandbox.snapshot()["taken_at"] == "2026-06-23T10:07:00Z"


def test_on_the_real_clock_look_ups_and_snapshots_take_their_time(real_time: SandboxProcess) -> None:
    real_time.fail()
    real_time.set(lookups_hang_seconds=1, snapshots_hang_seconds=1)
    for path in ("charges?invoice=in_1", "invoices/in_1/snapshot"):
        with pytest.raises(httpx.ReadTimeout):
            real_time.http.get(f"/processor/v1/{path}", timeout=0.5)
    assert real_time.charge("a1").status_code == 402
    assert real_time.snapshot()
