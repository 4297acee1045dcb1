"""The sandbox in a process of its own, on the loopback only: its control face has no door."""

from __future__ import annotations

import sys

import uvicorn

from .app import build_app
from .config import SandboxConfig

STOP_SECONDS = 2


def server_of(config: SandboxConfig, port: int) -> uvicorn.Server:
    """The server, not yet running. Hanging requests are not waited for at its end; their results are durable."""
    return uvicorn.Server(
        uvicorn.Config(
            build_app(config),
            host="127.0.0.1",
            port=port,
            log_level="warning",
            access_log=False,
            date_header=config.stripe is None,  # that face tells the sandbox's own time
            timeout_graceful_shutdown=STOP_SECONDS,
        )
    )


def serve(config: SandboxConfig, port: int) -> None:
    """Run until told to stop. Exits where the port is taken."""
    server = server_of(config, port)
    server.run()
    if not server.started:
        sys.exit(1)
