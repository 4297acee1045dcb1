"""Chance at the doors: any bytes, any headers, and genuine events in which anything has become anything else.

What is not signed is never believed; what is signed is an event, or a clear refusal; what an event is about is ids that every store takes, or a clear refusal.
The corpus holds one body of each form, and each body that once broke something.
"""

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dunr.adapters import processors
from dunr.errors import BadEvent, BadRequest, BadSignature
from dunr.ports import Inbound, Subject
from tests.fuzz.doors import DOORS, SECOND, Door

pytestmark = pytest.mark.endurance

LENGTH_MAX = 1_000  # of a key or an id, as the stores keep them
# What is kept of an event beside its body. At a billing system the id is a header and the account is one.
HEADS = {"sandbox": ("type", "id", "account"), "stripe": ("type", "id", "account"), "billing_http": ("type",)}
NO_STORE_TAKES = re.compile("[\x00\ud800-\udfff]")
TRIES = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

texts = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["", "\x00", "in_1\x00", "\u202e", "é" * 300, "a" * 5_000, "in_1:in_2", "../in_1", "null", "in_1\n", " in_1"]
    ),
)
values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from([2**53, 2**64, -(2**70), 10**400]),
        st.floats(allow_nan=False),
        texts,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=8,
)
doors = pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)


@st.composite
def changed(draw: st.DrawFn, body: bytes) -> bytes:
    """A genuine event in which something is missing, is there twice, or is anything."""
    told = json.loads(body)
    for _ in range(draw(st.integers(0, 3))):
        place = told
        while isinstance(place, dict) and place:
            name = draw(st.sampled_from(sorted(place)))
            inner = place[name]
            if isinstance(inner, dict) and inner and draw(st.booleans()):
                place = inner
                continue
            match draw(st.sampled_from(("drop", "anything", "more"))):
                case "drop":
                    del place[name]
                case "anything":
                    place[name] = draw(values)
                case _:
                    place[draw(texts)] = draw(values)
            break
    return json.dumps(told, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")


def sound(inbound: Inbound) -> None:
    """What every store can keep and find again."""
    for text in (inbound.key, inbound.account, inbound.event_type):
        assert text
        assert len(text) <= LENGTH_MAX
        assert NO_STORE_TAKES.search(text) is None, repr(text)


def about(door: Door, inbound: Inbound) -> Subject | None:
    try:
        subject = door.translate(inbound)
    except BadEvent:
        return None
    for text in (subject.processor_invoice_id, subject.processor_subscription_id, subject.processor_customer_id):
        assert text is None or (0 < len(text) <= LENGTH_MAX and NO_STORE_TAKES.search(text) is None), repr(text)
    assert door.translate(inbound) == subject
    return subject


@doors
def test_every_kept_body_is_taken_and_read(door: Door) -> None:
    assert len(door.corpus) >= 5
    for body in door.corpus:
        inbound = door.verify(body, door.signed(body))
        assert inbound.body == body
        sound(inbound)
        about(door, inbound)


@doors
@TRIES
@given(data=st.data())
def test_a_genuine_event_of_any_form_is_an_event_or_a_clear_refusal(door: Door, data: st.DataObject) -> None:
    body = data.draw(st.sampled_from(door.corpus).flatmap(changed))
    try:
        inbound = door.verify(body, door.signed(body))
    except (BadRequest, BadSignature):
        return
    sound(inbound)
    assert inbound == door.verify(body, door.signed(body))
    about(door, inbound)


@pytest.mark.parametrize(("door", "name"), [(door, name) for door in DOORS for name in HEADS[door.name]], ids=str)
@pytest.mark.parametrize("odd", ["\x00", "charge.changed\x00", "", "a" * 100_000, "\ud800"])
def test_a_genuine_event_whose_head_no_store_could_keep_is_refused(door: Door, name: str, odd: str) -> None:
    """One event that a store refuses would take along all that are written with it."""
    told = json.loads(door.corpus[0])
    body = json.dumps(told | {name: odd}).encode()
    with pytest.raises(BadRequest):
        door.verify(body, door.signed(body))


@doors
@TRIES
@given(body=st.binary(max_size=300))
@example(body=b"")
@example(body=b"\xff\xfe")
@example(body=b"null")
@example(body=b"[" * 100_000)
def test_bytes_that_are_signed_and_no_event_are_refused(door: Door, body: bytes) -> None:
    with pytest.raises((BadRequest, BadSignature)):
        door.verify(body, door.signed(body))


@doors
@TRIES
@given(data=st.data())
def test_one_changed_byte_is_enough_to_be_refused(door: Door, data: st.DataObject) -> None:
    body = data.draw(st.sampled_from(door.corpus))
    headers = door.signed(body)
    at, bit = data.draw(st.integers(0, len(body) - 1)), data.draw(st.integers(0, 7))
    forged = bytearray(body)
    forged[at] ^= 1 << bit
    with pytest.raises(BadSignature):
        door.verify(bytes(forged), headers)


@doors
@TRIES
@given(data=st.data())
def test_no_header_that_we_did_not_sign_is_believed(door: Door, data: st.DataObject) -> None:
    """Text as a server reads it from the wire; and odd signatures with the right time in them."""
    written = st.text(st.characters(max_codepoint=255), max_size=200)
    marks = st.lists(
        st.sampled_from(
            [f"t={SECOND}", "v1=", "v1=" + "0" * 64, "v0=" + "0" * 64, "t=1", "v1,AAAA", str(SECOND), ",", "="]
        ),
        max_size=20,
    ).map(",".join)
    headers = {
        name: data.draw(st.one_of(written, marks, st.just("9" * 12), st.just(str(SECOND)))) for name in door.headers
    }
    dropped = data.draw(st.sampled_from([*door.headers, ""]))
    headers.pop(dropped, None)
    with pytest.raises(BadSignature):
        door.verify(data.draw(st.sampled_from(door.corpus)), headers)


def test_every_processor_has_its_door_here() -> None:
    names = {path.parent.name for path in Path(processors.__file__).parent.glob("*/events.py")}
    assert names == {door.name for door in DOORS}
