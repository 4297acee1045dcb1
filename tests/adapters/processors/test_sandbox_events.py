"""Who sent this, and what is it about: signatures over raw bytes, both ends of the tolerance, secrets being replaced, modes mixed up (C22 to C25)."""

import hashlib
import hmac
import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dunr.adapters.processors.sandbox import events
from dunr.errors import BadEvent, BadRequest, BadSignature
from dunr.ports import Inbound, InboundState, Subject
from tests.adapters.processors.sandboxes import ACCOUNT, NEW, OLD, START_AT, account

NOW = START_AT
T = int(NOW.timestamp())
HEAD = {"id": "evt_1", "type": "invoice.payment_failed", "created": T, "account": ACCOUNT, "live": False}
BODY = json.dumps(HEAD | {"data": {"invoice": "in_1", "customer": "cus_1"}}).encode()


def mark(body: bytes, secret: str = NEW, t: int = T) -> str:
    return hmac.new(secret.encode(), f"{t}.".encode() + body, hashlib.sha256).hexdigest()


def header(body: bytes = BODY, *secrets: str, t: int = T) -> str:
    return ",".join([f"t={t}", *(f"v1={mark(body, secret, t)}" for secret in secrets or (NEW,))])


def receive(body: bytes = BODY, signature: str | None = None, *secrets: str, live: bool = False) -> Inbound:
    headers = {"Sandbox-Signature": header(body) if signature is None else signature}
    return events.received(body, headers, account(*(secrets or (NEW,)), live=live), NOW)


def event(kind: str, **data: object) -> Inbound:
    body = json.dumps(HEAD | {"type": kind, "data": data}).encode()
    return receive(body)


# --- C22 ------------------------------------------------------------------------------------------------------------------


def test_c22_the_bytes_as_they_came_are_what_is_signed() -> None:
    body = (
        '{ "type":"invoice.paid" ,"live": false, "odd": [1.0, "Zo\\u00eb and ë", "a\\/b"],'
        f'\n\t"account":"{ACCOUNT}", "data":{{"invoice":"in_1"}},"id":"evt_22"}}\n'
    ).encode()
    inbound = receive(body)
    assert inbound.body == body
    assert inbound.body_sha256 == hashlib.sha256(body).hexdigest()
    redumped = json.dumps(json.loads(body)).encode()
    with pytest.raises(BadSignature):
        receive(redumped, header(body))
    for changed in (body[:-1], body + b" ", body.replace(b"\\/", b"/"), body.replace(b"1.0", b"1")):
        with pytest.raises(BadSignature):
            receive(changed, header(body))


# --- C23 ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "passes"), [(-301, False), (-299, True), (0, True), (299, True), (3600, False)])
def test_c23_the_window_has_two_sides(seconds: int, passes: bool) -> None:
    signature = header(t=T + seconds)
    if passes:
        assert receive(signature=signature).state is InboundState.WAITING
        return
    with pytest.raises(BadSignature) as caught:
        receive(signature=signature)
    assert caught.value.skew_seconds == -seconds


def test_c23_only_a_genuine_signature_tells_of_a_skew() -> None:
    with pytest.raises(BadSignature) as caught:
        receive(signature=f"t={T - 3600},v1={mark(BODY, 'whsec_forged', T - 3600)}")
    assert caught.value.skew_seconds is None


def test_c23_the_age_is_judged_on_arrival_alone() -> None:
    inbound = receive()
    assert inbound.received_at == NOW
    assert events.subject_of(inbound).processor_invoice_id == "in_1"  # forty minutes later, or a year


# --- C24 ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("configured", [(NEW,), (OLD,), (OLD, NEW)])
def test_c24_any_mark_may_fit_any_secret(configured: tuple[str, ...]) -> None:
    assert receive(BODY, header(BODY, OLD, NEW), *configured).state is InboundState.WAITING


def test_c24_an_old_secret_that_was_removed_opens_nothing() -> None:
    with pytest.raises(BadSignature):
        receive(BODY, header(BODY, OLD), NEW)


@pytest.mark.parametrize(
    "signature",
    [
        "",
        f"t={T}",
        f"t={T},v1=",
        f"t={T},v0={mark(BODY)}",
        f"v1={mark(BODY)}",
        f"t={T},t={T},v1={mark(BODY)}",
        f"t=,v1={mark(BODY)}",
        f"t=-{T},v1={mark(BODY)}",
        f"t={T}.0,v1={mark(BODY)}",
        f"t={T},v1={mark(BODY).upper()}",
        f"t={T},v1={mark(BODY)[:-1]}",
        f"t={T},v1=é",
        f"t={T}," + ",".join(["v1=00"] * 17),
        "t=1," + "v1=0," * 1000,
    ],
)
def test_c24_whatever_is_no_signature_is_refused(signature: str) -> None:
    with pytest.raises(BadSignature):
        receive(signature=signature)


