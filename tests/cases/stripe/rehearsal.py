"""A whole dunr at a Stripe for a story: `dunr serve` with the Stripe adapter, and the sandbox that answers and tells as Stripe does."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.cases.rehearsal import Json, Rehearsal
from tests.cases.running import SECRET

STRIPE_KEY = "sk_test_sandbox"
ACCOUNT = "acct_sandbox"


class StripeRehearsal(Rehearsal):
    """One dunr and one Stripe. What happens is told to the sandbox as in every other story."""

    def __init__(self, folder: Path, *, version: str | None = None, **environment: str) -> None:
        """`version` is the API version in which the account's events are told; left out: the newest."""
        super().__init__(folder, **environment)
        self._version = version
        self.environment |= {
            "DUNR_PROCESSOR": "stripe",
            "DUNR_ACCOUNT": ACCOUNT,
            "DUNR_STRIPE_API_KEY": STRIPE_KEY,
            "DUNR_STRIPE_URL": f"http://127.0.0.1:{self.sandbox_port}",
            "DUNR_STRIPE_RATE_MAX": "1000",
        } | environment

    def start_sandbox(self) -> None:
        arguments = ["sandbox", "--port", str(self.sandbox_port), "--webhook-url", f"{self.url}/webhooks/stripe"]
        arguments += ["--secret", SECRET, "--clock", self.clock, "--database", str(self.folder / "sandbox.db")]
        arguments += ["--stripe", *(["--stripe-version", self._version] if self._version is not None else [])]
        if self.clock == "manual":
            arguments += ["--clock-start", self.environment["DUNR_CLOCK_START"]]
        self.run("sandbox", *arguments)

    def deliver(self, body: bytes, header: str | None, **headers: str) -> httpx.Response:
        """Somebody posts these very bytes to the intake."""
        signed = {"stripe-signature": header} if header is not None else {}
        return self.http.post("/webhooks/stripe", content=body, headers=signed | headers)

    def asked(self, operation: str) -> list[Json]:
        """Every request of a kind that Stripe saw, as it arrived."""
        noted = self.psp.get("/sandbox/stripe/requests").json()
        return [one for one in noted if one["operation"] == operation]

    def letters(self, state: str) -> list[Json]:
        """Every webhook that ended as `dead` or `ignored`."""
        answer = self.http.get("/v1/deadletters", params={"state": state})
        assert answer.is_success, answer.text
        return list(answer.json()["deadletters"])


@contextmanager
def rehearse_at_stripe(folder: Path, *, version: str | None = None, **environment: str) -> Iterator[StripeRehearsal]:
    """A running dunr beside a running Stripe."""
    rehearsal = StripeRehearsal(folder, version=version, **environment)
    try:
        rehearsal.start_sandbox()
        rehearsal.start_serve()
        rehearsal.sandbox_ready()
        yield rehearsal
    finally:
        rehearsal.close()
