"""`dunr serve`: web and worker in one process, with the sandbox inside where that is wished."""

import signal
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.terminal import SANDBOX_INSIDE, Failed, application_of, instant, say, shown

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from uvicorn import Config, Server

    from dunr.application import Application
    from dunr.entry.worker import WorkerThread

STOP_SECONDS = 5  # what is still being answered


class ClockMode(StrEnum):
    """Whose time it is."""

    SYSTEM = "system"
    MANUAL = "manual"


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("serve")(serve)


def serve(
    context: typer.Context,
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Run the sandbox processor inside, on the same port.")
    ] = False,
    clock: Annotated[ClockMode | None, typer.Option(help="`manual`: time stands still until you move it.")] = None,
    clock_start: Annotated[
        datetime | None,
        typer.Option(parser=instant, metavar="INSTANT", help="Of a manual clock that never ran before."),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(help="The port; wins over DUNR_PORT.")] = None,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Answer only; `dunr worker` elsewhere does the work.")
    ] = False,
) -> None:
    """Receive webhooks, answer the API, and do what is due."""
    from dunr.entry.cli.terminal import settings_of

    options: dict[str, object] = {
        "clock": clock,
        "clock_start": clock_start.isoformat() if clock_start is not None else None,
        "port": port,
    }
    port = settings_of(context, options).port
    listener = _listener(host, port)
    if sandbox:
        options["sandbox_url"] = f"http://{_own_address(host)}:{port}"
    with ExitStack() as opened:
        opened.callback(listener.close)
        application = opened.enter_context(application_of(context, options, tells_events=True))
        inside = sandbox_inside(application) if sandbox else None
        if inside is not None:
            opened.callback(inside.state.sandbox.close)
            _leave_note(application, opened)
        _run(application, inside, listener, works=not no_worker and application.settings.clock == "system")


def _listener(host: str, port: int) -> socket.socket:
    """The port, taken before anything else is touched."""
    with ExitStack() as opened:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = opened.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError as error:
            raise Failed(
                f"Cannot listen at {host}:{port} ({error.strerror}). Choose another with --port or --host."
            ) from None
        opened.pop_all()
    return listener


def _own_address(host: str) -> str:
    """Where this machine reaches what listens at the host."""
    return "127.0.0.1" if host in ("0.0.0.0", "::", "localhost") else host  # noqa: S104 - compared, not listened at


def sandbox_inside(application: "Application") -> "Starlette":
    """The sandbox, which sends its webhooks to us on our own port; whoever asks for it closes `state.sandbox`."""
    from dunr.sandbox.app import SandboxConfig, build_app
    from dunr.settings import webhook_secrets

    settings = application.settings
    return build_app(
        SandboxConfig(
            database=settings.data / "sandbox.db",
            webhook_url=f"{settings.sandbox_url}/webhooks/sandbox",
            webhook_secrets=tuple(webhook_secrets(settings)),
            api_keys=(settings.sandbox_api_key,),
            account=settings.account,
            clock="manual" if settings.clock == "manual" else "system",
            clock_start=application.clock.now() if settings.clock == "manual" else None,
        )
    )


def _leave_note(application: "Application", opened: ExitStack) -> None:
    """Tell other commands on the same data where the sandbox is, for as long as it is there."""
    note = application.settings.data / SANDBOX_INSIDE
    note.write_text(application.settings.sandbox_url, encoding="utf-8")
    opened.callback(note.unlink, missing_ok=True)


def _run(application: "Application", sandbox: "Starlette | None", listener: socket.socket, *, works: bool) -> None:
    """Answer until told to stop; the worker begins once we listen, since the sandbox may be inside."""
    import uvicorn

    from dunr.entry.web.app import build_app
    from dunr.entry.web.patience import PatientProtocol
    from dunr.entry.worker import leave, start_worker

    stop = threading.Event()
    workers: list[WorkerThread] = []
    host, port = listener.getsockname()[:2]  # the socket is the server's once it runs
    address = f"{host}:{port}"

    def begin() -> None:
        say(_greeting(application, address, sandbox is not None, works))
        if works:
            workers.append(start_worker(application, stop))
            threading.Thread(target=_tell_of_own_retries, args=(application,), daemon=True).start()

    app = build_app(application, sandbox_app=sandbox)
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=STOP_SECONDS,
        lifespan="auto",
    )
    # uvicorn raises the signal again once it has stopped; then there is still the worker to stop.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    _server(config, begin).run(sockets=[listener])
    stop.set()
    if not all(worker.ended() for worker in workers):
        leave()


def _tell_of_own_retries(application: "Application") -> None:
    """Asked beside everything else: the processor may be slow, or inside this very process."""
    from dunr.own_retries import tell_of_own_retries

    for line in tell_of_own_retries(application):
        say(line)


def _server(config: "Config", begin: Callable[[], None]) -> "Server":
    """A server that says when it listens."""
    import uvicorn

    class Beginning(uvicorn.Server):
        """Calls `begin` once."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            """Listen, then begin."""
            await super().startup(sockets)
            if self.started:
                begin()

    return Beginning(config)


def _greeting(application: "Application", address: str, sandbox: bool, works: bool) -> str:
    from dunr.adoption import WHY, is_stopped_as_copy

    parts = [f"dunr {application.settings.store_shown} answers at http://{address}"]
    if sandbox:
        parts.append("with the sandbox inside")
    if application.settings.clock == "manual":
        parts.append(f"on a manual clock at {shown(application.clock.now())}")
    elif not works:
        parts.append("without a worker")
    lines = [", ".join(parts) + "."]
    if is_stopped_as_copy(application.rulebook):
        lines.append(f"Nothing is charged, mailed or paused: {WHY}.")
    return "\n".join(lines)
