"""C33: a lock, a rate limit, a bad request and a revoked key are not declines: nothing is counted, and no customer hears of them."""

from collections import Counter

from tests.cases.rehearsal import Rehearsal, payer
from tests.cases.stores import on_both_stores

pytestmark = on_both_stores

DUE = "2026-06-24T09:00"


def test_a_lock_is_waited_for_and_a_bad_request_is_told_to_a_person(world: Rehearsal) -> None:
    world.script("card_lock", "error:429:lock_timeout", "error:429:lock_timeout", "succeed")
    world.fail("in_lock", card="card_lock", customer=payer("lock"))
    world.script("card_bad", "error:400:parameter_invalid", "succeed")
    world.fail("in_bad", card="card_bad", customer=payer("bad"))
    world.advance("2026-06-24T09:30:00Z")

    calls = world.requests("in_lock")
    assert [call["key"] for call in calls] == ["dunr-in_lock-a1"] * 3
    assert [call["captured"] for call in calls] == [False, False, True]
    case = world.case("in_lock")
    assert case["state"] == "recovered"
    assert [(one["number"], one["outcome"], one["call_count"]) for one in case["attempts"][1:]] == [(1, "succeeded", 3)]
    assert world.mails_to("lock@example.com") == ["first", "receipt"]

    case = world.case("in_bad")
    assert case["attempts"][-1]["outcome"] == "refused"
    assert (case["shown"], case["steps_spent_count"]) == ("held", 0)
    (alert,) = world.alerts()
    assert (alert["kind"], alert["case"].split(":")[2]) == ("request_refused", "in_bad")
    assert world.mails_to("bad@example.com") == ["first"]
    assert len(world.psp.get("/sandbox/customers/cus_bad").json()["methods"]) == 1
    assert world.access("sub_in_bad") == "grace"

    (hold,) = case["holds"]
    assert world.act("in_bad", "release", ref=hold["ref"]).status_code == 200
    world.advance("2026-07-20T00:00:00Z")
    assert [one["key"] for one in world.requests("in_bad")] == ["dunr-in_bad-a1", "dunr-in_bad-a2"]
    assert world.captures("in_bad") == 1
    assert world.case("in_bad")["state"] == "recovered"


def test_a_hundred_that_meet_the_rate_limit_are_spread_out_and_none_is_lost_or_counted(world: Rehearsal) -> None:
    invoices = [f"in_33b_{number}" for number in range(100)]
    for invoice in invoices:
        world.script(f"card_{invoice}", "error:429:rate_limit", "succeed")
        body = {"invoice": invoice, "subscription": f"sub_{invoice}", "customer": {"id": f"cus_{invoice}"}}
        answer = world.psp.post("/sandbox/failures", json=body | {"card": {"id": f"card_{invoice}"}})
        assert answer.status_code == 201, answer.text
    world.advance("2026-06-24T10:00:00Z")

    asked_again_at = Counter[str]()
    for invoice in invoices:
        first, second = world.requests(invoice)
        assert first["at"][:16] == DUE
        assert (first["key"], first["captured"]) == (second["key"], False)
        assert second["captured"]
        asked_again_at[second["at"]] += 1
    assert len(asked_again_at) > 4, asked_again_at
    assert max(asked_again_at.values()) < 50, asked_again_at
    cases = world.cases()
    assert len(cases) == 100
    assert {(case["state"], case["steps_spent_count"]) for case in cases} == {("recovered", 1)}


def test_a_revoked_key_stops_all_sending_at_once_with_one_alert_and_nothing_counted(world: Rehearsal) -> None:
    invoices = [f"in_33d_{number}" for number in range(4)]
    for invoice in invoices:
        world.fail(invoice, card=f"card_{invoice}", customer=payer(invoice))
    world.script("card_in_33d_0", "error:401", "succeed")
    world.advance("2026-06-25T12:00:00Z")

    assert sum(len(world.requests(invoice)) for invoice in invoices[1:]) in range(4)  # those that were on their way
    assert [alert["kind"] for alert in world.alerts()] == ["key_revoked"]
    assert world.http.get("/v1/stops").json()["stops"]


def test_a_key_that_is_revoked_for_reading_too_stops_all_sending_with_one_alert(world: Rehearsal) -> None:
    invoices = [f"in_33d_{number}" for number in range(4)]
    for invoice in invoices:
        world.fail(invoice, card=f"card_{invoice}", customer=payer(invoice))
    mails_before = len(world.mails())
    world.set(api_key_revoked=True)
    world.advance("2026-06-24T12:00:00Z")

    assert sum(len(world.requests(invoice)) for invoice in invoices) == 0
    assert [alert["kind"] for alert in world.alerts()] == ["key_revoked"]
    assert len(world.mails()) == mails_before
    assert {world.case(invoice)["steps_spent_count"] for invoice in invoices} == {0}

    # The key is replaced; until a person says so, nothing is sent.
    world.set(api_key_revoked=False)
    world.advance("2026-06-24T14:00:00Z")
    assert sum(len(world.requests(invoice)) for invoice in invoices) == 0
    (stop,) = world.http.get("/v1/stops").json()["stops"]
    let_go = world.http.post("/v1/stops", json={"kind": "charges", "scope": stop["scope"], "stopped": False})
    assert let_go.status_code == 200, let_go.text
    for invoice in invoices:
        world.script(f"card_{invoice}", "succeed")
    world.advance("2026-06-30T00:00:00Z")
    assert {world.times(invoice)[0] for invoice in invoices} == {"2026-06-25T09:00"}
    assert {world.case(invoice)["state"] for invoice in invoices} == {"recovered"}
    assert [world.captures(invoice) for invoice in invoices] == [1] * 4
