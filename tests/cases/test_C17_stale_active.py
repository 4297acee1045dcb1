"""C17: a stale "active" arrives after "deleted"; what has ended stays ended."""

import pytest

from tests.cases.rehearsal import Rehearsal


@pytest.mark.parametrize("deleted_first", [True, False], ids=["deleted, then the stale one", "the other order"])
def test_an_older_update_under_a_new_id_revives_nothing(world: Rehearsal, deleted_first: bool) -> None:
    made = world.fail("in_17")
    world.script("card_1", "succeed")
    world.advance("2026-06-23T12:00:05Z")
    about = {"subscription": made["subscription"], "customer": made["customer"], "status": "active"}
    older = int(world.now().timestamp()) - 7

    def stale() -> None:
        assert world.event(id="evt_stale", type="subscription.updated", created=older, data=about) == [200]
        world.advance(seconds=0)

    if not deleted_first:
        stale()
        assert world.access("sub_in_17") == "grace"
    world.tell("/sandbox/subscriptions/sub_in_17/cancel")
    ended = world.case("in_17")
    assert (ended["state"], ended["closed_because"]) == ("closed", "subscription_ended")
    if deleted_first:
        stale()
        assert world.case("in_17") == ended
    world.advance("2026-07-20T00:00:00Z")

    case = world.case("in_17")
    assert (case["state"], case["closed_because"], case["next_attempt_at"]) == ("closed", "subscription_ended", None)
    assert world.access("sub_in_17") == "ended"
    assert world.requests("in_17") == []
    assert [mail["kind"] for mail in world.mails()] == ["first"]
    assert world.pay_now("in_17").status_code == 409
    assert [alert["kind"] for alert in world.alerts()] == ["debt_left_open"]
