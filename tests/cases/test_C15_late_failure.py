"""C15: the notice of a failure arrives long after the success; it belongs to the try that failed, and un-pays nothing."""

from tests.cases.rehearsal import Rehearsal, payer


def test_a_failure_that_is_told_after_the_invoice_was_paid_opens_nothing(world: Rehearsal) -> None:
    world.set(delay_webhooks_seconds=2400)
    world.fail("in_15")
    world.set(delay_webhooks_seconds=0)
    world.advance("2026-06-23T10:02:00Z")
    world.tell("/sandbox/invoices/in_15/pay")
    assert world.find("in_15") is None
    world.advance("2026-06-23T10:41:00Z")

    failed = world.psp.get("/sandbox/webhooks", params={"type": "invoice.payment_failed"}).json()
    assert [(row["sent_at"][:19], row["response_status"]) for row in failed] == [("2026-06-23T10:40:00", 200)]
    world.advance("2026-07-20T00:00:00Z")
    assert world.find("in_15") is None
    assert world.mails() == []
    assert world.requests("in_15") == []
    assert world.access("sub_in_15") == "granted"
    assert world.alerts() == []


def test_a_late_notice_of_our_own_declined_try_leaves_the_paid_case_alone(world: Rehearsal) -> None:
    for invoice, card, who in (("in_15b", "card_1", "ada"), ("in_15c", "card_2", "bo")):
        world.fail(invoice, card=card, customer=payer(who))
    world.script("card_1", "decline:insufficient_funds")
    world.script("card_2", "decline:insufficient_funds", "succeed")
    world.set(delay_webhooks_seconds=2400)
    world.advance("2026-06-24T09:00:00Z")
    world.set(delay_webhooks_seconds=0)
    world.advance("2026-06-24T09:02:00Z")
    world.tell("/sandbox/invoices/in_15b/pay")  # the customer, at the processor
    assert world.pay_now("in_15c").status_code == 202  # the customer, here
    world.settle()
    before = [world.case(invoice) for invoice in ("in_15b", "in_15c")]
    assert [case["state"] for case in before] == ["recovered", "recovered"]
    world.advance("2026-06-24T09:41:00Z")

    assert [world.case(invoice) for invoice in ("in_15b", "in_15c")] == before, "the late notices told nothing new"
    late = world.psp.get("/sandbox/webhooks", params={"type": "charge.failed"}).json()
    assert [row["response_status"] for row in late] == [200, 200]
    world.advance("2026-07-20T00:00:00Z")
    for invoice, who, tries in (("in_15b", "ada", 1), ("in_15c", "bo", 2)):
        case = world.case(invoice)
        assert (case["state"], case["attempts"][1]["outcome"]) == ("recovered", "declined")
        assert (len(world.requests(invoice)), world.captures(invoice)) == (tries, 1)
        assert [kind for kind in world.mails_to(f"{who}@example.com") if kind != "receipt"] == ["first", "reminder"]
        assert world.access(f"sub_{invoice}") == "granted"
        assert world.balance(invoice) == {"receivable": 0, "billed": -4900, "processor": 4900}
    assert world.mails_to("bo@example.com")[-1] == "receipt"
