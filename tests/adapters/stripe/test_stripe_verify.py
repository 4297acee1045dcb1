"""What arrives from Stripe: proved over its raw bytes, sorted by account, mode and type, and recognized when it comes again."""

import json
from datetime import timedelta

import pytest

from dunr.adapters.processors.stripe.events import EVERY_ACCOUNT, StripeAccount, received
from dunr.errors import BadRequest, BadSignature
from dunr.ports import Inbound, InboundState
from tests.adapters.stripe.bodies import (
    ACCOUNT,
    AT,
    BASIL,
    NEWEST,
    OLDEST,
    OTHER_SECRET,
    SECRET,
    event,
    invoice,
    signed,
    thin,
)

FAILED = event("invoice.payment_failed", invoice(NEWEST))


def account(*, live: bool = False, connected: tuple[str, ...] = ()) -> StripeAccount:
    return StripeAccount(
        account=ACCOUNT,
        live=live,
        webhook_secrets=(SECRET, OTHER_SECRET),
        tolerance_seconds=300,
        connected=connected,
    )


def taken(body: bytes, *, live: bool = False, connected: tuple[str, ...] = ()) -> Inbound:
    return received(body, signed(body), account(live=live, connected=connected), AT)


def test_a_signed_event_waits_to_be_applied() -> None:
    inbound = taken(FAILED)
    assert (inbound.state, inbound.note) == (InboundState.WAITING, "")
    assert (inbound.processor, inbound.account, inbound.live) == ("stripe", ACCOUNT, False)
    assert (inbound.key, inbound.event_type) == (f"stripe:{ACCOUNT}:evt_1@{NEWEST}", "invoice.payment_failed")
    assert inbound.body == FAILED


@pytest.mark.parametrize("secrets", [(SECRET,), (OTHER_SECRET,), ("whsec_unknown", OTHER_SECRET)])
def test_any_endpoint_and_both_secrets_of_one_that_is_rolled_are_known(secrets: tuple[str, ...]) -> None:
    assert received(FAILED, signed(FAILED, *secrets), account(), AT).state is InboundState.WAITING


def test_the_header_is_found_whatever_the_case_of_its_name() -> None:
    headers = {name.lower(): value for name, value in signed(FAILED).items()}
    assert received(FAILED, headers, account(), AT).key.startswith("stripe:")


def test_a_body_that_was_written_anew_on_the_way_is_refused() -> None:
    """Same JSON, other bytes: the signature is over what was sent."""
    rewritten = json.dumps(json.loads(FAILED)).encode()
    with pytest.raises(BadSignature, match="let nothing between Stripe and dunr change the body"):
        received(rewritten, signed(FAILED), account(), AT)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "t=,v1=",
        "v1=00",
        f"t={int(AT.timestamp())}",
        f"t=1,t=2,v1={'0' * 64}",
        f"t=٤٢,v1={'0' * 64}",
        "t=1," + ",".join(["v1=00"] * 17),
        "t=1,v1=" + "0" * 5000,
        "t=1,v1=\udcff",
    ],
)
def test_a_strange_header_is_a_bad_signature_and_no_crash(header: str | None) -> None:
    headers = {} if header is None else {"Stripe-Signature": header}
    with pytest.raises(BadSignature):
        received(FAILED, headers, account(), AT)


def test_only_the_scheme_that_cannot_be_forged_counts() -> None:
    with pytest.raises(BadSignature):
        received(FAILED, signed(FAILED, scheme="v0"), account(), AT)


@pytest.mark.parametrize(("seconds", "fits"), [(300, True), (301, False), (-300, True), (-301, False)])
def test_a_signature_is_believed_for_five_minutes_on_both_sides(seconds: int, *, fits: bool) -> None:
    now = AT + timedelta(seconds=seconds)
    if fits:
        assert received(FAILED, signed(FAILED), account(), now).received_at == now
        return
    with pytest.raises(BadSignature) as caught:
        received(FAILED, signed(FAILED), account(), now)
    assert caught.value.skew_seconds == seconds  # a clock is off, and not the sender


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"id": 1, "type": "x", "livemode": false}', b"[" * 100_000])
def test_what_is_signed_and_no_event_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest):
        taken(body)


def test_an_event_of_the_other_mode_is_recorded_and_never_applied() -> None:
    inbound = taken(event("invoice.paid", invoice(NEWEST), livemode=True))
    assert (inbound.state, inbound.note) == (InboundState.IGNORED, "it is of live mode, and this is test mode")
    inbound = taken(FAILED, live=True)
    assert (inbound.state, inbound.note) == (InboundState.IGNORED, "it is of test mode, and this is live mode")


def test_an_event_of_a_connected_account_is_its_own_where_it_is_served() -> None:
    theirs = event("invoice.payment_failed", invoice(NEWEST), account="acct_connected")
    assert (taken(theirs).state, taken(theirs).note) == (InboundState.IGNORED, "it belongs to another account")
    for connected in ("acct_connected", EVERY_ACCOUNT):
        inbound = taken(theirs, connected=(connected,))
        assert (inbound.state, inbound.account) == (InboundState.WAITING, "acct_connected")
        assert inbound.key.startswith("stripe:acct_connected:")


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("plan.created", "events of this type are not used"),
        ("made.up.by.a.later.version", "events of this type are not used"),
        ("invoice.upcoming", "an upcoming invoice has no id yet, so there is nothing to collect"),
        ("invoice.created", "a draft is not to be collected yet"),
    ],
)
def test_a_type_that_is_not_used_is_recorded_with_its_reason(kind: str, why: str) -> None:
    inbound = taken(event(kind, {"id": None, "object": "whatever"}))
    assert (inbound.state, inbound.note) == (InboundState.IGNORED, why)


def test_a_thin_event_comes_in_at_the_same_address() -> None:
    body = thin("v1.invoice.payment_failed", "invoice", "in_1", context="acct_connected")
    inbound = taken(body, connected=("acct_connected",))
    assert (inbound.state, inbound.key) == (InboundState.WAITING, "stripe:acct_connected:evt_test_thin")
    assert taken(thin("v2.core.account.updated", "v2.core.account", "acct_1")).state is InboundState.IGNORED


def test_a_delivery_that_is_repeated_is_the_same_body_although_fewer_endpoints_wait_for_it() -> None:
    first, again = taken(FAILED), taken(FAILED.replace(b'"pending_webhooks": 1', b'"pending_webhooks": 0'))
    assert first.body != again.body
    assert (first.key, first.body_sha256) == (again.key, again.body_sha256)
    other = taken(FAILED.replace(b"4900", b"4901"))
    assert (other.key, other.body_sha256 == first.body_sha256) == (first.key, False)


def test_two_endpoints_that_are_told_in_two_versions_contradict_each_other_in_nothing() -> None:
    """One event, two bodies, no forgery: each is kept under the version it was told in."""
    older, newer = (taken(event("invoice.payment_failed", invoice(version), version)) for version in (OLDEST, BASIL))
    assert {older.key, newer.key} == {f"stripe:{ACCOUNT}:evt_1@{OLDEST}", f"stripe:{ACCOUNT}:evt_1@{BASIL}"}
