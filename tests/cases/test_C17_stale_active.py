"""C17: a stale "active" arrives after "deleted"; what has ended stays ended."""

from tests.cases.rehearsal import Rehearsal, payer


def tell_stale(world: Rehearsal, who: str) -> None:
    """A new event with an older date says that the subscription is active."""
    about = {"subscription": f"sub_in_{who}", "customer": f"cus_{who}", "status": "active"}
    older = int(world.now().timestamp()) - 7
    assert world.event(id=f"evt_stale_{who}", type="subscription.updated", created=older, data=about) == [200]
    world.settle()


def test_an_older_update_under_a_new_id_revives_nothing_in_either_order(world: Rehearsal) -> None:
    for who in ("ada", "bo"):
        world.fail(f"in_{who}", card=f"card_{who}", customer=payer(who))
        world.script(f"card_{who}", "succeed")
    world.advance("2026-06-23T12:00:05Z")

    world.tell("/sandbox/subscriptions/sub_in_ada/cancel")
    ended = world.case("in_ada")
    assert (ended["state"], ended["closed_because"]) == ("closed", "subscription_ended")
    tell_stale(world, "ada")
    assert world.case("in_ada") == ended

    tell_stale(world, "bo")
    assert world.access("sub_in_bo") == "grace"
    world.tell("/sandbox/subscriptions/sub_in_bo/cancel")

    world.advance("2026-07-20T00:00:00Z")
    for who in ("ada", "bo"):
        case = world.case(f"in_{who}")
        assert (case["state"], case["closed_because"]) == ("closed", "subscription_ended")
        assert case["next_attempt_at"] is None
        assert world.access(f"sub_in_{who}") == "ended"
        assert world.requests(f"in_{who}") == []
        assert world.mails_to(f"{who}@example.com") == ["first"]
        assert world.pay_now(f"in_{who}").status_code == 409
    assert [alert["kind"] for alert in world.alerts()] == ["debt_left_open"] * 2
