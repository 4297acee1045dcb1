"""C01: the charge worked, and everything that was asked about it afterwards hung; that is no failure, and nothing is charged again."""

from concurrent.futures import ThreadPoolExecutor

from tests.cases.rehearsal import Rehearsal, until


def test_a_payment_stays_a_payment_though_every_later_question_about_it_hangs(world: Rehearsal) -> None:
    world.fail("in_7001")
    world.script("card_1", "decline:insufficient_funds", "slow:1:succeed")
    world.advance("2026-06-29T08:59:59Z")
    with ThreadPoolExecutor(1) as aside:
        moving = aside.submit(world.advance, "2026-06-29T09:00:00Z")
        until(lambda: world.captures("in_7001") == 1)
        world.set(lookups_hang_seconds=70, snapshots_hang_seconds=70)
        moving.result()

    case = world.case("in_7001")
    assert (case["state"], case["next_attempt_at"]) == ("recovered", None)
    assert case["attempts"][-1]["outcome"] == "succeeded"
    assert world.access("sub_in_7001") == "granted"
    world.advance("2026-06-29T15:00:00Z")
    world.set(lookups_hang_seconds=0, snapshots_hang_seconds=0)
    moved = world.advance("2026-07-20T00:00:00Z")

    assert moved["next_due_at"] is None, "the events that could not be looked into were filled in later"
    assert [request["key"] for request in world.requests("in_7001")] == ["dunr-in_7001-a1", "dunr-in_7001-a2"]
    assert world.captures("in_7001") == 1
    assert [mail["kind"] for mail in world.mails()] == ["first", "reminder", "receipt"]
    assert world.posted("in_7001", "recovered") == 4900
    assert world.balance("in_7001") == {"receivable": 0, "billed": -4900, "processor": 4900}
    assert world.case("in_7001")["state"] == "recovered"
    assert world.case("in_7001")["steps_spent_count"] == 2
    assert world.alerts("unsettled_attempt") == []


def test_an_error_after_the_charge_is_looked_up_and_found_to_be_the_payment(world: Rehearsal) -> None:
    world.fail("in_7002", currency="jpy", amount_minor=5000)
    world.script("card_1", "broken:succeed")
    world.set(drop_webhooks=True)

    world.advance("2026-06-24T09:00:30Z")
    case = world.case("in_7002")
    assert (case["state"], case["shown"], case["attempt_in_flight"]) == ("scheduled", "attempting", 1)
    assert case["steps_spent_count"] == 0
    world.advance("2026-07-20T00:00:00Z")

    assert [request["status"] for request in world.requests("in_7002")] == [500]
    assert world.captures("in_7002") == 1
    assert world.case("in_7002")["state"] == "recovered"
    assert [mail["kind"] for mail in world.mails()] == ["first", "receipt"]
    assert world.balance("in_7002") == {"receivable": 0, "billed": -5000, "processor": 5000}
