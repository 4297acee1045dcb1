"""C38: a voided invoice stays void, whatever job was queued for it and whether or not we have heard of it."""

from tests.cases.rehearsal import Rehearsal


def assert_closed_as_void(world: Rehearsal, invoice: str) -> None:
    case = world.case(invoice)
    assert (case["state"], case["closed_because"], case["amount_due_minor"]) == ("closed", "voided", 0)
    assert case["next_attempt_at"] is None
    assert world.requests(invoice) == []
    assert world.posted(invoice, "voided") == 4900
    assert world.balance(invoice)["receivable"] == 0


def test_a_void_that_comes_while_a_retry_is_queued_wins_and_access_follows_the_debts_that_remain(
    world: Rehearsal,
) -> None:
    for invoice in ("in_38", "in_38_other"):
        world.fail(invoice, subscription="sub_38")
    brake = {"kind": "charges", "why": "the worker is busy elsewhere"}
    world.http.post("/v1/stops", json=brake)
    world.advance("2026-06-24T09:00:00Z")  # both retries are due, and wait
    world.advance("2026-06-24T09:00:01Z")
    world.tell("/sandbox/invoices/in_38/void")
    world.advance("2026-06-24T09:00:02Z")
    mails_before = len(world.mails())
    world.script("card_1", "decline:insufficient_funds", "succeed")
    world.http.post("/v1/stops", json=brake | {"stopped": False})
    world.advance("2026-06-24T12:00:00Z")

    assert_closed_as_void(world, "in_38")
    assert world.access("sub_38") == "grace"  # the other invoice is still owed
    assert len(world.requests("in_38_other")) == 1

    world.advance("2026-07-20T00:00:00Z")
    assert_closed_as_void(world, "in_38")
    assert world.access("sub_38") == "granted"
    assert all("in_38 " not in f"{mail['text']} " for mail in world.mails()[mails_before:])


def test_a_void_that_we_have_not_heard_of_is_seen_before_the_send_and_wins_over_clicks_and_late_news(
    world: Rehearsal,
) -> None:
    told = world.fail("in_heard")
    world.tell("/sandbox/invoices/in_heard/void")
    assert world.pay_now("in_heard").status_code == 409
    world.tell(f"/sandbox/webhooks/{told['event']}/resend", {"times": 3})
    world.event(id="evt_38_late", data={"invoice": "in_heard", "subscription": "sub_in_heard", "customer": "cus_1"})

    world.fail("in_unheard")
    mails_before = len(world.mails())
    world.set(drop_webhooks=True)
    world.tell("/sandbox/invoices/in_unheard/void")
    assert world.case("in_unheard")["state"] == "scheduled"
    world.advance("2026-06-24T09:00:00Z")
    assert_closed_as_void(world, "in_unheard")

    world.advance("2026-07-20T00:00:00Z")
    for invoice in ("in_heard", "in_unheard"):
        assert_closed_as_void(world, invoice)
        assert world.access(f"sub_{invoice}") == "granted"
    assert len(world.mails()) == mails_before
