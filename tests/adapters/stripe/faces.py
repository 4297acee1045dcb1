"""The adapter in front of the sandbox's Stripe face, which runs as a process of its own."""

from datetime import datetime
from pathlib import Path

from dunr.adapters.processors.stripe.events import StripeAccount
from dunr.adapters.processors.stripe.processor import StripeProcessor
from dunr.core.attempt import Attempt, MethodRef
from dunr.core.terms import Rail, Trigger
from dunr.pacing import Unpaced
from dunr.ports import ChargeRequest
from tests.sandbox.processes import SECRETS, START, SandboxProcess

ACCOUNT = "acct_sandbox"
KEY = "sk_test_sandbox"
START_AT = datetime.fromisoformat(START)


class StripeFace(SandboxProcess):
    """`dunr sandbox --stripe` on the manual clock, and how a story is told to it."""

    def __init__(self, folder: Path, webhook_url: str | None = None, *more: str) -> None:
        super().__init__(folder, webhook_url, more=("--stripe", *more))
        self.url = f"http://127.0.0.1:{self.port}"

    def pin(self, version: str, **more: object) -> None:
        """The version in which events are told."""
        answer = self.http.patch("/sandbox/stripe/webhook_endpoints/we_sandbox", json={"api_version": version} | more)
        assert answer.status_code == 200, answer.text

    def asked(self, operation: str) -> list[dict[str, object]]:
        """Every request of a kind, as it arrived."""
        noted = self.http.get("/sandbox/stripe/requests").json()
        return [one for one in noted if one["operation"] == operation]


def account(*, live: bool = False, connected: tuple[str, ...] = (), own: str = ACCOUNT) -> StripeAccount:
    return StripeAccount(
        account=own, live=live, webhook_secrets=SECRETS, tolerance_seconds=300, connected=frozenset(connected)
    )


def adapter_of(
    face: StripeFace, *, key: str = KEY, timeout_seconds: float = 10.0, of: StripeAccount | None = None
) -> StripeProcessor:
    return StripeProcessor.opened(
        of or account(), url=face.url, api_key=key, timeout_seconds=timeout_seconds, pace=Unpaced()
    )


def request(key: str = "dunr-in_1-a1", invoice: str = "in_1", card: str = "pm_1") -> ChargeRequest:
    return ChargeRequest(ACCOUNT, invoice, key, 4900, "usd", card)


def attempt(key: str = "dunr-in_1-a1", *, begun_at: datetime = START_AT, card_key: str = "pm_1") -> Attempt:
    return Attempt(
        number=1,
        round=1,
        trigger=Trigger.TIMER,
        step_number=1,
        after_reason=None,
        key=key,
        amount_minor=4900,
        currency="usd",
        method=MethodRef("pm_1", card_key, f"{card_key}/-", Rail.CARD),
        begun_at=begun_at,
        fence=1,
    )
