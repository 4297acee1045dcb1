"""A whole dunr for a story: `dunr serve`, `dunr sandbox` and any number of `dunr worker`, each a process of its own on real files.

A test says what happens in the words of the trade, and reads only what a merchant could read: the intake's answers, what the processor saw, mails, access, the case,
the ledger and the alerts.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx

from tests.cases.running import KEY, SECRET, START, Running

__all__ = ["KEY", "SECRET", "START", "Json", "Rehearsal", "payer", "rehearse", "signature", "until"]

WAIT_SECONDS = 30.0
Json = dict[str, Any]
T = TypeVar("T")


def until(question: Callable[[], T], seconds: float = WAIT_SECONDS) -> T:
    """Ask again until the answer is true; the last answer is shown where it never is.

    Who has waited long asks seldom: each answer takes the time of those who are waited for.
    """
    began = time.monotonic()
    while True:
        answer = question()
        if answer:
            return answer
        waited = time.monotonic() - began
        assert waited < seconds, f"still {answer!r} after {seconds} s"
        time.sleep(min(max(0.02, waited / 10), 1.0))


def payer(name: str, **more: object) -> Json:
    """Another customer than the one of `fail`."""
    person: Json = {"id": f"cus_{name}", "email": f"{name}@example.com", "name": name.title()}
    return person | {"locale": "en", "timezone": "UTC", "country": "GB"} | more


def described(card: str | Json) -> Json:
    """A card by its name, or by more than that."""
    more = {"id": card} if isinstance(card, str) else card
    return {"network": "visa", "last4": "4242", "fingerprint": f"fp_{more['id']}"} | more


def signature(body: bytes, at: datetime, *secrets: str) -> str:
    """The header over these bytes as the processor would write it, with one mark for each secret."""
    signed = f"{int(at.timestamp())}.".encode() + body
    marks = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={int(at.timestamp())}", *(f"v1={mark}" for mark in marks)])


class Rehearsal(Running):
    """One dunr and one sandbox. On the manual clock the test moves the time; on the system clock workers do the work."""

    # --- what happens -----------------------------------------------------------------------------------------------

    def fail(self, invoice: str, *, card: str | Json | None = "card_1", **more: object) -> Json:
        """The first charge of an invoice fails: insufficient funds on one card, unless the story says otherwise."""
        body: Json = {
            "subscription": f"sub_{invoice}",
            "invoice": invoice,
            "customer": {
                "id": "cus_1",
                "email": "ada@example.com",
                "name": "Ada",
                "locale": "en",
                "timezone": "UTC",
                "country": "GB",
            },
            "amount_minor": 4900,
            "currency": "usd",
            "card": described(card) if card else None,
            "decline": "insufficient_funds" if card else None,
        }
        return self.tell("/sandbox/failures", body | more)

    def script(self, card: str, *outcomes: str) -> None:
        """What the next charges of a card answer; the last one repeats."""
        answer = self.psp.put(f"/sandbox/cards/{card}/script", json=list(outcomes))
        assert answer.is_success, answer.text

    def tell(self, path: str, body: object | None = None, method: str = "POST") -> Json:
        """Something happens at the processor; on the manual clock everybody is quiet again before the story goes on."""
        answer = self.psp.request(method, path, json=body if body is not None else {})
        assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
        self.settle()
        told: Json = answer.json() if answer.content else {}
        return told

    def event(self, **body: object) -> list[int]:
        """The processor sends an event of the tester's making; what the intake answered."""
        told = self.tell("/sandbox/webhooks/send", body)
        return [answer["status"] for answer in told["answers"]]

    def deliver(self, body: bytes, header: str | None, **headers: str) -> httpx.Response:
        """Somebody posts these very bytes to the intake."""
        signed = {"sandbox-signature": header} if header is not None else {}
        return self.http.post("/webhooks/sandbox", content=body, headers=signed | headers)

    def add_card(self, customer: str, card: str, **more: object) -> Json:
        """The customer puts another card on file, which becomes the default."""
        body: Json = {"id": card, "network": "visa", "last4": "1111", "fingerprint": f"fp_{card}"}
        return self.tell(f"/sandbox/customers/{customer}/card", body | more)

    def set(self, **settings: object) -> None:
        """Turn the sandbox's settings."""
        answer = self.psp.patch("/sandbox/settings", json=settings)
        assert answer.is_success, answer.text

    def settle(self) -> None:
        """Let news arrive and be applied at this very instant."""
        if self.clock == "manual" and "serve" in self.processes:
            self.advance(seconds=0)

    def advance(self, to: str | None = None, seconds: float | None = None) -> Json:
        """Move the time, through everything that is due on the way."""
        body = {"to": to} if to is not None else {"seconds": seconds}
        answer = self.http.post("/v1/test/clock/advance", json=body)
        assert answer.is_success, f"{answer.status_code} {answer.text}\n{self.log('serve')}"
        moved: Json = answer.json()
        return moved

    def now(self) -> datetime:
        return datetime.fromisoformat(self.http.get("/v1/test/clock").json()["now"])

    def pay_now(self, invoice: str) -> httpx.Response:
        """The customer clicks."""
        return self.http.post(f"/v1/cases/{invoice}/pay-now")

    def act(self, invoice: str, action: str, **body: object) -> httpx.Response:
        """An operator acts."""
        return self.http.post(f"/v1/cases/{invoice}/{action}", json=body)

    # --- what can be seen -------------------------------------------------------------------------------------------

    def charges(self, invoice: str) -> list[Json]:
        """Every charge request of an invoice that the processor saw, ours and others'."""
        answer = self.psp.get("/sandbox/charges", params={"invoice": invoice})
        assert answer.is_success, answer.text
        seen: list[Json] = answer.json()
        return seen

    def requests(self, invoice: str) -> list[Json]:
        """The charge requests that dunr made."""
        return [charge for charge in self.charges(invoice) if charge.get("key")]

    def times(self, invoice: str) -> list[str]:
        """When dunr asked for the money, to the minute."""
        return [request["at"][:16] for request in self.requests(invoice)]

    def captures(self, invoice: str) -> int:
        """How often money moved, whoever moved it."""
        return sum(bool(charge["captured"]) for charge in self.charges(invoice))

    def find(self, invoice: str) -> Json | None:
        """The story of a case, or None where there is none."""
        answer = self.http.get(f"/v1/cases/{invoice}")
        if answer.status_code == 404:
            return None
        assert answer.is_success, answer.text
        story: Json = answer.json()
        return story

    def case(self, invoice: str) -> Json:
        found = self.find(invoice)
        assert found is not None, f"there is no case for {invoice}"
        return found

    def cases(self) -> list[Json]:
        answer = self.http.get("/v1/cases", params={"limit": 200})
        assert answer.is_success, answer.text
        listed: list[Json] = answer.json()["cases"]
        return listed

    def access(self, subscription: str) -> str:
        answer = self.http.get(f"/v1/entitlements/{subscription}")
        assert answer.is_success, answer.text
        return str(answer.json()["access"])

    def mails(self, kind: str | None = None) -> list[Json]:
        """What left, oldest first."""
        answer = self.http.get("/outbox", headers={"accept": "application/json"})
        assert answer.is_success, answer.text
        mails: list[Json] = answer.json()["mails"] if isinstance(answer.json(), dict) else answer.json()
        return [mail for mail in mails if kind is None or mail["kind"] == kind]

    def mails_to(self, address: str) -> list[str]:
        """The kinds of what one person got, oldest first."""
        return [mail["kind"] for mail in self.mails() if mail["to"] == address]

    def alerts(self, kind: str | None = None) -> list[Json]:
        answer = self.http.get("/v1/alerts")
        assert answer.is_success, answer.text
        alerts: list[Json] = answer.json()["alerts"] if isinstance(answer.json(), dict) else answer.json()
        return [alert for alert in alerts if kind is None or alert["kind"] == kind]

    def postings(self, invoice: str) -> list[Json]:
        return list(self.case(invoice)["postings"])

    def posted(self, invoice: str, kind: str) -> int:
        """The sum of the debits of one kind of entry."""
        of_kind = [posting for posting in self.postings(invoice) if posting["kind"] == kind]
        return sum(amount for posting in of_kind for _, amount in posting["lines"] if amount > 0)

    def balance(self, invoice: str) -> dict[str, int]:
        """The balance of each account of a case; all of them together are zero."""
        balance: dict[str, int] = {}
        for posting in self.postings(invoice):
            for account, amount in posting["lines"]:
                balance[account] = balance.get(account, 0) + amount
        return balance


@contextmanager
def rehearse(
    folder: Path, *, clock: str = "manual", start: str = START, serve: tuple[str, ...] = (), **environment: str
) -> Iterator[Rehearsal]:
    """A running dunr beside a running sandbox."""
    rehearsal = Rehearsal(folder, clock=clock, start=start, **environment)
    try:
        rehearsal.start_sandbox()
        rehearsal.start_serve(*serve)
        rehearsal.sandbox_ready()
        yield rehearsal
    finally:
        rehearsal.close()
