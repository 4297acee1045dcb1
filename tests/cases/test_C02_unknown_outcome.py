"""C02: attempt 2 has no answer, so attempt 3 waits, whatever its date says, until the processor has said what became of attempt 2."""

from tests.cases.rehearsal import Rehearsal, payer


def go_silent_after_attempt_2(world: Rehearsal, invoice: str, outcome: str) -> None:
    """Attempt 2 gets no answer on Monday 29 June, and from then on the processor cannot be asked anything."""
    world.fail(invoice)
    world.script("card_1", "decline:insufficient_funds", outcome, "succeed")
    world.advance("2026-06-29T08:59:59Z")
    world.set(drop_webhooks=True)
    world.advance("2026-06-29T09:00:00Z")
    world.set(lookups_failing=True, snapshots_failing=True)


def test_no_further_attempt_begins_until_the_processor_says_that_the_silent_one_captured(world: Rehearsal) -> None:
    go_silent_after_attempt_2(world, "in_2", "hang:45:succeed")

    world.advance("2026-06-29T09:59:00Z")
    assert world.captures("in_2") == 1
    assert world.alerts("unsettled_attempt") == []
    world.advance("2026-07-02T12:00:00Z")

    case = world.case("in_2")
    assert (case["state"], case["shown"], case["attempt_in_flight"]) == ("scheduled", "attempting", 2)
    assert case["attempts"][2]["outcome"] == "unknown"
    assert world.pay_now("in_2").status_code in (409, 503)
    assert [request["key"] for request in world.requests("in_2")] == ["dunr-in_2-a1", "dunr-in_2-a2"]
    assert [alert["at"] for alert in world.alerts("unsettled_attempt")] == ["2026-06-29T10:00:00Z"]
    assert [mail["kind"] for mail in world.mails()] == ["first", "reminder"], "an unknown result is no failed payment"
    assert world.access("sub_in_2") == "grace"

    world.advance("2026-07-03T08:00:00Z")
    world.set(lookups_failing=False, snapshots_failing=False)
    world.advance("2026-07-20T00:00:00Z")

    case = world.case("in_2")
    assert (case["state"], case["attempts"][2]["outcome"]) == ("recovered", "succeeded")
    assert "2026-07-03T08:00:00Z" <= case["ended_at"] <= "2026-07-03T14:00:00Z"
    assert len(world.requests("in_2")) == 2
    assert world.captures("in_2") == 1
    assert [mail["kind"] for mail in world.mails()] == ["first", "reminder", "receipt"]
    assert world.access("sub_in_2") == "granted"
    assert world.balance("in_2") == {"receivable": 0, "billed": -4900, "processor": 4900}


def test_only_when_the_processor_says_that_there_is_no_such_charge_a_new_attempt_may_go(world: Rehearsal) -> None:
    go_silent_after_attempt_2(world, "in_2b", "refuse:503")
    world.advance("2026-07-03T08:00:00Z")
    assert len(world.requests("in_2b")) == 2
    world.set(lookups_failing=False, snapshots_failing=False)
    world.advance("2026-07-20T00:00:00Z")

    case = world.case("in_2b")
    assert [attempt["outcome"] for attempt in case["attempts"]] == ["declined", "declined", "withdrawn", "succeeded"]
    settled_at, begun_at = case["attempts"][2]["settled_at"], case["attempts"][3]["begun_at"]
    assert "2026-07-03T08:00:00Z" <= settled_at < begun_at
    assert [request["key"] for request in world.requests("in_2b")] == [f"dunr-in_2b-a{number}" for number in (1, 2, 3)]
    assert case["steps_spent_count"] == 2, "the step of what was never charged is given back"
    assert world.captures("in_2b") == 1
    assert world.balance("in_2b") == {"receivable": 0, "billed": -4900, "processor": 4900}


def test_a_short_silence_is_settled_under_the_same_key(world: Rehearsal) -> None:
    for invoice, card, who in (("in_2c", "card_1", "ada"), ("in_2d", "card_2", "bo")):
        world.fail(invoice, card=card, customer=payer(who))
    world.script("card_1", "lost:succeed")
    world.script("card_2", "refuse:503", "succeed")
    world.set(drop_webhooks=True)

    world.advance("2026-06-24T09:30:00Z")

    for invoice, who, asked in (("in_2c", "ada", 1), ("in_2d", "bo", 2)):
        assert [request["key"] for request in world.requests(invoice)] == [f"dunr-{invoice}-a1"] * asked
        assert world.captures(invoice) == 1
        assert world.case(invoice)["state"] == "recovered"
        assert world.mails_to(f"{who}@example.com") == ["first", "receipt"]
