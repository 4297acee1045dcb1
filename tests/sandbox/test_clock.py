"""The manual clock: from one due instant to the next, never past one, never back."""

from tests.sandbox.processes import Receiver, SandboxProcess


def test_everything_happens_at_its_own_instant_and_in_order(sandbox: SandboxProcess, receiver: Receiver) -> None:
    sandbox.set(retries_by_itself=True, own_retry_seconds=180, delay_webhooks_seconds=30)
    sandbox.script("decline:insufficient_funds", "succeed")
    sandbox.fail()
    assert sandbox.snapshot()["next_attempt_at"] == "2026-06-23T10:03:00Z"
    moved = sandbox.to("2026-06-23T10:20:00Z")
    assert moved == {"mode": "manual", "now": "2026-06-23T10:20:00Z", "next_due_at": None, "undelivered": 0}
    assert [row["sent_at"] for row in sandbox.deliveries()] == [
        "2026-06-23T10:00:30Z",
        "2026-06-23T10:03:30Z",
        "2026-06-23T10:03:30Z",
        "2026-06-23T10:06:30Z",
        "2026-06-23T10:06:30Z",
        "2026-06-23T10:06:30Z",
    ]
    assert receiver.types[3:] == ["charge.succeeded", "invoice.paid", "subscription.updated"]
    assert [(row["by"], row["outcome"], row["at"]) for row in sandbox.requests()] == [
        ("processor", "declined", "2026-06-23T10:03:00Z"),
        ("processor", "succeeded", "2026-06-23T10:06:00Z"),
    ]


def test_it_stands_still_and_does_not_go_back(sandbox: SandboxProcess) -> None:
    assert sandbox.to("2026-06-23T10:00:00Z")["now"] == "2026-06-23T10:00:00Z"
    assert sandbox.to("2026-06-23T12:00:00+02:00")["now"] == "2026-06-23T10:00:00Z"
    answer = sandbox.control("POST", "/clock", to="2026-06-23T09:59:59Z")
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "application/problem+json"
    assert "cannot go back" in answer.json()["detail"]
    for nonsense in ("tomorrow", "2026-06-23T10:00:00", ""):
        assert sandbox.control("POST", "/clock", to=nonsense).status_code == 422


def test_the_system_clock_cannot_be_moved(real_time: SandboxProcess) -> None:
    assert real_time.control("POST", "/clock", to="2099-01-01T00:00:00Z").status_code == 409
    assert real_time.http.get("/sandbox/clock").json()["mode"] == "system"


def test_own_retries_stop_when_told_or_paid(sandbox: SandboxProcess) -> None:
    sandbox.fail("in_1")
    sandbox.fail("in_2")
    sandbox.set(retries_by_itself=True)
    assert sandbox.snapshot("in_1")["next_attempt_at"] == "2026-06-26T10:00:00Z"
    sandbox.control("POST", "/invoices/in_1/pay")
    assert sandbox.snapshot("in_1")["next_attempt_at"] is None
    sandbox.set(retries_by_itself=False)
    assert sandbox.snapshot("in_2")["next_attempt_at"] is None
    assert sandbox.to("2026-07-23T10:00:00Z")["next_due_at"] is None
    assert sandbox.requests("in_2") == []
