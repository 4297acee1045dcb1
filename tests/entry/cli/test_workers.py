"""`dunr worker` as processes: two on one file charge each case once, and each goes when it is told to."""

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dunr.core.terms import CaseState
from tests.engine.applications import case_of, intake, running, settings, url_of
from tests.sandbox.processes import KEY, SECRETS, Receiver, SandboxProcess

CASES = 50
POLICY = 'steps = [{after = 1, unit = "hours"}]\nfloor = [{after = 1, unit = "days"}]\n'
PATIENCE_SECONDS = 60.0


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def sandbox(tmp_path: Path, receiver: Receiver) -> Iterator[SandboxProcess]:
    process = SandboxProcess(tmp_path, receiver.url, clock="system")
    yield process
    process.close()


class Worker:
    """One `dunr worker`."""

    def __init__(self, folder: Path, sandbox_url: str) -> None:
        environment = {
            "DUNR_DATA": str(folder / "data"),
            "DUNR_SANDBOX_URL": sandbox_url,
            "DUNR_SANDBOX_API_KEY": KEY,
            "DUNR_WEBHOOK_SECRETS": ",".join(SECRETS),
        }
        command = [str(Path(sys.executable).with_name("dunr")), "worker"]
        self._process = subprocess.Popen(
            command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def stop(self) -> tuple[int, str]:
        """How it went when it was told to, and what it had said."""
        self._process.send_signal(signal.SIGTERM)
        said, _ = self._process.communicate(timeout=PATIENCE_SECONDS)
        return self._process.returncode, said

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def until(question: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not question():
        assert time.monotonic() < give_up, "it did not come to pass"
        time.sleep(0.1)


def open_cases(tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver, count: int) -> None:
    """Cases whose step is due: the failure is two hours old, and the step an hour after it."""
    policy = tmp_path / "hourly.toml"
    policy.write_text(POLICY)
    failed_at = (datetime.now(UTC) - timedelta(hours=2)).isoformat()
    with running(settings(tmp_path, url_of(sandbox), clock="system", policy=str(policy))) as application:
        intake(receiver, application)
        for number in range(count):
            payer = {"id": f"cus_{number}", "email": f"payer{number}@example.com"}
            card = {"id": f"pm_{number}"}
            sandbox.fail(f"in_{number}", subscription=f"sub_{number}", customer=payer, card=card, failed_at=failed_at)
            sandbox.script("succeed", card=f"pm_{number}")
        sandbox.quiet()
        for inbound in application.store.unapplied(application.clock.now(), 1000):
            application.intake.apply(inbound)
        assert len(application.store.due(application.clock.now(), 1000)) == count
        receiver.answer = lambda _: 200


def test_two_workers_on_one_file_charge_fifty_cases_once_each(
    tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver
) -> None:
    open_cases(tmp_path, sandbox, receiver, CASES)
    workers = [Worker(tmp_path, url_of(sandbox)) for _ in range(2)]
    outbox = tmp_path / "data" / "outbox"

    def rows() -> list[dict[str, object]]:
        found: list[dict[str, object]] = sandbox.http.get("/sandbox/charges").json()
        return found

    try:
        until(lambda: len(rows()) >= CASES)
        until(lambda: len(list(outbox.glob("*.json"))) >= CASES)  # the receipts
        time.sleep(1.0)  # whatever else they might do
        ended = [worker.stop() for worker in workers]
    finally:
        for worker in workers:
            worker.close()
    assert Counter(str(row["invoice"]) for row in rows()) == {f"in_{number}": 1 for number in range(CASES)}
    assert all(row["captured"] for row in rows())
    assert [code for code, _ in ended] == [0, 0], ended
    assert all("Traceback" not in said for _, said in ended)
    with running(settings(tmp_path, url_of(sandbox), clock="system")) as application:
        assert {case_of(application, f"in_{number}").state for number in range(CASES)} == {CaseState.RECOVERED}


def test_a_worker_that_is_told_to_go_leaves_a_long_charge_in_flight(
    tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver
) -> None:
    open_cases(tmp_path, sandbox, receiver, 1)
    sandbox.script("slow:25:succeed", card="pm_0")
    worker = Worker(tmp_path, url_of(sandbox))
    try:
        until(lambda: sandbox.http.get("/sandbox/charges").json() != [])
        begun = time.monotonic()
        code, said = worker.stop()
    finally:
        worker.close()
    assert code == 0, said
    assert time.monotonic() - begun < 20
    with running(settings(tmp_path, url_of(sandbox), clock="system")) as application:
        assert case_of(application, "in_0").in_flight is not None
