"""C13: fixing a past-due card is told by two events in either order; there is one recovery and one mail, because they hang on our own change of state."""

import pytest

from tests.cases.rehearsal import Rehearsal


@pytest.mark.parametrize("reordered", [False, True], ids=["in order", "newest first"])
def test_one_recovery_and_one_mail_whatever_the_order_of_the_news(world: Rehearsal, reordered: bool) -> None:
    made = world.fail("in_13")
    about = {"subscription": made["subscription"], "customer": made["customer"]}
    world.set(reorder_webhooks=reordered)

    world.add_card("cus_1", "card_new")
    world.advance(seconds=1)
    # The subscription is told twice more: its card changed, its status changed.
    events = [("evt_a", {"status": "past_due"}), ("evt_b", {"status": "active"})]
    for event, status in reversed(events) if reordered else events:
        assert world.event(id=event, type="subscription.updated", data=about | status) == [200]
        world.advance(seconds=1)
    world.advance("2026-07-20T00:00:00Z")

    assert [(request["card"], request["key"]) for request in world.requests("in_13")] == [("card_new", "dunr-in_13-a1")]
    assert world.captures("in_13") == 1
    case = world.case("in_13")
    assert (case["state"], case["next_attempt_at"]) == ("recovered", None)
    assert [mail["kind"] for mail in world.mails()] == ["first", "receipt"]
    assert [posting["kind"] for posting in case["postings"]] == ["opened", "recovered"]
    assert len([entry for entry in case["audit"] if any(why.startswith("recovered") for why in entry["because"])]) == 1
    assert world.access("sub_in_13") == "granted"
    told = {row["type"] for row in world.psp.get("/sandbox/webhooks").json() if row["status"] == "delivered"}
    assert told >= {
        "payment_method.attached",
        "customer.updated",
        "charge.succeeded",
        "invoice.paid",
        "subscription.updated",
    }
