"""What a check of the set-up comes to, and who can be checked: the words that `dunr doctor`, the adapters and `dunr connect` share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable


class Level(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor: what was looked at, what was found, and what to do about it."""

    about: str
    level: Level
    found: str
    to_do: str = ""


@runtime_checkable
class Inspected(Protocol):
    """A processor that can look at its own set-up. Nothing is moved, changed or sent."""

    def inspect(self, account: str, webhook_url: str) -> Iterator[Check]:
        """Every check, in the order in which a person would make them. Never raises for what the processor says."""
        ...


@runtime_checkable
class Greeted(Protocol):
    """A mail transport whose server can be greeted."""

    def greet(self) -> str | None:
        """Connect, greet and log in as for a mail, and send none; what went wrong, or None."""
        ...


@dataclass(frozen=True, slots=True)
class Permission:
    """One permission of a restricted key, as the processor's page names it."""

    resource: str
    level: str
    why: str


@dataclass(frozen=True, slots=True)
class Connected:
    """What became of the endpoint. `secret` is told once, when it is made; None where it was there already."""

    endpoint_id: str
    secret: str | None
    events_added: Sequence[str] = ()


class Connector(Protocol):
    """Makes the webhook endpoint at the processor."""

    def connect(self, url: str) -> Connected:
        """Make the endpoint, or have the one at this address told what it lacks. Raises `SnapshotUnavailable` with what the processor says."""
        ...

    def close(self) -> None:
        """Let go of the connections."""
        ...


class Connects(Protocol):
    """Opens a connector for an account; with `connected`, the endpoint hears of connected accounts, too."""

    def __call__(
        self, *, url: str, api_key: str, account: str, timeout_seconds: float, connected: bool
    ) -> Connector: ...


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the processor has to know of us, what our key has to be allowed, and who makes the endpoint."""

    events: Sequence[str]
    api_version: str
    permissions: Sequence[Permission]
    connector: Connects
