"""`dunr subscriptions`: what dunr renews for a billing system of the merchant's own, one by one or from a CSV file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.tables import PLACES, SkipBad, Table
from dunr.entry.cli.terminal import Failed, Json, answer, application_of, do_what_is_due, say, shown

if TYPE_CHECKING:
    from dunr.application import Application
    from dunr.entry.web.subscriptions import SubscriptionBody
    from dunr.renewal_desk import Change, Kept, RenewalDesk

app = typer.Typer(help="Subscriptions that dunr renews.", no_args_is_help=True)

SubscriptionId = Annotated[str, typer.Argument(metavar="ID", help="Your id of the subscription.")]
REQUIRED = ("id", "customer", "instrument", "price_minor", "currency", "period_count", "period_unit", "anchor_on")
OPTIONAL = ("quantity", "timezone", "at_hour", "starts_on", "ends_on", "catch_up", "products", "tags")
COLUMNS = (*REQUIRED, *OPTIONAL, *(one for one in PLACES if one not in REQUIRED))


@app.command("import")
def take_in_file(
    context: typer.Context,
    file: Table,
    skip_bad: SkipBad = False,
    as_json: Json = False,
) -> None:
    """Renew every subscription of a CSV file. The same file again takes in what is missing, and nothing twice."""
    from dunr.entry.cli.csv_rows import take_in, tell
    from dunr.entry.web.subscriptions import subscription_of

    with application_of(context) as application:
        desk = desk_of(application)

        def write(body: "SubscriptionBody") -> bool:
            return desk.begin(subscription_of(body)).is_new

        taken = take_in(file, COLUMNS, REQUIRED, _body_of, write, skip_bad=skip_bad)
        do_what_is_due(application)
    tell(taken, "subscriptions", as_json=as_json, skip_bad=skip_bad)


def _body_of(row: Mapping[str, str]) -> "SubscriptionBody":
    """A row as the API would have it. Raises `ValidationError` or `BadRequest`."""
    import msgspec

    from dunr.entry.cli.csv_rows import nested
    from dunr.entry.web.subscriptions import SubscriptionBody, subscription_of

    body = msgspec.convert(nested(row, PLACES), SubscriptionBody, strict=False)
    subscription_of(body)
    return body


@app.command()
def show(context: typer.Context, subscription: SubscriptionId, as_json: Json = False) -> None:
    """One subscription as it stands."""
    with application_of(context) as application:
        _tell(desk_of(application).find(subscription), as_json)


@app.command()
def pause(context: typer.Context, subscription: SubscriptionId, as_json: Json = False) -> None:
    """Charge no cycle from today on."""
    from dunr.core.renewals import paused
    from dunr.core.value import replace

    _change(context, subscription, lambda before, now: replace(before, renewal=paused(before.renewal, now)), as_json)


@app.command()
def resume(context: typer.Context, subscription: SubscriptionId, as_json: Json = False) -> None:
    """Charge the cycles that begin from today on."""
    from dunr.core.renewals import resumed
    from dunr.core.value import replace

    _change(context, subscription, lambda before, now: replace(before, renewal=resumed(before.renewal, now)), as_json)


def _change(context: typer.Context, subscription: str, change: "Change", as_json: bool) -> None:
    with application_of(context) as application:
        kept = desk_of(application).change(subscription, change)
        do_what_is_due(application)
        _tell(kept, as_json)


def _tell(kept: "Kept", as_json: bool) -> None:
    from dunr.entry.web.subscriptions import subscription_answer

    told = subscription_answer(kept)
    if as_json:
        answer(told)
        return
    charged = shown(told.next_charge_at) if told.next_charge_at is not None else "never, as it stands"
    say(f"{told.id} of {told.customer}: {told.amount_minor} {told.currency} (minor units) by {told.instrument}.")
    say(f"{'Paused. ' if told.paused else ''}Charged next: {charged}.")


def desk_of(application: "Application") -> "RenewalDesk":
    """The desk, where dunr renews at all. Raises `Failed`."""
    if application.renewals is None:
        raise Failed(
            'Subscriptions are renewed only where processor = "billing_http": the processor renews them by itself.'
        )
    return application.renewals
