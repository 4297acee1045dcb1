"""What pytest finds by itself where dunr is installed: a sandbox, a clock that stands still, scenarios, and replays. docs/testing.md shows each.

Nothing is imported before a test asks for it, so that the tests of whoever has dunr installed for other reasons cost nothing.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import httpx

    from dunr.core.policy import Policy
    from dunr.testing.replay import Replayed
    from dunr.testing.scenario_world import World

START = datetime(2026, 6, 23, 10, tzinfo=UTC)
STARTED_SECONDS_MAX = 20.0


class StandingClock:
    """The port `Clock`: it stands still until a test moves it, and never goes back."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        """The present instant."""
        return self._now

    def advance(self, **step: float) -> datetime:
        """Move on, by the words of `timedelta`: `advance(days=1, hours=2)`."""
        return self.move_to(self._now + timedelta(**step))

    def move_to(self, at: datetime) -> datetime:
        """Move on to an instant."""
        assert at >= self._now, f"time does not run backward, from {self._now.isoformat()} to {at.isoformat()}"
        self._now = at
        return at


class SandboxFixture:
    """A processor of one test's own, on a port of its own, under a clock that the test moves (`POST /sandbox/clock`)."""

    api_key = "sk_sandbox_test"
    webhook_secret = "whsec_test"  # noqa: S105 - of a sandbox that lives as long as a test

    def __init__(self, url: str, http: "httpx.Client") -> None:
        self.url = url
        self.http = http

    def fail(self, invoice: str = "in_1", **more: object) -> "httpx.Response":
        """The first charge of an invoice fails."""
        body: dict[str, object] = {"invoice": invoice, "customer": {"id": "cus_1"}, "decline": "insufficient_funds"}
        return self.http.post("/sandbox/failures", json=body | {"card": {"id": "pm_1"}} | more).raise_for_status()

    def script(self, card: str, *outcomes: str) -> None:
        """What the next charges of a card come to; the last one repeats."""
        self.http.put(f"/sandbox/cards/{card}/script", json=list(outcomes)).raise_for_status()


@pytest.fixture
def dunr_clock() -> StandingClock:
    """A clock that stands at Tuesday, 23 June 2026, 10:00 UTC."""
    return StandingClock(START)


@pytest.fixture
def dunr_sandbox(tmp_path: Path) -> Iterator[SandboxFixture]:
    """A running sandbox that calls nobody."""
    import httpx
    import uvicorn

    from dunr.sandbox.app import SandboxConfig, build_app

    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port = asked.getsockname()[1]
    fixture = SandboxFixture
    app = build_app(
        SandboxConfig(
            tmp_path / "sandbox.db",
            None,
            (fixture.webhook_secret,),
            (fixture.api_key,),
            clock="manual",
            clock_start=START,
        )
    )
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    give_up = time.monotonic() + STARTED_SECONDS_MAX
    while not server.started and thread.is_alive() and time.monotonic() < give_up:
        time.sleep(0.005)
    assert server.started, "the sandbox did not start"
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30.0, trust_env=False) as http:
            yield fixture(f"http://127.0.0.1:{port}", http)
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def dunr_scenario() -> "Callable[..., World]":
    """`dunr_scenario(text, policy=None)`: play a timeline through the core, with the facts that ship."""
    from dunr.facts.load import load_facts
    from dunr.testing.scenario import play

    def scenario(text: str, policy: "Policy | None" = None) -> "World":
        return play(text, load_facts(), policy)

    return scenario


@pytest.fixture
def dunr_replay() -> "Callable[..., Replayed]":
    """`dunr_replay(door, recorded, seed, now)`: deliver recorded webhooks as badly as the seed says."""
    from dunr.testing.replay import replay

    return replay
