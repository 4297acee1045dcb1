"""The hosted page: what a customer sees and does, without JavaScript."""

import httpx

from tests.sandbox.processes import Receiver, SandboxProcess


def link(sandbox: SandboxProcess, invoice: str | None = "in_1") -> str:
    answer = sandbox.http.post("/processor/v1/customers/cus_1/update_session", json={"invoice": invoice})
    assert answer.status_code == 200, answer.text
    url = str(answer.json()["url"])
    assert url.startswith(f"http://127.0.0.1:{sandbox.port}/sandbox/pay/")
    return url


def test_a_new_card_pays_at_once_and_the_link_is_spent(sandbox: SandboxProcess, receiver: Receiver) -> None:
    sandbox.fail()
    url = link(sandbox)
    page = httpx.get(url)
    assert page.status_code == 200
    assert "Invoice in_1" in page.text
    assert "<script" not in page.text
    assert sandbox.requests() == []  # a mail scanner that looks at the page does nothing
    done = httpx.post(url, data={"card": "visa_good", "action": "pay"})
    assert done.status_code == 200
    assert "payment has been received" in done.text
    assert sandbox.invoice()["status"] == "paid"
    assert [(row["by"], row["captured"]) for row in sandbox.requests()] == [("customer", True)]
    sandbox.quiet()
    assert {"payment_method.attached", "customer.updated", "invoice.paid"} <= set(receiver.types)
    assert httpx.get(url).status_code == 410
    assert httpx.post(url, data={"card": "visa_good", "action": "pay"}).status_code == 410
    assert sandbox.captures() == 1


def test_a_card_that_is_only_saved_becomes_the_default(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    assert httpx.post(link(sandbox), data={"card": "visa_good", "action": "save"}).status_code == 200
    methods = sandbox.snapshot()["methods"]
    assert isinstance(methods, list)
    assert methods[0]["id"] != "pm_1"
    assert sandbox.requests() == []
    assert sandbox.charge("a1", card=methods[0]["id"]).status_code == 200


def test_a_declined_card_leaves_the_link_open_for_another(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    url = link(sandbox)
    declined = httpx.post(url, data={"card": "visa_no_funds", "action": "pay"})
    assert declined.status_code == 402
    assert "another card" in declined.text
    assert httpx.post(url, data={"card": "on_file:pm_1", "action": "pay"}).status_code == 402
    assert httpx.post(url, data={"card": "mastercard_good", "action": "pay"}).status_code == 200
    assert sandbox.captures() == 1
    methods = sandbox.snapshot()["methods"]
    assert isinstance(methods, list)
    assert [method["last4"] for method in methods] == ["4444", "4242"]


def test_a_customer_who_is_present_confirms_with_the_bank(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    sandbox.script("requires_action")
    assert sandbox.charge("a1").status_code == 402
    assert httpx.post(link(sandbox), data={"card": "on_file:pm_1", "action": "pay"}).status_code == 200
    assert sandbox.captures() == 1


def test_links_end_and_nonsense_changes_nothing(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    url = link(sandbox)
    for nonsense in ({}, {"card": "visa_good"}, {"card": "4111111111111111", "action": "pay"}, {"action": "pay"}):
        assert httpx.post(url, data=nonsense).status_code == 422
    sandbox.to("2026-06-23T10:30:00Z")
    assert httpx.get(url).status_code == 410
    assert httpx.get(url + "x").status_code == 404
    other = sandbox.http.post("/processor/v1/customers/cus_1/update_session", json={"invoice": "in_other"})
    assert other.status_code == 400
    methods = sandbox.snapshot()["methods"]
    assert isinstance(methods, list)
    assert len(methods) == 1
