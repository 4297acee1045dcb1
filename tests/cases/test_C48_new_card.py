"""C48: a new card is tried at once on every open invoice, by name; the old one is not asked again, and access follows the money."""

from tests.cases.rehearsal import KEY, Rehearsal, payer


def tried(world: Rehearsal, invoice: str) -> list[tuple[str, str, bool]]:
    return [(one["at"][:16], one["card"], one["captured"]) for one in world.requests(invoice)]


def test_a_good_new_card_pays_every_open_invoice_at_once_the_oldest_first(world: Rehearsal) -> None:
    world.fail("in_48a")
    world.advance("2026-06-23T12:00:00Z")
    world.fail("in_48b", currency="eur")
    world.advance("2026-06-25T12:00:00Z")
    world.add_card("cus_1", "card_new")

    retry = ("2026-06-24T09:00", "card_1", False)
    for invoice in ("in_48a", "in_48b"):
        assert tried(world, invoice) == [retry, ("2026-06-25T12:00", "card_new", True)]
        case = world.case(invoice)
        assert (case["state"], case["steps_spent_count"], case["next_attempt_at"]) == ("recovered", 1, None)
        assert world.access(f"sub_{invoice}") == "granted"
    order = [one["invoice"] for one in world.psp.get("/sandbox/charges").json() if one["card"] == "card_new"]
    assert order == ["in_48a", "in_48b"]
    world.advance("2026-07-20T00:00:00Z")
    assert [len(world.requests(invoice)) for invoice in ("in_48a", "in_48b")] == [2, 2]
    assert len(world.mails("receipt")) == 2


def test_an_updated_card_is_tried_once_and_one_that_is_declined_leaves_the_schedule_as_it_was(world: Rehearsal) -> None:
    world.fail("in_updated", card="card_updated", customer=payer("updated"))
    world.fail("in_declined", card="card_old", customer=payer("declined"))
    world.fail("in_default", card="card_default_old", customer=payer("default"))
    world.advance("2026-06-25T12:00:00Z")

    # The network has a newer card for the same method, and the processor took it over.
    world.set(updater="hit")
    asked = world.psp.post("/processor/v1/cards/card_updated/refresh", headers={"authorization": f"Bearer {KEY}"})
    assert asked.json()["updated"] is True
    world.settle()
    assert tried(world, "in_updated")[1:] == [("2026-06-25T12:00", "card_updated", True)]
    assert world.case("in_updated")["state"] == "recovered"

    # A card that is only put on file is nobody's wish; made the default, it is.
    world.add_card("cus_default", "card_second", make_default=False)
    assert len(world.requests("in_default")) == 1
    world.tell("/sandbox/customers/cus_default", {"default_card": "card_second"}, method="PATCH")
    assert tried(world, "in_default")[1:] == [("2026-06-25T12:00", "card_second", True)]
    assert world.case("in_default")["state"] == "recovered"

    before = world.case("in_declined")
    world.script("card_poor", "decline:insufficient_funds", "succeed")
    world.add_card("cus_declined", "card_poor")
    case = world.case("in_declined")
    assert tried(world, "in_declined")[1:] == [("2026-06-25T12:00", "card_poor", False)]
    for fact in ("state", "steps_spent_count", "next_attempt_at", "pause_at"):
        assert case[fact] == before[fact], fact
    assert world.mails_to("declined@example.com") == ["first", "reminder"]

    world.advance("2026-06-30T00:00:00Z")
    assert tried(world, "in_declined")[2:] == [("2026-06-29T09:00", "card_poor", True)]
    assert world.case("in_declined")["state"] == "recovered"


def test_a_paused_customer_is_back_with_the_money_and_stays_paused_without_it(world: Rehearsal) -> None:
    for name in ("good", "poor"):
        world.fail(f"in_{name}", card=f"card_{name}_old", customer=payer(name))
    world.advance("2026-07-10T12:00:00Z")
    assert [world.access(f"sub_in_{name}") for name in ("good", "poor")] == ["paused", "paused"]

    world.add_card("cus_good", "card_good")
    assert tried(world, "in_good")[4:] == [("2026-07-10T12:00", "card_good", True)]
    assert world.access("sub_in_good") == "granted"
    assert world.case("in_good")["state"] == "recovered"

    world.script("card_poor", "decline:insufficient_funds")
    world.add_card("cus_poor", "card_poor")
    assert tried(world, "in_poor")[4:] == [("2026-07-10T12:00", "card_poor", False)]
    assert world.access("sub_in_poor") == "paused"
    case = world.case("in_poor")
    assert (case["state"], case["steps_spent_count"]) == ("exhausted", 4)
    world.advance("2026-08-10T00:00:00Z")
    assert len(world.requests("in_poor")) == 5
    assert len([mail for mail in world.mails("paused") if mail["to"] == "poor@example.com"]) == 1
