"""C34: without a payment method nothing is charged; the mail asks for one, and the first one that comes is tried at once."""

from tests.cases.rehearsal import Rehearsal


def test_a_customer_without_a_card_is_asked_for_one_and_the_first_one_pays(world: Rehearsal) -> None:
    world.fail("in_34", card=None)
    case = world.case("in_34")
    assert (case["state"], case["next_attempt_at"]) == ("awaiting_customer", None)
    world.advance("2026-06-30T12:00:00Z")
    assert world.charges("in_34") == []
    (mail,) = world.mails()
    assert mail["kind"] == "method_needed"
    assert "declined" not in mail["text"]
    assert world.access("sub_in_34") == "grace"

    world.add_card("cus_1", "card_first")
    (attempt,) = world.requests("in_34")
    assert (attempt["card"], attempt["captured"]) == ("card_first", True)
    assert world.case("in_34")["state"] == "recovered"
    world.advance("2026-07-20T00:00:00Z")
    assert len(world.requests("in_34")) == 1
    assert world.access("sub_in_34") == "granted"


def test_a_card_that_is_taken_off_on_day_four_ends_the_retries_and_the_deadline_runs_on(world: Rehearsal) -> None:
    world.fail("in_34")
    world.advance("2026-06-27T12:00:00Z")
    assert world.times("in_34") == ["2026-06-24T09:00"]
    world.tell("/sandbox/cards/card_1", method="DELETE")
    assert world.case("in_34")["next_attempt_at"] is None

    world.advance("2026-07-07T08:59:59Z")
    assert world.access("sub_in_34") == "grace"
    world.advance("2026-07-08T12:00:00Z")
    assert world.times("in_34") == ["2026-06-24T09:00"]
    assert world.access("sub_in_34") == "paused"
    kinds = [mail["kind"] for mail in world.mails()]
    assert kinds == ["first", "reminder", "method_needed", "paused"]

    world.add_card("cus_1", "card_new")
    assert [(one["card"], one["captured"]) for one in world.requests("in_34")] == [
        ("card_1", False),
        ("card_new", True),
    ]
    assert world.access("sub_in_34") == "granted"