def test_a_missing_header_is_refused_and_its_name_has_no_case() -> None:
    with pytest.raises(BadSignature):
        events.received(BODY, {}, account(NEW), NOW)
    assert events.received(BODY, {"sandbox-signature": header()}, account(NEW), NOW).key == f"sandbox:{ACCOUNT}:evt_1"


# --- C25 ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("theirs", "ours", "word"), [(False, True, "test mode"), (True, False, "live mode")])
def test_c25_an_event_of_the_other_mode_is_recorded_and_no_more(theirs: bool, ours: bool, word: str) -> None:
    body = json.dumps(HEAD | {"live": theirs, "data": {"invoice": "in_1"}}).encode()
    inbound = receive(body, live=ours)
    assert inbound.state is InboundState.IGNORED
    assert word in inbound.note


def test_c25_an_event_of_another_account_is_recorded_and_no_more() -> None:
    inbound = receive(json.dumps(HEAD | {"account": "acct_other"}).encode())
    assert (inbound.state, inbound.account) == (InboundState.IGNORED, "acct_other")
    assert inbound.key == "sandbox:acct_other:evt_1"


def test_an_event_of_a_type_that_is_not_used_is_recorded_and_no_more() -> None:
    inbound = event("mandate.updated", invoice="in_1")
    assert (inbound.state, inbound.note) == (InboundState.IGNORED, "events of this type are not used")


# --- bodies ---------------------------------------------------------------------------------------------------------------

SECRET_WORD = b"4242424242424242"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"4242424242424242"',
        b'{"id": "4242424242424242"',
        b"[" * 500_000,
        b'{"data":' * 100_000,
        b'{"id": "\xff4242424242424242"}',
        json.dumps(HEAD | {"id": 4242424242424242}).encode(),
        json.dumps(HEAD | {"id": ""}).encode(),
        json.dumps(HEAD | {"id": "evt 4242424242424242\n"}).encode(),
        json.dumps(HEAD | {"id": "e" * 201}).encode(),
        json.dumps(HEAD | {"live": "false"}).encode(),
        json.dumps(HEAD | {"type": None}).encode(),
    ],
)
def test_what_is_signed_and_no_event_is_refused_without_an_echo(body: bytes) -> None:
    with pytest.raises(BadRequest) as caught:
        receive(body)
    assert SECRET_WORD.decode() not in f"{caught.value} {caught.value.__cause__}"


@given(st.binary(max_size=200))
def test_no_signed_bytes_can_raise_anything_else(body: bytes) -> None:
    with pytest.raises(BadRequest):
        receive(body)


@given(st.text(max_size=200), st.binary(max_size=50))
def test_no_header_can_raise_anything_else(signature: str, body: bytes) -> None:
    with pytest.raises(BadSignature):
        receive(body, signature)


# --- what it is about -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "data", "wide"),
    [
        ("invoice.payment_failed", {"invoice": "in_1", "customer": "cus_1"}, False),
        ("charge.returned", {"invoice": "in_1"}, False),
        ("dispute.opened", {"invoice": "in_1", "customer": "cus_1"}, True),
        ("subscription.deleted", {"subscription": "sub_1", "customer": "cus_1"}, True),
        ("payment_method.attached", {"customer": "cus_1"}, True),
        ("customer.deleted", {"customer": "cus_1"}, True),
    ],
)
def test_an_event_names_what_it_is_about(kind: str, data: dict[str, str], wide: bool) -> None:
    subject = events.subject_of(event(kind, **data))
    assert subject == Subject(data.get("invoice"), data.get("subscription"), data.get("customer"), wide)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("invoice.payment_failed", {}),
        ("invoice.payment_failed", {"invoice": 7}),
        ("dispute.opened", {"invoice": "in_1"}),
        ("subscription.deleted", {"customer": "cus_1"}),
        ("customer.deleted", {"invoice": "in_1"}),
        ("payment_method.attached", {"customer": None}),
    ],
)
def test_an_event_without_what_it_must_name_is_bad(kind: str, data: dict[str, object]) -> None:
    with pytest.raises(BadEvent):
        events.subject_of(event(kind, **data))


def test_an_event_without_data_is_bad() -> None:
    with pytest.raises(BadEvent):
        events.subject_of(receive(json.dumps(HEAD).encode()))


def test_every_supported_type_needs_something() -> None:
    for kind in events.SUPPORTED_EVENTS:
        with pytest.raises(BadEvent):
            events.subject_of(event(kind))


def test_the_tolerance_is_a_setting() -> None:
    narrow = account(NEW, tolerance_seconds=10)
    with pytest.raises(BadSignature):
        events.received(BODY, {"sandbox-signature": header()}, narrow, NOW + timedelta(seconds=11))
