"""The server killed while it receives: what it acknowledged is there when it comes back."""

import os
import random
import signal
import threading
import time
from pathlib import Path

import httpx

from dunr.bootstrap import build
from dunr.sandbox.deliveries import sign
from dunr.settings import Settings
from tests import nursery
from tests.entry.web.desk import event
from tests.ports import free_port

KILLS = 2
SENDERS = 4
READY_SECONDS = 30.0
WORKING_SECONDS = 60.0
SECRET = "whsec_local"


def start(folder: Path, port: int) -> nursery.Process:
    """`dunr serve` on the system clock, and nobody to do the work."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DUNR_")}
    environment["DUNR_DATA"] = str(folder / "data")
    process = nursery.start("dunr", "serve", "--port", str(port), "--no-worker", environment=environment, folder=folder)
    give_up = time.monotonic() + READY_SECONDS
    while True:
        try:
            httpx.get(f"http://127.0.0.1:{port}/readyz")
        except httpx.TransportError:
            assert process.poll() is None, "dunr did not start"
            assert time.monotonic() < give_up, "dunr took too long to start"
            time.sleep(0.05)
        else:
            return process


def deliver(port: int, sender: int, round_number: int, acknowledged: list[str]) -> None:
    """One after the other, until the server is gone."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=10, verify=False) as client:
        for number in range(100_000):
            name = f"evt_{round_number}_{sender}_{number}"
            body = event(name)
            headers = {"sandbox-signature": sign(body, (SECRET,), int(time.time()))}
            try:
                answer = client.post("/webhooks/sandbox", content=body, headers=headers)
            except httpx.TransportError:
                return
            if answer.status_code == 200:
                acknowledged.append(name)


def wait_for(acknowledged: list[str], count: int) -> None:
    """Until so many were acknowledged, so that the kill comes in the middle of the work however slow the machine is."""
    give_up = time.monotonic() + WORKING_SECONDS
    while len(acknowledged) < count:
        assert time.monotonic() < give_up, "dunr acknowledged too little"
        time.sleep(0.005)


def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    """C19 (b)."""
    acknowledged: list[str] = []
    chance = random.Random(19)
    for round_number in range(KILLS):
        port = free_port()
        process = start(tmp_path, port)
        senders = [
            threading.Thread(target=deliver, args=(port, sender, round_number, acknowledged))
            for sender in range(SENDERS)
        ]
        for sender in senders:
            sender.start()
        wait_for(acknowledged, len(acknowledged) + 3 * SENDERS + chance.randrange(200))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for sender in senders:
            sender.join()
    application = build(Settings(data=tmp_path / "data"))
    lost = [name for name in acknowledged if application.store.inbound(f"sandbox:acct_sandbox:{name}") is None]
    application.close()
    assert lost == []
