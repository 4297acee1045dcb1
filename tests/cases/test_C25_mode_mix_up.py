"""C25: an event of the other mode, or of another account, is written down and nothing else, whatever it carries."""

import hashlib
from datetime import UTC, datetime

import pytest

from dunr.adapters.processors.admission import WebhookAccount
from dunr.adapters.processors.sandbox.events import received
from dunr.ports import InboundState
from tests.cases.rehearsal import SECRET, Rehearsal, signature

ABOUT = {"invoice": "in_25", "subscription": "sub_in_25", "customer": "cus_1"}


@pytest.mark.parametrize("other", [{"live": True}, {"account": "acct_of_somebody_else"}])
def test_a_signed_event_of_another_mode_or_account_is_recorded_and_changes_nothing(
    shared: Rehearsal, other: dict[str, object]
) -> None:
    shared.fail("in_25", send_webhook=False)
    event = f"evt_25_{next(iter(other))}"

    assert shared.event(id=event, data=ABOUT, **other) == [200]

    assert shared.find("in_25") is None
    assert shared.requests("in_25") == []
    assert shared.mails() == []
    assert shared.access("sub_in_25") == "granted"
    letters = shared.http.get("/v1/deadletters", params={"state": "ignored"}).json()["deadletters"]
    (written_down,) = [letter for letter in letters if letter["key"].endswith(f":{event}")]
    assert written_down["note"] in ("it is of live mode, and this is test mode", "it belongs to another account")
    assert written_down["tries_count"] == 0


def test_the_same_event_changes_nothing_about_a_case_that_exists_here(shared: Rehearsal) -> None:
    shared.fail("in_25_here", card="card_25_here")
    before = shared.case("in_25_here")
    shared.psp.post(
        "/sandbox/invoices/in_25_here/pay", json={}
    )  # its own news comes by itself; the foreign one beside it
    about = {"invoice": "in_25_here", "subscription": "sub_in_25_here", "customer": "cus_1"}
    assert shared.event(type="invoice.voided", data=about, live=True) == [200]
    assert before["state"] == "scheduled"
    assert shared.case("in_25_here")["closed_because"] is None


def test_a_mode_that_is_written_as_a_string_is_never_taken_for_a_yes(shared: Rehearsal) -> None:
    shared.fail("in_25_string", card="card_25_string", send_webhook=False)
    body = (
        b'{"id":"evt_25_string","type":"invoice.payment_failed","account":"acct_sandbox","live":"false",'
        b'"data":{"invoice":"in_25_string","subscription":"sub_in_25_string","customer":"cus_1"}}'
    )
    refused = shared.deliver(body, signature(body, shared.now(), SECRET))
    assert refused.status_code == 400, refused.text
    assert shared.find("in_25_string") is None


@pytest.mark.parametrize(("ours", "theirs"), [(True, False), (False, True)])
def test_the_door_itself_keeps_the_modes_apart_in_both_directions(ours: bool, theirs: bool) -> None:
    at = datetime(2026, 6, 23, 10, tzinfo=UTC)
    body = (
        f'{{"id":"evt_25","type":"invoice.payment_failed","account":"acct_sandbox","live":{str(theirs).lower()},'
        f'"data":{{"invoice":"in_25"}}}}'
    ).encode()
    account = WebhookAccount(account="acct_sandbox", live=ours, webhook_secrets=(SECRET,), tolerance_seconds=300)
    inbound = received(body, {"sandbox-signature": signature(body, at, SECRET)}, account, at)
    assert inbound.state is InboundState.IGNORED
    assert "mode" in inbound.note
    assert inbound.body_sha256 == hashlib.sha256(body).hexdigest()
