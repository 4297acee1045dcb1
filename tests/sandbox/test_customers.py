"""Cards, customers and subscriptions: how they come, change and go."""

from tests.sandbox.processes import Receiver, SandboxProcess


def test_cards_come_first_in_line_and_go(sandbox: SandboxProcess, receiver: Receiver) -> None:
    sandbox.fail()
    new = {"id": "pm_2", "network": "visa", "last4": "1111", "rail": "sepa", "expires": "2029-01"}
    assert sandbox.control("POST", "/customers/cus_1/card", **new).status_code == 201
    sandbox.control("POST", "/customers/cus_1/card", id="pm_3", make_default=False)
    methods = sandbox.snapshot()["methods"]
    assert isinstance(methods, list)
    assert [method["id"] for method in methods] == ["pm_2", "pm_1", "pm_3"]
    sandbox.http.delete("/sandbox/cards/pm_2")
    assert sandbox.charge("a1", card="pm_2").json()["error"]["code"] == "card_not_found"
    assert sandbox.charge("a1", card="pm_3").status_code == 200
    sandbox.quiet()
    assert receiver.types[1:5] == [
        "payment_method.attached",
        "customer.updated",
        "payment_method.attached",
        "payment_method.detached",
    ]


def test_the_account_updater_hits_or_misses(sandbox: SandboxProcess, receiver: Receiver) -> None:
    sandbox.fail(decline="expired_card")
    missed = sandbox.http.post("/processor/v1/cards/pm_1/refresh").json()
    assert (missed["updated"], missed["card"]["fingerprint"]) == (False, "fp_pm_1")
    sandbox.set(updater="hit")
    answer = sandbox.http.post("/processor/v1/cards/pm_1/refresh").json()
    assert answer["updated"] is True
    assert answer["card"]["fingerprint"] != "fp_pm_1"
    assert sandbox.charge("a1").status_code == 200
    sandbox.quiet()
    assert "payment_method.updated" in receiver.types


def test_customers_and_subscriptions_end_for_good(sandbox: SandboxProcess, receiver: Receiver) -> None:
    sandbox.fail()
    sandbox.fail("in_2", subscription="sub_2")
    sandbox.control("POST", "/subscriptions/sub_2/cancel")
    sandbox.control("POST", "/invoices/in_2/pay")
    assert sandbox.http.get("/processor/v1/subscriptions/sub_2").json() == {
        "subscription": {"id": "sub_2", "status": "ended", "period_end_at": "2026-07-23T10:00:00Z"},
        "customer": "cus_1",
        "invoices": ["in_2"],
    }
    for _ in range(2):
        assert sandbox.http.delete("/sandbox/customers/cus_1").json()["customer"]["deleted"] is True
    assert sandbox.charge("a1").json()["error"]["code"] == "customer_deleted"
    assert sandbox.snapshot()["methods"] == []
    assert sandbox.http.get("/processor/v1/customers/cus_1/invoices").json() == {
        "invoices": [{"id": "in_1", "status": "open"}, {"id": "in_2", "status": "paid"}]
    }
    sandbox.quiet()
    assert receiver.types[2:] == [
        "subscription.deleted",
        "charge.succeeded",
        "invoice.paid",
        "customer.deleted",
        "subscription.deleted",
    ]


def test_customers_and_subscriptions_change(sandbox: SandboxProcess, receiver: Receiver) -> None:
    sandbox.fail()
    sandbox.control("POST", "/customers/cus_1/card", id="pm_2", make_default=False)
    changed = sandbox.control("PATCH", "/customers/cus_1", email="new@example.test", default_card="pm_2").json()
    assert (changed["customer"]["email"], changed["default"]) == ("new@example.test", "pm_2")
    assert sandbox.control("PATCH", "/customers/cus_1", default_card="pm_other").status_code == 422
    sandbox.control("PATCH", "/subscriptions/sub_1", status="unpaid", period_end_at="2026-08-01T00:00:00Z")
    assert sandbox.snapshot()["subscription"] == {
        "id": "sub_1",
        "status": "unpaid",
        "period_end_at": "2026-08-01T00:00:00Z",
    }
    sandbox.quiet()
    assert receiver.types[2:] == ["customer.updated", "subscription.updated"]
