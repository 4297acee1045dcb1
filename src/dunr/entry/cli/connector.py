"""`dunr connector check`: whether a billing system of the merchant's own keeps the contract."""

import secrets
from typing import Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, say, settings_of

app = typer.Typer(help="The two calls of a billing system of your own.", no_args_is_help=True)


@app.callback()
def begin() -> None:
    """The two calls of a billing system of your own."""


@app.command()
def check(
    context: typer.Context,
    url: Annotated[str, typer.Argument(help="Where it answers: /charge and /look-up below it, or use --look-up-url.")],
    secret: Annotated[
        str | None, typer.Option(help="Signs the calls; left out: billing_secret of the settings.")
    ] = None,
    look_up_url: Annotated[str | None, typer.Option(help="Where it looks up, if not at /look-up.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, max=120, help="Seconds until an answer comes too late.")] = 10.0,
    as_json: Json = False,
) -> None:
    """Try every answer, a repeat, a time-out and a forgery on test instruments, and say what is wrong. Exit code 1 where something is."""
    from dunr.inspection import Level
    from dunr.own_systems import conformance

    settings, base = settings_of(context), url.rstrip("/")
    signs = secret or settings.billing_secret
    if signs is None:
        raise typer.BadParameter("There is no secret to sign with: give --secret, or set billing_secret.")
    charge_url = base if look_up_url is not None else f"{base}/charge"
    asked = conformance(
        settings,
        charge_url,
        look_up_url or f"{base}/look-up",
        secret=signs,
        timeout_seconds=timeout,
        name=secrets.token_hex(6),
    )
    try:
        checks = tuple(asked.checks())
    finally:
        asked.close()
    if as_json:
        answer({"checks": checks})
    for one in () if as_json else checks:
        say(f"{one.level:<8} {one.about}: {one.found}")
        if one.level is not Level.OK:
            say(f"         → {one.to_do}")
    failed_count = sum(one.level is Level.FAILED for one in checks)
    if failed_count:
        raise Failed(f"{failed_count} of {len(checks)} checks failed.")
