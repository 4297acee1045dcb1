"""`dunr serve --sandbox` as a process: it works by itself, other commands find its sandbox, and it goes when it is told to."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.entry.cli.terminals import Terminal
from tests.ports import free_port

PATIENCE_SECONDS = 60.0


class Served:
    """One `dunr serve`."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.port = free_port()
        command = [str(Path(sys.executable).with_name("dunr")), "serve", "--port", str(self.port), *arguments]
        self._process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=30.0, trust_env=False, verify=False)
        until(self._answers)

    def _answers(self) -> bool:
        assert self._process.poll() is None, self._process.communicate()[0]
        try:
            return self.http.get("/healthz").is_success
        except httpx.TransportError:
            return False

    def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        self._process.send_signal(how)
        said, _ = self._process.communicate(timeout=PATIENCE_SECONDS)
        return self._process.returncode, said

    def close(self) -> None:
        self.http.close()
        self._process.kill()
        self._process.communicate()


def until(question: Callable[[], object]) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not question():
        assert time.monotonic() < give_up, "it did not come to pass"
        time.sleep(0.05)


@pytest.fixture
def served(terminal: Terminal) -> Iterator[Served]:
    served = Served(terminal.folder, "--sandbox")
    yield served
    served.close()


def test_it_works_by_itself_and_other_commands_find_its_sandbox(terminal: Terminal, served: Served) -> None:
    failure = {"invoice": "in_1", "subscription": "sub_1", "customer": {"id": "cus_1"}, "card": {"id": "pm_1"}}
    served.http.post("/sandbox/failures", json=failure).raise_for_status()
    until(lambda: served.http.get("/v1/cases").json()["cases"])
    served.http.put("/sandbox/cards/pm_1/script", json=["succeed"]).raise_for_status()
    retried = terminal.done("cases", "retry", "in_1", "--json").json
    assert retried["case"]["state"] == "recovered"
    assert served.http.get("/v1/entitlements/sub_1").json()["access"] == "granted"
    shown = terminal.done("cases", "show", "in_1")
    assert "is recovered" in shown.out
    assert "operator:" in shown.out
    assert terminal.done("db", "check", "--json").json == {"problems": []}
    code, said = served.stop()
    assert (code, "Traceback" in said) == (0, False), said
    assert not (terminal.folder / "dunr-data" / "sandbox-inside").exists()


def test_an_interrupt_ends_it_as_quietly(served: Served) -> None:
    code, said = served.stop(signal.SIGINT)
    assert (code, "Traceback" in said) == (0, False), said


def test_on_a_manual_clock_it_says_what_time_it_is(terminal: Terminal) -> None:
    served = Served(terminal.folder, "--sandbox", "--clock", "manual", "--clock-start", "2026-06-23T10:00:00Z")
    assert served.http.get("/v1/test/clock").json()["now"] == "2026-06-23T10:00:00Z"
    code, said = served.stop()
    served.close()
    assert code == 0
    assert "manual clock at Tue 23 Jun 2026 10:00:00 UTC" in said
