"""One dunr on a real SQLite file, in this process, in front of a sandbox that runs as a process of its own.

Webhooks come in as they do over the web: proved, written, answered; only there is no web between.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from dunr.application import Application
from dunr.bootstrap import build
from dunr.core.effects import Notice, RaiseAlert
from dunr.core.model import Case
from dunr.core.terms import AlertKind
from dunr.errors import DunrError
from dunr.ports import Refs
from dunr.settings import Settings
from tests.sandbox.processes import KEY, SECRETS, START, Received, Receiver, SandboxProcess


def settings(folder: Path, sandbox_url: str = "http://127.0.0.1:9", **more: object) -> Settings:
    given: dict[str, Any] = {
        "data": folder / "data",
        "sandbox_url": sandbox_url,
        "sandbox_api_key": KEY,
        "webhook_secrets": SECRETS,
        "clock": "manual",
        "clock_start": datetime.fromisoformat(START),
    }
    given |= more
    if given["clock"] == "system":
        del given["clock_start"]
    return Settings(**given)


@contextmanager
def running(wanted: Settings) -> Iterator[Application]:
    application = build(wanted)
    try:
        yield application
    finally:
        application.close()


def intake(receiver: Receiver, application: Application) -> None:
    """From now on the receiver is the application's door."""

    def answer(received: Received) -> int:
        headers = {"sandbox-signature": received.signature or ""}
        try:
            inbounds = application.processors["sandbox"].verify(received.body, headers, application.clock.now())
        except DunrError:
            return 400
        application.store.receive(inbounds)
        return 200

    receiver.answer = answer


def url_of(sandbox: SandboxProcess) -> str:
    return f"http://127.0.0.1:{sandbox.port}"


def case_of(application: Application, invoice: str = "in_1") -> Case:
    case = application.store.load(f"sandbox:acct_sandbox:{invoice}", Refs()).case
    assert case is not None
    return case


def alerts(application: Application, kind: AlertKind) -> list[str]:
    found = application.reports.effects(kind="RaiseAlert", case_id=None, limit=100)
    return [one.effect.text for one in found if isinstance(one.effect, RaiseAlert) and one.effect.kind is kind]


def notices(application: Application) -> list[tuple[str, str]]:
    """Kind and fate of every notice, oldest first."""
    found = application.reports.effects(kind="Notice", case_id=None, limit=100)
    return [(one.effect.kind, one.note) for one in reversed(found) if isinstance(one.effect, Notice)]
