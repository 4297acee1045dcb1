"""C03: the customer pays by a hosted link while the engine retries: one debt, two ways to collect it."""

import re

from tests.cases.rehearsal import Rehearsal


def test_an_invoice_that_the_processor_shows_paid_is_not_charged_though_its_webhook_is_late(world: Rehearsal) -> None:
    world.fail("in_3a")
    world.fail("in_3b", card="card_2", customer={"id": "cus_2", "email": "bo@example.com", "timezone": "UTC"})
    world.script("card_1", "succeed")
    world.script("card_2", "succeed")
    world.set(delay_webhooks_seconds=30)

    world.advance("2026-06-24T08:59:50Z")
    world.tell("/sandbox/invoices/in_3a/pay")
    world.tell("/sandbox/invoices/in_3b/pay", {"amount_minor": 1000})
    assert world.case("in_3a")["state"] == "scheduled", "nobody has told us yet"
    world.advance("2026-06-24T09:00:00Z")

    assert world.requests("in_3a") == []
    assert world.case("in_3a")["state"] == "recovered"
    assert world.access("sub_in_3a") == "granted"
    assert [request["amount_minor"] for request in world.requests("in_3b")] == [3900], (
        "a part was paid: the rest is asked for"
    )
    world.advance("2026-07-20T00:00:00Z")

    assert (world.captures("in_3a"), world.captures("in_3b")) == (1, 2)
    assert world.requests("in_3a") == []
    assert world.balance("in_3a") == {"receivable": 0, "billed": -4900, "processor": 4900}
    assert world.balance("in_3b") == {"receivable": 0, "billed": -4900, "processor": 4900}
    assert [mail["kind"] for mail in world.mails() if mail["to"] == "ada@example.com"] == ["first"]
    assert world.alerts("overpaid") == []


def test_two_payments_that_both_went_through_are_seen_booked_as_overpaid_and_alerted(world: Rehearsal) -> None:
    world.fail("in_3c")
    world.fail("in_3d", card="card_2", customer={"id": "cus_2", "email": "bo@example.com", "timezone": "UTC"})
    world.script("card_1", "hang:20:succeed")
    world.script("card_2", "hang:20:decline:insufficient_funds")

    (mail,) = (mail for mail in world.mails() if mail["to"] == "ada@example.com")
    link = our_link(mail["text"])
    assert world.http.post(f"{link}/update").status_code == 303, "on to the processor's page"
    world.advance("2026-06-24T09:00:00Z")
    for closed in (f"{link}/pay-now", f"{link}/update", "/v1/cases/in_3c/pay-now"):
        assert world.http.post(closed).status_code == 409, "our own link is closed while an attempt is under way"
    world.advance("2026-06-24T09:00:05Z")
    paid = [world.tell(f"/sandbox/invoices/{invoice}/pay")["charge"] for invoice in ("in_3c", "in_3d")]
    assert [world.case(invoice)["state"] for invoice in ("in_3c", "in_3d")] == ["recovered", "recovered"]
    world.advance("2026-06-24T12:00:00Z")

    assert (world.captures("in_3c"), world.captures("in_3d")) == (2, 1)
    assert len(world.requests("in_3c")) == len(world.requests("in_3d")) == 1
    twice, once = world.case("in_3c"), world.case("in_3d")
    assert (twice["state"], twice["overpaid_minor"]) == ("recovered", 4900)
    assert (once["state"], once["overpaid_minor"]) == ("recovered", 0)
    assert once["attempts"][1]["outcome"] == "declined"
    assert world.balance("in_3c") == {"receivable": 0, "billed": -4900, "processor": 9800, "overpayments": -4900}
    assert world.balance("in_3d") == {"receivable": 0, "billed": -4900, "processor": 4900}
    assert [alert["case"].rpartition(":")[2] for alert in world.alerts("overpaid")] == ["in_3c"]
    assert [mail["kind"] for mail in world.mails()].count("reminder") == 0, "a late decline un-pays nothing"

    # A person sends back what was too much.
    world.tell(f"/sandbox/charges/{paid[0]['id']}/refund")
    world.advance("2026-07-20T00:00:00Z")
    assert world.case("in_3c")["state"] == "recovered"
    assert world.balance("in_3c") == {"receivable": 0, "billed": -4900, "processor": 4900, "overpayments": 0}
    assert len(world.requests("in_3c")) == len(world.requests("in_3d")) == 1


def our_link(text: str) -> str:
    """The path of the link in a mail."""
    found = re.search(r"https?://[^/\s]+(/pay/[^\s<>\"]+)", text)
    assert found is not None
    return found[1]
