"""`dunr connector check` against the reference server, whole, and against ten servers that are each broken in one way."""

import json
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dunr.inspection import Level
from dunr.own_systems import conformance
from dunr.settings import Settings
from examples.billing_server.server import Wallets, handler
from tests.billing.merchant import SECRET

DUNR = str(Path(sys.executable).with_name("dunr"))
TIMEOUT_SECONDS, SLOW_SECONDS = 0.6, 0.8


Json = dict[str, Any]
Answer = tuple[HTTPStatus, Json]


class ForgetsKeys(Wallets):
    """Charges each time."""

    def charge(self, call: Json) -> Answer:
        status, told = super().charge({**call, "key": f"{call['key']}-{time.monotonic_ns()}"})
        return status, told


class TakesAnyAmount(Wallets):
    """Does not compare a repeat with the first call."""

    def charge(self, call: Json) -> Answer:
        status, told = super().charge(call)
        return (HTTPStatus.OK, super().look_up(call)[1]) if status == HTTPStatus.BAD_REQUEST else (status, told)


class FindsNothing(Wallets):
    """Looks up in another place than it writes."""

    def look_up(self, call: Json) -> Answer:  # noqa: ARG002 - the reference's argument
        return HTTPStatus.OK, {"status": "not_found"}


class SaysMissingWith404(Wallets):
    """A look-up of an unknown key is an error."""

    def look_up(self, call: Json) -> Answer:
        status, told = super().look_up(call)
        return (
            (HTTPStatus.NOT_FOUND, {"error": {"code": "unknown"}}) if told["status"] == "not_found" else (status, told)
        )


class NamesNoReason(Wallets):
    """A no without a reason code."""

    def charge(self, call: Json) -> Answer:
        status, told = super().charge(call)
        return status, {key: value for key, value in told.items() if key != "reason_code"}


class ForgetsNo(Wallets):
    """A no is not remembered: the same key may be paid later."""

    def charge(self, call: Json) -> Answer:
        if call["instrument"] == "test_not_paid" and super().look_up(call)[1]["status"] == "not_paid":
            return HTTPStatus.OK, {"status": "paid", "id": "late", "at": "2026-06-23T10:00:00Z"}
        status, told = super().charge(call)
        return status, told


class LosesPending(Wallets):
    """What is pending cannot be looked up."""

    def look_up(self, call: Json) -> Answer:
        status, told = super().look_up(call)
        return (status, {"status": "not_found"}) if told["status"] == "pending" else (status, told)


class PaysLess(Wallets):
    """Says another amount than was asked for."""

    def charge(self, call: Json) -> Answer:
        status, told = super().charge(call)
        return status, {**told, "amount_minor": 1} if told.get("status") == "paid" else told


class RecordsAfterAnswer(Wallets):
    """A time-out loses the record of the charge."""

    def look_up(self, call: Json) -> Answer:
        if "slow" in call["key"]:
            return HTTPStatus.OK, {"status": "not_found"}
        status, told = super().look_up(call)
        return status, told


class RacesItself(Wallets):
    """Reads the key, and writes it later: two at once are two charges."""

    def charge(self, call: Json) -> Answer:
        if "twice" in call["key"]:
            return HTTPStatus.OK, {"status": "paid", "id": f"m-{time.monotonic_ns()}", "at": "2026-06-23T10:00:00Z"}
        status, told = super().charge(call)
        return status, told


@contextmanager
def serving(wallets: Wallets, slow_seconds: float = SLOW_SECONDS) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(wallets, SECRET, slow_seconds))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def checked(url: str) -> dict[str, Level]:
    """The level of each check by what it is about, asked in this process."""
    settings = Settings(store="memory:")
    asked = conformance(
        settings,
        f"{url}/charge",
        f"{url}/look-up",
        secret=SECRET,
        timeout_seconds=TIMEOUT_SECONDS,
        name=secrets.token_hex(6),
    )
    try:
        return {one.about: one.level for one in asked.checks()}
    finally:
        asked.close()


def commanded(url: str, folder: Path) -> tuple[int, dict[str, str]]:
    """The same by the command: its exit code, and the level of each check."""
    command = [DUNR, "connector", "check", url, "--secret", SECRET, "--timeout", "5", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, {one["about"]: one["level"] for one in json.loads(done.stdout)["checks"]}


def test_the_reference_server_keeps_the_contract(tmp_path: Path) -> None:
    with serving(Wallets(tmp_path / "wallets.db"), slow_seconds=6.0) as url:
        code, levels = commanded(url, tmp_path)
    assert code == 0, levels
    assert levels.pop("a charge that is not paid") == "warning", "its reason code is in no setting yet"
    assert set(levels.values()) == {"ok"}
    assert len(levels) == 11


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (ForgetsKeys, "the same key again"),
        (TakesAnyAmount, "the same key with another amount"),
        (FindsNothing, "looking up what was paid"),
        (SaysMissingWith404, "looking up a key that was never sent"),
        (NamesNoReason, "a charge that is not paid"),
        (ForgetsNo, "a charge that is not paid, again"),
        (LosesPending, "looking up what is pending"),
        (PaysLess, "a charge that is paid"),
        (RecordsAfterAnswer, "looking up after a time-out"),
        (RacesItself, "the same key twice at once"),
    ],
)
def test_each_fault_of_a_broken_server_is_found_and_said(broken: type[Wallets], found: str, tmp_path: Path) -> None:
    with serving(broken(tmp_path / "wallets.db")) as url:
        levels = checked(url)
    assert levels[found] is Level.FAILED


def test_a_server_that_lets_anybody_in_is_found(tmp_path: Path) -> None:
    answering = handler(Wallets(tmp_path / "wallets.db"), SECRET, SLOW_SECONDS)

    class Careless(answering):  # type: ignore[misc,valid-type]
        """Reads the body without looking at who signed it."""

        def do_POST(self) -> None:  # noqa: N802 - the name that the base class gives it
            call = json.loads(self.rfile.read(int(self.headers["content-length"])))
            wallets = Wallets(tmp_path / "wallets.db")
            self._say(*(wallets.charge(call) if self.path == "/charge" else wallets.look_up(call)))

    server = ThreadingHTTPServer(("127.0.0.1", 0), Careless)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        levels = checked(f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert levels["a call signed with another secret"] is levels["a call signed an hour ago"] is Level.FAILED


def test_nobody_there_is_one_clear_failure(tmp_path: Path) -> None:
    code, levels = commanded("http://127.0.0.1:9", tmp_path)
    assert (code, levels) == (1, {"a charge that is paid": "failed"})
