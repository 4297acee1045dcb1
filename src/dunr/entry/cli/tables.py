"""How tables of subscriptions and of charges name the same things, and how a command is told of one. `csv_rows` reads them, once there is something to read."""

from pathlib import Path
from typing import Annotated

import typer

Table = Annotated[Path, typer.Argument(metavar="FILE", help="CSV in UTF-8; its first line names the columns.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Take in the good rows of a file with bad ones.")]

PLACES = {
    "customer": "customer.id",
    "email": "customer.email",
    "name": "customer.name",
    "locale": "customer.locale",
    "customer_timezone": "customer.timezone",
    "country": "customer.country",
    "instrument": "instrument.id",
    "rail": "instrument.rail",
    "period_count": "period.count",
    "period_unit": "period.unit",
}
