"""`dunr sandbox`: the sandbox processor as a process of its own."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.serve import ClockMode
from dunr.entry.cli.terminal import Failed, instant, say, settings_of

if TYPE_CHECKING:
    from dunr.sandbox.config import StripeFace

SANDBOX_PORT = 8090


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("sandbox")(sandbox)


def sandbox(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen at.")] = SANDBOX_PORT,
    webhook_url: Annotated[
        str | None, typer.Option(help="Where webhooks go; left out: to dunr on this machine.")
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option(help="Signs webhooks; several while one is replaced. Left out: those of the settings."),
    ] = None,
    clock: Annotated[ClockMode | None, typer.Option(help="`manual`: time stands still until it is moved.")] = None,
    clock_start: Annotated[datetime | None, typer.Option(parser=instant, metavar="INSTANT")] = None,
    database: Annotated[
        Path | None, typer.Option(help="Its SQLite file; left out: sandbox.db in the data folder.")
    ] = None,
    stripe: Annotated[bool, typer.Option("--stripe", help="Answer and tell events as Stripe does.")] = False,
    stripe_key: Annotated[
        list[str] | None, typer.Option(help="A key that is let in at the Stripe face; left out: sk_test_sandbox.")
    ] = None,
    stripe_version: Annotated[
        str | None, typer.Option(help="The API version of the account; left out: the newest one.")
    ] = None,
    stripe_platform: Annotated[
        str | None, typer.Option(help="A platform account, to which the account of the settings is connected.")
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Say `live` in events and snapshots, for rehearsals of a mix-up.")
    ] = False,
) -> None:
    """Run the sandbox: a processor that can be told to misbehave. It moves no money."""
    from dunr.sandbox.config import SandboxConfig
    from dunr.sandbox.server import serve
    from dunr.settings import webhook_secrets

    options = {"clock": clock, "clock_start": clock_start.isoformat() if clock_start is not None else None}
    settings = settings_of(context, options)
    face = _stripe_face(port, stripe_key, stripe_version, stripe_platform) if stripe else None
    told_at = "stripe" if stripe else "sandbox"
    config = SandboxConfig(
        database=database or settings.data / "sandbox.db",
        webhook_url=webhook_url or f"http://127.0.0.1:{settings.port}/webhooks/{told_at}",
        webhook_secrets=tuple(secret) if secret else tuple(webhook_secrets(settings)),
        api_keys=(settings.sandbox_api_key,),
        account=settings.account,
        clock="manual" if settings.clock == "manual" else "system",  # it has books and a clock of its own
        clock_start=settings.clock_start,
        live=live,
        stripe=face,
    )
    say(f"The sandbox answers at http://127.0.0.1:{port} and tells {config.webhook_url}.")
    try:
        serve(config, port)
    except SystemExit as ended:
        if ended.code:
            raise Failed(f"The sandbox could not listen at port {port}. Choose another with --port.") from None


def _stripe_face(port: int, keys: list[str] | None, version: str | None, platform: str | None) -> "StripeFace":
    from dunr.sandbox.config import STRIPE_KEYS, StripeFace
    from dunr.sandbox.stripe.versions import NEWEST

    return StripeFace(
        api_keys=tuple(keys or STRIPE_KEYS),
        api_version=version or NEWEST,
        public_url=f"http://127.0.0.1:{port}",
        platform=platform,
    )
