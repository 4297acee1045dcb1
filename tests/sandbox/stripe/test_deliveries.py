"""How events reach their endpoints: signed, again, in any order, thin, and to those that want them."""

import json
from typing import Any

import pytest
from stripe import SignatureVerificationError, Webhook

from tests.sandbox.processes import SECRETS, Receiver
from tests.sandbox.stripe.conftest import StripeSandbox

ALWAYS = 10**9


def test_the_sdk_takes_the_signature_of_either_secret(sandbox: StripeSandbox, receiver: Receiver) -> None:
    sandbox.fail()
    sandbox.quiet()
    one = receiver.received[0]
    assert one.signature is not None
    for secret in SECRETS:
        event = Webhook.construct_event(one.body, one.signature, secret, tolerance=ALWAYS)
        assert event.type == "invoice.payment_failed"
    with pytest.raises(SignatureVerificationError):
        Webhook.construct_event(one.body + b" ", one.signature, SECRETS[0], tolerance=ALWAYS)


def test_endpoints_of_two_versions_hear_of_the_same_event(sandbox: StripeSandbox, receiver: Receiver) -> None:
    sandbox.pin("2020-03-02", enabled_events=["invoice.payment_failed"])
    made = sandbox.stripe.v1.webhook_endpoints.create(
        {"url": receiver.url, "enabled_events": ["invoice.payment_failed"], "api_version": "2025-03-31.basil"}
    )
    assert made.secret is not None
    assert made.secret.startswith("whsec_")
    sandbox.fail()
    sandbox.quiet()
    old, new = sorted(receiver.received, key=lambda one: str(one.json["api_version"]))
    assert (old.json["api_version"], new.json["api_version"]) == ("2020-03-02", "2025-03-31.basil")
    assert old.json["id"] == new.json["id"]
    assert old.json["pending_webhooks"] == 2
    assert new.signature is not None
    Webhook.construct_event(new.body, new.signature, made.secret, tolerance=ALWAYS)


def test_endpoints_are_made_listed_changed_and_deleted(sandbox: StripeSandbox, receiver: Receiver) -> None:
    endpoints = sandbox.stripe.v1.webhook_endpoints
    made = endpoints.create({"url": receiver.url, "enabled_events": ["invoice.paid"], "metadata": {"by": "dunr"}})
    assert [one.id for one in endpoints.list().data] == [made.id, "we_sandbox"]
    assert not hasattr(endpoints.retrieve(made.id), "secret"), "the secret is told once"
    changed = endpoints.update(made.id, {"enabled_events": ["invoice.voided"], "disabled": True})
    assert (changed.status, changed.enabled_events) == ("disabled", ["invoice.voided"])
    endpoints.update("we_sandbox", {"disabled": True})
    sandbox.fail()
    sandbox.quiet()
    assert receiver.received == []
    assert endpoints.delete(made.id).deleted is True
    assert [one.id for one in endpoints.list().data] == ["we_sandbox"]


def test_what_is_not_taken_comes_again_with_growing_waits(sandbox: StripeSandbox, receiver: Receiver) -> None:
    sandbox.pin("2025-03-31.basil", enabled_events=["invoice.payment_failed"])
    receiver.answer = lambda _: 500
    made = sandbox.fail()
    sandbox.quiet()
    assert [one.id for one in sandbox.stripe.v1.events.list({"delivery_success": False, "limit": 1}).data]
    receiver.answer = lambda _: 200
    sandbox.to("2026-06-23T10:01:00Z")
    first, again = receiver.received
    assert first.body == again.body
    assert first.signature != again.signature, "each delivery is signed at its own time"
    event = sandbox.stripe.v1.events.retrieve(str(made["event"]))
    assert event.pending_webhooks == 0


def test_events_can_be_dropped_doubled_held_back_and_turned_round(sandbox: StripeSandbox, receiver: Receiver) -> None:
    sandbox.pin("2025-03-31.basil", enabled_events=["invoice.payment_failed", "invoice.updated"])
    sandbox.set(drop_webhooks=True)
    sandbox.fail("in_1")
    sandbox.set(drop_webhooks=False, duplicate_webhooks=1, delay_webhooks_seconds=60, reorder_webhooks=True)
    sandbox.fail("in_2")
    sandbox.quiet()
    assert receiver.received == []
    sandbox.to("2026-06-23T10:01:00Z")
    assert receiver.types == ["invoice.updated", "invoice.updated", "invoice.payment_failed", "invoice.payment_failed"]
    assert len({one.body for one in receiver.received}) == 2
    assert len(sandbox.stripe.v1.events.list({"type": "invoice.payment_failed"}).data) == 2, "dropped is not forgotten"


def test_a_thin_event_names_what_to_look_up(sandbox: StripeSandbox, receiver: Receiver) -> None:
    sandbox.pin("2025-03-31.basil", thin=True, enabled_events=["v1.invoice.payment_failed"])
    sandbox.fail()
    sandbox.quiet()
    (one,) = receiver.received
    assert "data" not in one.json
    assert one.signature is not None
    notification: Any = sandbox.stripe.parse_event_notification(one.body, one.signature, SECRETS[0], tolerance=ALWAYS)
    assert notification.type == "v1.invoice.payment_failed"
    assert notification.fetch_related_object().id == "in_1"
    assert notification.fetch_event().id == notification.id


def test_one_event_may_be_sent_again_and_one_of_your_own_making_too(sandbox: StripeSandbox, receiver: Receiver) -> None:
    made = sandbox.fail()
    sandbox.quiet()
    receiver.received.clear()
    assert sandbox.control("POST", f"/webhooks/{made['event']}/resend", times=2).json()["sent"] == 2
    assert receiver.types == ["invoice.payment_failed"] * 2
    raw = json.dumps({"id": "evt_mine", "object": "event", "type": "invoice.future"})
    assert sandbox.control("POST", "/webhooks/send", raw=raw, type="invoice.future").status_code == 200
    mine = receiver.received[-1]
    assert mine.signature is not None
    assert mine.json["id"] == "evt_mine"
