"""`dunr charges`: what was left to dunr to be charged, one by one or from a CSV file, and what has become of it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.tables import PLACES, SkipBad, Table
from dunr.entry.cli.terminal import Failed, Json, answer, application_of, do_what_is_due, say, shown
from dunr.errors import NoSuchThing

if TYPE_CHECKING:
    from dunr.application import Application
    from dunr.charge_book import LeftCharge
    from dunr.charge_desk import ChargeDesk
    from dunr.entry.web.charges import ChargeBody

app = typer.Typer(help="Charges that were left to dunr.", no_args_is_help=True)

ChargeId = Annotated[str, typer.Argument(metavar="ID", help="Your id of the charge.")]
CHARGE_PLACES = PLACES | {
    "failed_id": "failed.id",
    "failed_at": "failed.at",
    "failed_reason_code": "failed.reason_code",
}
REQUIRED = ("id", "amount_minor", "currency", "customer", "instrument")
COLUMNS = (
    *REQUIRED,
    "subscription",
    "due_at",
    "products",
    "tags",
    *(one for one in CHARGE_PLACES if one not in REQUIRED and not one.startswith("period_")),
)


class WhyTakenBack(StrEnum):
    """Why a charge is not to be made any more."""

    VOID = "void"
    WRITTEN_OFF = "written_off"


@app.command("import")
def take_in_file(
    context: typer.Context,
    file: Table,
    skip_bad: SkipBad = False,
    as_json: Json = False,
) -> None:
    """Leave every charge of a CSV file to dunr. The same file again takes in what is missing, and charges nothing twice."""
    from dunr.entry.cli.csv_rows import take_in, tell
    from dunr.entry.web.charges import left_charge

    with application_of(context) as application:
        desk, now = desk_of(application), application.clock.now()

        def write(body: "ChargeBody") -> bool:
            known = desk.book.find(desk.account.account, body.id)
            desk.leave(left_charge(body, now))
            return known is None

        taken = take_in(file, COLUMNS, REQUIRED, _body_of, write, skip_bad=skip_bad)
        do_what_is_due(application)
    tell(taken, "charges", as_json=as_json, skip_bad=skip_bad)


def _body_of(row: Mapping[str, str]) -> "ChargeBody":
    """A row as the API would have it. Raises `ValidationError`."""
    import msgspec

    from dunr.entry.cli.csv_rows import nested
    from dunr.entry.web.charges import ChargeBody

    return msgspec.convert(nested(row, CHARGE_PLACES), ChargeBody, strict=False)


@app.command()
def show(context: typer.Context, charge: ChargeId, as_json: Json = False) -> None:
    """One charge as it stands."""
    with application_of(context) as application:
        desk = desk_of(application)
        found = desk.book.find(desk.account.account, charge)
        if found is None:
            raise NoSuchThing(f"No charge {charge!r} was left to dunr.")
        _tell(application, found, as_json)


@app.command("take-back")
def take_back(
    context: typer.Context,
    charge: ChargeId,
    status: Annotated[WhyTakenBack, typer.Option(help="It was wrong, or it was given up.")] = WhyTakenBack.VOID,
    as_json: Json = False,
) -> None:
    """Make a charge no more. An attempt on its way is settled all the same."""
    from dunr.charge_book import LeftStatus

    with application_of(context) as application:
        kept = desk_of(application).take_back(charge, LeftStatus(status))
        do_what_is_due(application)
        _tell(application, kept, as_json)


def _tell(application: "Application", charge: "LeftCharge", as_json: bool) -> None:
    from dunr.entry.web.charges import charge_answer
    from dunr.ports import Refs

    case = application.store.load(desk_of(application).case_id(charge.id), Refs()).case
    told = charge_answer(charge, case)
    if as_json:
        answer(told)
        return
    say(
        f"{told.id}: {told.status or told.state}; {told.amount_due_minor} of {told.amount_minor} {told.currency} (minor units) due."
    )
    if told.next_attempt_at is not None:
        say(f"Next attempt: {shown(told.next_attempt_at)}; {told.attempts_count} made.")


def desk_of(application: "Application") -> "ChargeDesk":
    """The desk, where charges are left to us at all. Raises `Failed`."""
    if application.desk is None:
        raise Failed(
            'Charges are left to dunr only where processor = "billing_http": the processor makes its first charges by itself.'
        )
    return application.desk
