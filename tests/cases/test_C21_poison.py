"""C21: events that cannot be used neither stop nor delay the others; each ends once, with its reason, and can be redriven."""

import json

from tests import nursery
from tests.cases.rehearsal import START, Json, Rehearsal
from tests.cases.stores import on_both_stores

pytestmark = on_both_stores

DEAD, SKIPPED = "sandbox:acct_sandbox:evt_2", "sandbox:acct_sandbox:evt_3"


def letters(world: Rehearsal, state: str) -> dict[str, Json]:
    found = world.http.get("/v1/deadletters", params={"state": state}).json()["deadletters"]
    return {letter["key"]: letter for letter in found}


def dunr(world: Rehearsal, *arguments: str) -> Json:
    """What a command answers."""
    ran = nursery.run("dunr", *arguments, "--json", environment=world.environment, folder=world.folder, check=True)
    answer: Json = json.loads(ran.stdout)
    return answer


def test_bad_events_end_with_a_reason_and_the_good_one_behind_them_does_not_wait(world: Rehearsal) -> None:
    malformed = '{"id":"evt_1","type":"balance.available","account":"acct_sandbox","live":false,"data":{"invoice":[1,{"x":null}]}}'
    assert world.event(id="evt_1", type="balance.available", raw=malformed) == [200]
    assert world.event(id="evt_2", type="invoice.payment_failed", data={"customer": "cus_1"}) == [200]
    assert world.event(id="evt_3", type="invoice.payment_failed", data={"invoice": "in_gone", "customer": "cus_9"}) == [
        200
    ]
    world.fail("in_21")
    assert world.case("in_21")["opened_at"] == START, "it did not wait behind the three others"
    assert len(world.mails("first")) == 1

    world.advance(seconds=600)
    dead = letters(world, "dead")
    assert set(dead) == {DEAD}
    assert dead[DEAD]["tries_count"] == 5
    assert dead[DEAD]["note"] == "invoice.payment_failed names no invoice"
    world.advance("2026-06-23T18:00:00Z")
    ignored = letters(world, "ignored")
    assert ignored["sandbox:acct_sandbox:evt_1"]["tries_count"] == 0, "nothing of it was read"
    assert ignored[SKIPPED]["note"].startswith("skipped: ")
    assert ignored[SKIPPED]["tries_count"] <= 20
    assert sorted(alert["kind"] for alert in world.alerts()) == ["dead_letter", "snapshot_unavailable"]
    assert len(letters(world, "dead")) == 1

    # The object is there after all: what was skipped is redriven, and applied once.
    world.fail("in_gone", card="card_9", customer={"id": "cus_9", "email": "bo@example.com"}, send_webhook=False)
    assert dunr(world, "deadletters", "redrive", SKIPPED)["state"] == "applied"
    assert world.case("in_gone")["state"] == "scheduled"
    assert world.http.post(f"/v1/deadletters/{SKIPPED}/redrive").status_code == 404
    # What lacks a part still lacks it: its tries are bounded again. The redrive had ended the alert, so its second death is told, and once.
    assert world.http.post(f"/v1/deadletters/{DEAD}/redrive").status_code == 202
    world.advance("2026-06-24T08:00:00Z")
    assert letters(world, "dead")[DEAD]["tries_count"] == 5
    assert len(world.alerts("dead_letter")) == 2
    assert sorted(case["invoice"] for case in world.cases()) == ["in_21", "in_gone"]
    assert world.mails_to("bo@example.com") == ["first"]
