"""C36: what the customer tries by themselves uses up none of the schedule, moves no deadline, and has a cap of its own."""

from tests.cases.rehearsal import Rehearsal, payer

SCHEDULE = ["2026-06-24T09:00", "2026-06-29T09:00", "2026-07-02T09:00", "2026-07-07T09:00"]


def test_declined_clicks_leave_schedule_deadline_and_access_as_they_are(world: Rehearsal) -> None:
    world.fail("in_36")
    before = world.case("in_36")
    clicks = []
    for _ in range(4):
        world.advance(seconds=15 * 60)
        clicks.append(world.pay_now("in_36"))
    assert [click.status_code for click in clicks] == [202] * 4
    assert {click.json()["outcome"] for click in clicks} == {"declined"}

    case = world.case("in_36")
    for fact in ("state", "next_attempt_at", "pause_at", "steps_spent_count", "plan"):
        assert case[fact] == before[fact], fact
    assert world.access("sub_in_36") == "grace"
    assert [mail["kind"] for mail in world.mails()] == ["first"]

    more = [world.pay_now("in_36").status_code for _ in range(10)]
    assert more == [202] + [429] * 9
    assert len(world.requests("in_36")) == 5

    # Two invoices of another customer share the cap of their one card, and have room again a day later.
    for invoice in ("in_36a", "in_36b"):
        world.fail(invoice, card="card_both", customer=payer("both"))
    answers = [world.pay_now(invoice).status_code for invoice in ("in_36a", "in_36b") * 3]
    assert answers == [202] * 5 + [429]
    world.advance("2026-06-24T11:00:01Z")
    world.script("card_both", "succeed")
    paid = world.pay_now("in_36b")
    assert (paid.status_code, paid.json()["outcome"]) == (202, "succeeded")
    assert world.captures("in_36b") == 1

    world.advance("2026-07-20T00:00:00Z")
    assert world.times("in_36")[5:] == SCHEDULE
    keys = [request["key"] for request in world.requests("in_36")]
    assert keys == [f"dunr-in_36-a{number}" for number in range(1, 10)]
    case = world.case("in_36")
    assert [one["trigger"] for one in case["attempts"][1:]] == ["customer"] * 5 + ["timer"] * 4
    assert (case["state"], case["steps_spent_count"]) == ("exhausted", 4)
    assert world.access("sub_in_36") == "paused"
