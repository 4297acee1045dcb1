"""C44: a first payment that is still in the browser, and an invoice that the customer pays by mail, are not ours to dun."""

from tests.cases.rehearsal import Json, Rehearsal, payer

NOT_OURS: dict[str, Json] = {
    "checkout": {"first_invoice": True, "subscription_status": "incomplete"},
    "by_mail": {"collection_method": "send_invoice"},
}


def test_nothing_is_opened_charged_written_or_taken_away_until_a_renewal_of_ours_fails(world: Rehearsal) -> None:
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

    # The checkout is paid, and a month later its renewal fails: that one is ours.
    world.tell("/sandbox/invoices/in_checkout/pay")
    world.tell("/sandbox/subscriptions/sub_in_checkout", {"status": "active"}, method="PATCH")
    assert world.find("in_checkout") is None
    more = {"card": "card_checkout", "customer": payer("checkout"), "subscription": "sub_in_checkout"}
    world.fail("in_renewal", **more)
    assert world.case("in_renewal")["state"] == "scheduled"
    assert world.access("sub_in_checkout") == "grace"
