"""`dunr worker`: does what is due, beside any number of others on the same store."""

import signal
import threading

import typer

from dunr.entry.cli.terminal import application_of, say
from dunr.errors import SettingsError


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("worker")(worker)


def worker(context: typer.Context) -> None:
    """Apply news, charge, look up and mail, until told to stop."""
    from dunr.entry.worker import leave, run_worker

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with application_of(context, tells_events=True) as application:
        if application.settings.clock == "manual":
            raise SettingsError(
                'clock = "manual" lets nothing run by itself, so a worker has no work: use dunr serve, or clock = "system"'
            )
        say(f"Working on {application.settings.store_shown}.")
        everything_ended = run_worker(application, stop)
    if not everything_ended:
        leave()
