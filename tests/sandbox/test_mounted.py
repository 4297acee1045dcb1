"""The app inside another app: under a prefix, and with its routes beside others."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from dunr.sandbox.app import SandboxConfig, build_app
from tests.ports import free_port

START = datetime(2026, 6, 23, 10, tzinfo=UTC)


@contextmanager
def running(app: Starlette) -> Iterator[httpx.Client]:
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", verify=False) as client:
        client.headers["authorization"] = "Bearer key"
        yield client
    server.should_exit = True
    thread.join()


def config(folder: Path) -> SandboxConfig:
    return SandboxConfig(folder / "inside" / "sandbox.db", None, (), ("key",), clock="manual", clock_start=START)


def test_it_works_under_any_prefix_and_as_plain_routes(tmp_path: Path) -> None:
    inner = build_app(config(tmp_path))
    outer = Starlette(routes=[Mount("/psp", inner), *inner.routes])
    with running(outer) as client:
        for prefix in ("/psp", ""):
            made = client.post(f"{prefix}/sandbox/failures", json={"customer": {"id": "cus_1"}}).json()
            url = client.post(f"{prefix}/processor/v1/customers/cus_1/update_session", json={}).json()["url"]
            assert url.startswith(f"{client.base_url}{prefix}/sandbox/pay/")
            assert client.get(url).status_code == 200
            assert client.get(f"{prefix}/processor/v1/invoices/{made['invoice']}/snapshot").status_code == 200
    inner.state.sandbox.close()


def test_without_a_receiver_events_are_kept_and_not_sent(tmp_path: Path) -> None:
    with running(build_app(config(tmp_path))) as client:
        made = client.post("/sandbox/failures", json={}).json()
        (row,) = client.get("/sandbox/webhooks").json()
        assert (row["status"], row["event"]) == ("dropped", made["event"])
        assert client.post(f"/sandbox/webhooks/{made['event']}/resend").status_code == 409
        assert client.get("/sandbox/clock").json()["next_due_at"] is None


def test_a_body_without_end_is_refused(tmp_path: Path) -> None:
    with running(build_app(config(tmp_path))) as client:
        assert client.post("/sandbox/failures", content=b"x" * 1_000_001).status_code == 413


def test_a_start_without_a_clock_to_start_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="manual"):
        SandboxConfig(tmp_path / "sandbox.db", None, (), (), clock_start=START)
    with pytest.raises(ValueError, match="offset"):
        SandboxConfig(tmp_path / "sandbox.db", None, (), (), clock="manual", clock_start=datetime(2026, 6, 23))  # noqa: DTZ001 - the missing offset is what is refused
