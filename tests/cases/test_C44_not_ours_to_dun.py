"""C44: a first payment that is still in the browser, and an invoice that the customer pays by mail, are not ours to dun."""

from tests.cases.rehearsal import Json, Rehearsal, payer

NOT_OURS: dict[str, Json] = {
    "checkout": {"first_invoice": True, "subscription_status": "incomplete"},
    "by_mail": {"collection_method": "send_invoice"},
}


def test_nothing_is_opened_charged_written_or_taken_away(world: Rehearsal) -> None:
    for name, more in NOT_OURS.items():
        world.fail(f"in_{name}", card=f"card_{name}", customer=payer(name), **more)
    world.fail("in_ours", card="card_ours", customer=payer("ours"))
    world.advance("2026-07-23T00:00:00Z")

    assert [case["invoice"] for case in world.cases()] == ["in_ours"]
    for name in NOT_OURS:
        assert world.requests(f"in_{name}") == []
        assert world.mails_to(f"{name}@example.com") == []
        assert world.access(f"sub_in_{name}") == "granted"
    delivered = {one["response_status"] for one in world.psp.get("/sandbox/webhooks").json()}
    assert delivered == {200}
    assert world.http.get("/v1/deadletters").json()["deadletters"] == []


def test_a_later_renewal_of_the_same_subscription_is_ours(world: Rehearsal) -> None:
    world.fail("in_checkout", subscription="sub_44", **NOT_OURS["checkout"])
    world.tell("/sandbox/invoices/in_checkout/pay")
    world.tell("/sandbox/subscriptions/sub_44", {"status": "active"}, method="PATCH")
    assert world.cases() == []
    world.fail("in_renewal", subscription="sub_44")
    assert [case["invoice"] for case in world.cases()] == ["in_renewal"]
    assert world.access("sub_44") == "grace"
