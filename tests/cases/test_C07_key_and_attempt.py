"""C07: the key changes exactly when the attempt changes: same attempt, same bytes, same key; another attempt, another key."""

from tests.cases.rehearsal import Rehearsal, payer


def test_a_credit_that_comes_while_an_attempt_has_no_answer_changes_neither_its_request_nor_its_key(
    world: Rehearsal,
) -> None:
    for invoice, card, who in (("in_7a", "card_1", "ada"), ("in_7b", "card_2", "bo")):
        world.fail(invoice, card=card, customer=payer(who))
    declined = ["decline:insufficient_funds"] * 2
    world.script("card_1", *declined, "refuse:503", "succeed")
    world.script("card_2", *declined, "hang:600:succeed", "succeed")
    world.set(drop_webhooks=True)
    world.advance("2026-07-02T09:00:00Z")
    world.kill("serve")
    for invoice in ("in_7a", "in_7b"):
        world.psp.post(f"/sandbox/invoices/{invoice}/credit", json={"amount_minor": 1000}).raise_for_status()
    world.start_serve()
    world.advance("2026-07-02T10:00:00Z")

    # The fate of the 4900 request is settled first, and nothing of it was a decline.
    never, captured = world.case("in_7a"), world.case("in_7b")
    assert [attempt["outcome"] for attempt in never["attempts"][3:]] == ["withdrawn", "succeeded"]
    assert never["attempts"][3]["settled_at"] <= never["attempts"][4]["begun_at"]
    assert (never["state"], never["steps_spent_count"], never["overpaid_minor"]) == ("recovered", 3, 0)
    assert (captured["state"], captured["attempts"][3]["outcome"]) == ("recovered", "succeeded")
    assert captured["overpaid_minor"] == 1000, "the credit came too late, and that shows"
    assert [alert["case"].rpartition(":")[2] for alert in world.alerts("overpaid")] == ["in_7b"]
    for who in ("ada@example.com", "bo@example.com"):
        assert [kind for kind in world.mails_to(who) if kind != "receipt"] == ["first", "reminder", "reminder"]
    world.advance("2026-07-20T00:00:00Z")

    asked = [(request["key"], request["amount_minor"]) for request in world.requests("in_7a")]
    assert asked[2:] == [("dunr-in_7a-a3", 4900), ("dunr-in_7a-a4", 3900)]
    assert {(request["key"], request["amount_minor"]) for request in world.requests("in_7b")[2:]} == {
        ("dunr-in_7b-a3", 4900)
    }
    assert (world.captures("in_7a"), world.captures("in_7b")) == (1, 1)
    for invoice in ("in_7a", "in_7b"):
        assert all(request["status"] != 400 for request in world.requests(invoice)), "no key was used for other bytes"
    assert world.balance("in_7a")["receivable"] == world.balance("in_7b")["receivable"] == 0
    assert world.balance("in_7a")["processor"] == 3900
    assert world.balance("in_7b")["overpayments"] == -1000


def test_a_key_that_somebody_else_has_used_is_no_decline(world: Rehearsal) -> None:
    world.fail("in_7c")
    world.script("card_1", "error:400:idempotency_key_reused", "succeed")

    world.advance("2026-06-24T12:00:00Z")
    case = world.case("in_7c")
    assert (case["steps_spent_count"], case["attempts"][1]["outcome"]) == (0, "withdrawn")
    assert [hold["kind"] for hold in case["holds"]] == ["processor"]
    assert [mail["kind"] for mail in world.mails()] == ["first"]
    assert len(world.alerts("request_refused")) == 1
    world.advance("2026-07-20T00:00:00Z")

    assert [request["key"] for request in world.requests("in_7c")] == ["dunr-in_7c-a1", "dunr-in_7c-a2"]
    assert world.captures("in_7c") == 1
    assert world.case("in_7c")["state"] == "recovered"


def test_four_attempts_are_four_keys_and_four_authorisations_and_a_replayed_decline_is_the_same_decline(
    world: Rehearsal,
) -> None:
    world.fail("in_7d")
    world.set(drop_webhooks=True)
    world.script("card_1", "hang:90:decline:insufficient_funds", "decline:insufficient_funds")
    world.advance("2026-06-24T12:00:00Z")

    first_keys = {request["key"] for request in world.requests("in_7d")}
    assert first_keys == {"dunr-in_7d-a1"}
    assert world.case("in_7d")["steps_spent_count"] == 1
    assert [mail["kind"] for mail in world.mails()] == ["first", "reminder"]
    world.advance("2026-07-20T00:00:00Z")

    case = world.case("in_7d")
    ours = case["attempts"][1:]
    assert [attempt["key"] for attempt in ours] == [f"dunr-in_7d-a{number}" for number in (1, 2, 3, 4)]
    assert [attempt["outcome"] for attempt in ours] == ["declined"] * 4
    assert len({attempt["processor_charge_id"] for attempt in ours}) == 4
    booked = [request for request in world.requests("in_7d") if request["outcome"] == "declined"]
    assert [request["key"] for request in booked] == [attempt["key"] for attempt in ours]
    assert (case["state"], case["steps_spent_count"], world.captures("in_7d")) == ("exhausted", 4, 0)
