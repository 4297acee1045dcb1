"""C13: fixing a past-due card is told by two events in either order; there is one recovery and one mail, because they hang on our own change of state."""

from tests.cases.rehearsal import Rehearsal, payer


def test_one_recovery_and_one_mail_whatever_the_order_of_the_news(world: Rehearsal) -> None:
    for who, reordered in (("ada", False), ("bo", True)):
        made = world.fail(f"in_{who}", card=f"card_{who}", customer=payer(who))
        about = {"subscription": made["subscription"], "customer": made["customer"]}
        world.set(reorder_webhooks=reordered)
        world.add_card(f"cus_{who}", f"new_{who}")
        world.advance(seconds=1)
        # The subscription is told twice more: its card changed, its status changed.
        events = [(f"evt_a_{who}", {"status": "past_due"}), (f"evt_b_{who}", {"status": "active"})]
        for event, status in reversed(events) if reordered else events:
            assert world.event(id=event, type="subscription.updated", data=about | status) == [200]
            world.advance(seconds=1)
    world.advance("2026-07-20T00:00:00Z")

    for who in ("ada", "bo"):
        invoice = f"in_{who}"
        assert [(request["card"], request["key"]) for request in world.requests(invoice)] == [
            (f"new_{who}", f"dunr-{invoice}-a1")
        ]
        assert world.captures(invoice) == 1
        case = world.case(invoice)
        assert (case["state"], case["next_attempt_at"]) == ("recovered", None)
        assert world.mails_to(f"{who}@example.com") == ["first", "receipt"]
        assert [posting["kind"] for posting in case["postings"]] == ["opened", "recovered"]
        assert len([why for entry in case["audit"] for why in entry["because"] if why.startswith("recovered")]) == 1
        assert world.access(f"sub_{invoice}") == "granted"
        about_it = world.psp.get("/sandbox/webhooks").json()
        told = {row["type"] for row in about_it if row["status"] == "delivered" and f"cus_{who}" in row["body"]}
        assert told >= {"payment_method.attached", "customer.updated", "invoice.paid", "subscription.updated"}
