"""The exam for what a processor's adapter does with webhooks: `verify` and `translate`.

To put your own adapter to the test, subclass the exam where pytest finds it, and say how yours is made, how its processor signs, and what it sends:

    class TestMyDoor(DoorExam):
        now = datetime(2026, 6, 23, 10, tzinfo=UTC)

        def make(self) -> Door:
            return MyProcessor(...)

        def signed(self, body: bytes, at: datetime) -> Mapping[str, str]:
            return {"my-signature": ...}

        def others_secret(self, body: bytes, at: datetime) -> Mapping[str, str]:
            return {"my-signature": ...}

        def bodies(self) -> Sequence[bytes]:
            return [b'{"id": "evt_1", …}', …]

`bodies` are genuine ones of different events, best as they were recorded; `others_secret` are headers that somebody else's secret makes.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from dunr.errors import BadEvent, BadRequest, BadSignature
from dunr.ports import Inbound, InboundState, Subject

TOO_OLD = timedelta(hours=1)
NO_EVENTS = (b"", b"null", b"[]", b"\xff\xfe", b'"text"', b"[" * 50_000)


class Door(Protocol):
    """The part of the port `Processor` that sees webhooks."""

    name: str

    def verify(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Sequence[Inbound]:
        """As in the port."""
        ...

    def translate(self, inbound: Inbound) -> Subject:
        """As in the port."""
        ...


class DoorExam(ABC):
    """What the intake relies on."""

    now: datetime

    @abstractmethod
    def make(self) -> Door:
        """The adapter."""

    @abstractmethod
    def signed(self, body: bytes, at: datetime) -> Mapping[str, str]:
        """The headers by which the processor proves a body."""

    @abstractmethod
    def others_secret(self, body: bytes, at: datetime) -> Mapping[str, str]:
        """The same by a secret that is not configured."""

    @abstractmethod
    def bodies(self) -> Sequence[bytes]:
        """Genuine bodies, each of another event."""

    # --- the questions ----------------------------------------------------------------------------------------------------------

    def test_what_was_signed_is_taken_as_it_came(self) -> None:
        """Byte by byte, under one key for each event, with the account and the mode told."""
        assert self.bodies(), "the exam needs bodies"
        keys: list[str] = []
        for body in self.bodies():
            inbounds = self._taken(body)
            assert inbounds
            for inbound in inbounds:
                assert inbound.processor == self.make().name
                assert inbound.key.startswith(f"{inbound.processor}:{inbound.account}:")
                assert inbound.received_at == self.now
                assert inbound.note or inbound.state is InboundState.WAITING, "what is ignored says why"
                keys.append(inbound.key)
        assert len(set(keys)) == len(keys), "two events have the same key: the second would be taken for a repeat"

    def test_a_repeat_has_the_same_key(self) -> None:
        """A processor delivers again, perhaps days later with a new signature."""
        for body in self.bodies():
            first, again = self._taken(body), self.make().verify(body, self.signed(body, self.now), self.now)
            assert [one.key for one in first] == [one.key for one in again]
            assert [one.body_sha256 for one in first] == [one.body_sha256 for one in again]

    def test_the_case_of_a_header_s_name_does_not_matter(self) -> None:
        """Servers and proxies write names as they like."""
        for body in self.bodies():
            for write in (str.lower, str.upper, str.title):
                headers = {write(name): value for name, value in self.signed(body, self.now).items()}
                lowered = {name.lower(): value for name, value in headers.items()}
                assert self.make().verify(body, lowered, self.now)

    def test_what_was_not_signed_is_refused(self) -> None:
        """Another body, another secret, no header, an empty one."""
        for body in self.bodies():
            signed = self.signed(body, self.now)
            attempts = [
                (body + b" ", signed),
                (body[:-1], signed),
                (body, self.others_secret(body, self.now)),
                (body, {}),
                (body, dict.fromkeys(signed, "")),
                (body, dict.fromkeys(signed, "9" * 5_000)),
            ]
            for forged, headers in attempts:
                assert self._refusal(forged, headers, self.now) is BadSignature

    def test_a_signature_that_is_old_or_from_the_future_is_refused(self) -> None:
        """Whoever has seen a body once may send it again for ever otherwise."""
        for body in self.bodies():
            headers = self.signed(body, self.now)
            for now in (self.now + TOO_OLD, self.now - TOO_OLD):
                assert self._refusal(body, headers, now) is BadSignature

    def test_what_is_signed_and_no_event_is_a_clear_refusal(self) -> None:
        """The sender hears what is wrong, and nothing is kept."""
        for body in NO_EVENTS:
            assert self._refusal(body, self.signed(body, self.now), self.now) in (BadRequest, BadSignature)

    def test_what_an_event_is_about_is_always_the_same_and_names_something(self) -> None:
        """Translating asks nobody, and says what must be looked at, or that it cannot be read."""
        for body in self.bodies():
            for inbound in self._taken(body):
                if inbound.state is not InboundState.WAITING:
                    continue
                try:
                    subject = self.make().translate(inbound)
                except BadEvent:
                    continue
                assert subject == self.make().translate(inbound)

    def _taken(self, body: bytes) -> Sequence[Inbound]:
        return self.make().verify(body, self.signed(body, self.now), self.now)

    def _refusal(self, body: bytes, headers: Mapping[str, str], now: datetime) -> type[Exception] | None:
        try:
            self.make().verify(body, headers, now)
        except (BadSignature, BadRequest) as refused:
            return type(refused)
        return None
