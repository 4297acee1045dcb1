"""C18: an event comes before what it is about can be seen; it waits, opens one case once that is there, and is never dropped silently."""

from datetime import datetime, timedelta

from tests.cases.rehearsal import START, Json, Rehearsal
from tests.cases.stores import on_both_stores

pytestmark = on_both_stores


def tell_too_early(world: Rehearsal, invoice: str) -> None:
    """The processor sends the failure before anybody can read the invoice."""
    about: Json = {"invoice": invoice, "subscription": f"sub_{invoice}", "customer": "cus_1"}
    assert world.event(id=f"evt_{invoice}", type="invoice.payment_failed", data=about) == [200]
    world.settle()
    assert world.find(invoice) is None


def test_the_case_opens_within_minutes_after_its_invoice_can_be_read(world: Rehearsal) -> None:
    tell_too_early(world, "in_18")
    world.advance(seconds=40)
    world.fail("in_18", send_webhook=False)
    world.advance("2026-06-23T10:05:00Z")

    case = world.case("in_18")
    opened_after = datetime.fromisoformat(case["opened_at"]) - datetime.fromisoformat(START)
    assert timedelta(seconds=40) <= opened_after <= timedelta(minutes=3)
    world.script("card_1", "succeed")
    world.advance("2026-07-20T00:00:00Z")
    assert [listed["invoice"] for listed in world.cases()] == ["in_18"]
    assert world.times("in_18") == ["2026-06-24T09:00"]
    assert world.captures("in_18") == 1
    assert [mail["kind"] for mail in world.mails()] == ["first", "receipt"]
    assert world.alerts() == []


def test_an_event_about_what_never_appears_is_skipped_with_a_note_and_an_alert_and_can_be_redriven(
    world: Rehearsal,
) -> None:
    tell_too_early(world, "in_18b")
    world.advance("2026-06-23T10:14:00Z")
    assert world.alerts() == []
    world.advance("2026-06-23T12:00:00Z")

    skipped = world.http.get("/v1/deadletters", params={"state": "ignored"}).json()["deadletters"]
    assert [(letter["key"], letter["type"]) for letter in skipped] == [
        ("sandbox:acct_sandbox:evt_in_18b", "invoice.payment_failed")
    ]
    assert skipped[0]["note"].startswith("skipped: ")
    assert [alert["kind"] for alert in world.alerts()] == ["snapshot_unavailable"]
    assert world.find("in_18b") is None

    # Days later it is there after all, and a person has the event applied: once.
    world.advance("2026-06-24T10:00:00Z")
    world.fail("in_18b", send_webhook=False)
    for status in (202, 404):
        assert world.http.post(f"/v1/deadletters/{skipped[0]['key']}/redrive").status_code == status
        world.settle()
    assert world.case("in_18b")["state"] == "scheduled"
    assert len(world.cases()) == 1
    assert len(world.mails("first")) == 1
    assert world.http.get("/v1/deadletters", params={"state": "ignored"}).json()["deadletters"] == []
