"""`dunr connect stripe`: what Stripe has to know of us, printed, or made with a key that may."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, say, settings_of

if TYPE_CHECKING:
    from dunr.inspection import Connected, Wiring

app = typer.Typer(help="Connect a processor.", no_args_is_help=True)
OWNER_ONLY = 0o600


@app.callback()
def begin() -> None:
    """Connect a processor."""


@app.command()
def stripe(
    context: typer.Context,
    url: Annotated[str, typer.Option(help="Where Stripe reaches dunr, such as https://billing.example.com.")],
    create: Annotated[
        bool, typer.Option("--create", help="Make the endpoint, and keep its secret where webhook_secrets_file says.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the webhook endpoint with exactly the events that dunr uses and the permissions of its key, or make the endpoint."""
    from dunr.bootstrap import stripe_wiring

    wiring, endpoint_url = stripe_wiring(), f"{url.rstrip('/')}/webhooks/stripe"
    if not url.startswith("https://") and not url.startswith("http://127.0.0.1"):
        raise typer.BadParameter("Stripe sends webhooks to https addresses only.", param_hint="--url")
    made = _make(context, wiring, endpoint_url) if create else None
    if as_json:
        wired = {
            "url": endpoint_url,
            "events": wiring.events,
            "api_version": wiring.api_version,
            "permissions": wiring.permissions,
        }
        answer(wired | {"endpoint": made.endpoint_id if made is not None else None})
        return
    _tell(wiring, endpoint_url)
    if made is not None:
        _tell_made(made)


def _make(context: typer.Context, wiring: "Wiring", endpoint_url: str) -> "Connected":
    """Make the endpoint. The file for its secret is opened first: Stripe tells a secret once."""
    from dunr.ports import SnapshotUnavailable

    settings = settings_of(context)
    if settings.webhook_secrets_file is None:
        raise Failed('The secret needs a place: write webhook_secrets_file = "/path/to/a/file" in dunr.toml.')
    keep = _kept_in(Path(settings.webhook_secrets_file))
    connector = wiring.connector(
        url=settings.stripe_url,
        api_key=settings.stripe_api_key or "",
        account=settings.account,
        timeout_seconds=settings.processor_timeout_seconds,
        connected=bool(settings.stripe_connected_accounts),
    )
    try:
        made = connector.connect(endpoint_url)
    except SnapshotUnavailable as failure:
        raise Failed(
            f"Stripe did not make the endpoint: {failure}. The key needs write for Webhook endpoints."
        ) from None
    finally:
        connector.close()
    if made.secret is not None:
        keep(made.secret)
    return made


def _kept_in(path: Path) -> Callable[[str], None]:
    """What appends a secret to the file, which only its owner may read."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, OWNER_ONLY))
    except OSError as error:
        raise Failed(
            f"{path} cannot be written ({error.strerror}): the secret would be lost, so nothing was made."
        ) from None

    def keep(secret: str) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{secret}\n")
            file.flush()
            os.fsync(file.fileno())

    return keep


def _tell(wiring: "Wiring", endpoint_url: str) -> None:
    say(f"Endpoint: {endpoint_url}")
    say(f"API version: {wiring.api_version} (any since 2020-03-02 will do)")
    say(f"Events ({len(wiring.events)}):")
    for event in wiring.events:
        say(f"  {event}")
    say("A restricted key with:")
    for permission in wiring.permissions:
        say(f"  {permission.resource}: {permission.level}, {permission.why}")


def _tell_made(made: "Connected") -> None:
    if made.secret is not None:
        say(f"Made: {made.endpoint_id}. Its secret is kept in webhook_secrets_file; a running dunr reads it by itself.")
    elif made.events_added:
        say(f"{made.endpoint_id} was there and now also tells {', '.join(made.events_added)}. Its secret is as it was.")
    else:
        say(f"{made.endpoint_id} was there and tells all that is needed. Its secret is as it was.")
