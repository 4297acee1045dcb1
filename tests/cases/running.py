"""The processes behind a story: started on free ports and real files, frozen, killed and thrown away."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tests import nursery
from tests.ports import free_port

START = "2026-06-23T10:00:00Z"  # a Tuesday
SECRET = "whsec_rehearsal"
KEY = "sk_sandbox_rehearsal"
READY_SECONDS = 60.0


def _client(port: int) -> httpx.Client:
    """Without certificates, which take longer to read than dunr takes to start."""
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120.0, trust_env=False, verify=False)


class Running:
    """`dunr serve`, `dunr sandbox` and any number of `dunr worker`, each a process of its own, and a connection to the first two."""

    def __init__(self, folder: Path, *, clock: str = "manual", start: str = START, **environment: str) -> None:
        self.folder, self.clock, self._start_at = folder, clock, start
        self.port, self.sandbox_port = free_port(), free_port()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("DUNR_")} | {
            "DUNR_DATA": str(folder / "data"),
            "DUNR_PORT": str(self.port),
            "DUNR_SANDBOX_URL": f"http://127.0.0.1:{self.sandbox_port}",
            "DUNR_SANDBOX_API_KEY": KEY,
            "DUNR_WEBHOOK_SECRETS": SECRET,
            "DUNR_CLOCK": clock,
        }
        if clock == "manual":
            self.environment["DUNR_CLOCK_START"] = start
        self.environment |= environment
        self.processes: dict[str, nursery.Process] = {}
        self.http = _client(self.port)
        self.psp = _client(self.sandbox_port)

    def run(self, name: str, *arguments: str, **environment: str) -> nursery.Process:
        """Start one of our processes under a name."""
        with (self.folder / f"{name}.log").open("ab") as log:
            process = nursery.start(
                "dunr",
                *arguments,
                environment=self.environment | environment,
                folder=self.folder,
                stdout=log,
                stderr=log,
            )
        self.processes[name] = process
        return process

    def start_sandbox(self) -> None:
        arguments = ["sandbox", "--port", str(self.sandbox_port), "--webhook-url", f"{self.url}/webhooks/sandbox"]
        arguments += ["--secret", SECRET, "--clock", self.clock, "--database", str(self.folder / "sandbox.db")]
        if self.clock == "manual":
            arguments += ["--clock-start", self._start_at]
        self.run("sandbox", *arguments)

    def start_serve(self, *arguments: str, **environment: str) -> None:
        self.run("serve", "serve", *arguments, **environment)
        self._ready("serve", lambda: self.http.get("/healthz"))

    def sandbox_ready(self) -> None:
        self._ready("sandbox", lambda: self.psp.get("/sandbox/clock"))

    def start_worker(self, name: str = "worker", **environment: str) -> nursery.Process:
        return self.run(name, "worker", **environment)

    def _ready(self, name: str, ask: Callable[[], httpx.Response]) -> None:
        give_up = time.monotonic() + READY_SECONDS
        while True:
            try:
                if ask().is_success:
                    return
            except httpx.TransportError:
                pass
            ended = self.processes[name].poll()
            assert ended is None, f"{name} did not start and ended with {ended}:\n{self.log(name)}"
            assert time.monotonic() < give_up, f"{name} took too long to start:\n{self.log(name)}"
            time.sleep(0.05)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")[-4000:]

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def freeze(self, name: str) -> None:
        self.processes[name].send_signal(signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        self.processes[name].send_signal(signal.SIGCONT)

    def close(self) -> None:
        """All of it is thrown away, so nobody is asked to leave in good order."""
        self.http.close()
        self.psp.close()
        for process in self.processes.values():
            process.kill()
        for process in self.processes.values():
            process.wait()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"
