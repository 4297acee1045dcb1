"""A mail server that people's mails end in, and a dunr on the system clock whose mails leave by it, on a Tuesday whenever it is played.

The server may stop a worker at any word of the conversation, so that a test can kill it exactly there.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.adapters.mailers.servers import Post, serving
from tests.cases.racing import STARTED_SECONDS
from tests.cases.rehearsal import Json, Rehearsal, payer, until
from tests.elsewhen import CLOCK_AHEAD

MORNING = datetime(2026, 6, 23, 9, tzinfo=UTC)  # a Tuesday
ANSWER_SENT_SECONDS = 0.2


@dataclass
class Watched(Post):
    """A mailbox. `at_recipient` and `at_end` hear of each mail, before the server answers."""

    at_recipient: Callable[[str], None] = lambda _: None
    at_end: Callable[[str], None] = lambda _: None
    arrived: list[EmailMessage] = field(default_factory=list)

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.at_recipient(address)
        return await super().handle_RCPT(server, session, envelope, address, options)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - as above
        answer = await super().handle_DATA(server, session, envelope)
        self.arrived.append(message_from_bytes(self.bodies[-1], policy=default))
        self.at_end(envelope.rcpt_tos[0])
        return answer

    def ids_to(self, address: str) -> list[str]:
        """The Message-ID of each mail to one person, in the order of their arrival."""
        return [str(mail["Message-ID"]) for mail in self.arrived if mail["To"] == address]


@contextmanager
def by_mail(folder: Path, post: Watched, at: datetime, **environment: str) -> Iterator[Rehearsal]:
    """The sandbox and a server without a worker, at an hour of our choice."""
    with serving(post) as port:
        ahead_seconds = (at - datetime.now(UTC)).total_seconds()
        settings = {
            "DUNR_MAILER": "smtp",
            "DUNR_SMTP_HOST": "127.0.0.1",
            "DUNR_SMTP_PORT": str(port),
            "DUNR_SMTP_SECURITY": "none",
            "DUNR_MAIL_FROM": "billing@nordwind.example",
            "DUNR_MERCHANT_NAME": "Nordwind",
            "DUNR_PROCESSOR_TIMEOUT_SECONDS": "1",
            "DUNR_LOOK_MAX_AGE_SECONDS": "1",
            "DUNR_LEASE_SECONDS": "4",
            CLOCK_AHEAD: str(ahead_seconds),
        }
        rehearsal = Rehearsal(folder, clock="system", **(settings | environment))
        try:
            rehearsal.start_sandbox()
            rehearsal.start_serve("--no-worker")
            rehearsal.sandbox_ready()
            yield rehearsal
        finally:
            rehearsal.close()


def start_workers(world: Rehearsal, *names: str) -> None:
    for name in names:
        world.start_worker(name)
    until(lambda: all("Working" in world.log(name) for name in names), STARTED_SECONDS)


def stands_still(pid: int) -> bool:
    """Whether every thread of a process has stopped; the last may go on for a moment after the signal."""
    states = (stat.read_text().rpartition(")")[2].split()[0] for stat in Path(f"/proc/{pid}/task").glob("*/stat"))
    return set(states) == {"T"}


def are_done(world: Rehearsal, *invoices: str) -> bool:
    """Whether something came of the one notice of each."""
    return all([bool(one["done_at"]) for one in notices_of(world, invoice)] == [True] for invoice in invoices)


def notices_of(world: Rehearsal, invoice: str) -> list[Json]:
    found = world.find(invoice)
    return [] if found is None else list(found["notices"])


def stop_then_kill(world: Rehearsal, name: str, killed: list[str]) -> None:
    """From inside the mail server: the worker stands still at once, is answered, and never hears it."""
    pid = world.processes[name].pid
    os.kill(pid, signal.SIGSTOP)
    until(lambda: stands_still(pid))
    killed.append(name)

    def kill() -> None:
        os.kill(pid, signal.SIGKILL)

    asyncio.get_running_loop().call_later(ANSWER_SENT_SECONDS, kill)


def owes(world: Rehearsal, invoice: str, name: str, **more: object) -> None:
    """Somebody's first charge fails for good, so that one notice asks for a card and warns of the pause."""
    world.fail(invoice, card=f"card_{invoice}", customer=payer(name), **({"decline": "stolen_card"} | more))
