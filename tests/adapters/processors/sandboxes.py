"""The adapter in front of a sandbox that runs as a process of its own."""

from datetime import datetime

from dunr.adapters.processors.admission import WebhookAccount
from dunr.adapters.processors.sandbox.client import SandboxClient
from dunr.adapters.processors.sandbox.processor import SandboxProcessor
from dunr.core.attempt import Attempt
from dunr.core.facts import ProcessorFacts
from dunr.core.terms import Trigger
from dunr.pacing import Unpaced
from dunr.ports import ChargeRequest
from tests.sandbox.processes import KEY, START, SandboxProcess

ACCOUNT = "acct_sandbox"
START_AT = datetime.fromisoformat(START)
OLD, NEW = "whsec_old", "whsec_new"


def account(*secrets: str, live: bool = False, tolerance_seconds: int = 300) -> WebhookAccount:
    return WebhookAccount(
        account=ACCOUNT, live=live, webhook_secrets=secrets or (OLD, NEW), tolerance_seconds=tolerance_seconds
    )


def adapter(url: str, *, key: str = KEY, timeout_seconds: float = 10.0, live: bool = False) -> SandboxProcessor:
    return SandboxProcessor(account(live=live), SandboxClient(url, key, timeout_seconds, Unpaced()), ProcessorFacts())


def adapter_of(sandbox: SandboxProcess, **more: object) -> SandboxProcessor:
    return adapter(f"http://127.0.0.1:{sandbox.port}", **more)  # type: ignore[arg-type]  # handed on


def request(
    key: str = "dunr-in_1-a1",
    invoice: str = "in_1",
    amount_minor: int = 4900,
    currency: str = "usd",
    card: str = "pm_1",
) -> ChargeRequest:
    return ChargeRequest(ACCOUNT, invoice, key, amount_minor, currency, card)


def attempt(key: str = "dunr-in_1-a1") -> Attempt:
    return Attempt(
        number=1,
        round=1,
        trigger=Trigger.TIMER,
        step_number=1,
        after_reason=None,
        key=key,
        amount_minor=4900,
        currency="usd",
        method=None,
        begun_at=START_AT,
        fence=1,
    )
