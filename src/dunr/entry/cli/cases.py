"""`dunr cases`: what is being recovered, the story of one case, and what an operator may do with it."""

import getpass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.story import tell_story
from dunr.entry.cli.terminal import (
    Json,
    answer,
    application_of,
    do_what_is_due,
    instant,
    list_alone,
    money,
    say,
    show_table,
)
from dunr.errors import NoSuchThing

if TYPE_CHECKING:
    from dunr.application import Application
    from dunr.core.events import Event
    from dunr.core.model import Case

app = typer.Typer(help="What is being recovered, and what an operator may do about it.")

CaseId = Annotated[str, typer.Argument(metavar="ID", help="The case's id, or the bare invoice id.")]
Why = Annotated[str, typer.Option(help="Kept in the audit log.")]
To = Annotated[datetime, typer.Option(parser=instant, metavar="INSTANT")]
LISTED_MAX = 1000


@app.command("list")
def list_cases(
    context: typer.Context,
    state: Annotated[
        str | None, typer.Option(help="scheduled, awaiting_customer, recovered, exhausted or closed.")
    ] = None,
    text: Annotated[str | None, typer.Option(help="A part of an id.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=LISTED_MAX)] = 50,
    as_json: Json = False,
) -> None:
    """List cases, newest first."""
    from dunr.core.terms import CaseState
    from dunr.entry.web.stories import case_answer

    if state is not None and state not in set(CaseState):
        raise typer.BadParameter(f"{state!r} is no state; the states are {', '.join(CaseState)}.", param_hint="--state")
    with application_of(context) as application:
        found = [case_answer(one) for one in application.reports.cases(state=state, text=text, limit=limit, after=None)]
        if as_json:
            answer({"cases": found})
            return
        show_table(
            "",
            ("Case", "State", "Due", "Reason", "Next attempt", "Pause", "Access"),
            [
                (
                    one.id,
                    one.shown,
                    money(one.amount_due_minor, one.currency, one.processor),
                    one.reason,
                    one.next_attempt_at,
                    one.pause_at,
                    one.access,
                )
                for one in found
            ],
        )


list_alone(app, lambda context, as_json: list_cases(context, as_json=as_json))


@app.command()
def show(context: typer.Context, case: CaseId, as_json: Json = False) -> None:
    """Tell the story of one case: what was tried, planned, told and booked, each with its why."""
    from dunr.entry.web.stories import story

    with application_of(context) as application:
        told = story(application.store, application.reports, case_named(application, case))
        if as_json:
            answer(told)
        else:
            tell_story(told)


@app.command()
def hold(
    context: typer.Context,
    case: CaseId,
    why: Why,
    until: Annotated[datetime | None, typer.Option(parser=instant, metavar="INSTANT")] = None,
    as_json: Json = False,
) -> None:
    """Send nothing for a case, until an instant or until it is released."""
    from dunr.core.events import HoldPlaced

    _wish(context, case, HoldPlaced(actor(), why, until), as_json)


@app.command()
def release(
    context: typer.Context,
    case: CaseId,
    ref: Annotated[str | None, typer.Option(help="Which hold; needed where there are several.")] = None,
    as_json: Json = False,
) -> None:
    """Release one hold of a case."""
    from dunr.core.events import HoldReleased

    with application_of(context) as application:
        holds = [one.ref for one in case_named(application, case).holds]
    if ref is None:
        if len(holds) != 1:
            raise typer.BadParameter(f"The holds are: {', '.join(holds) or 'none'}. Name one.", param_hint="--ref")
        ref = holds[0]
    _wish(context, case, HoldReleased(actor(), ref), as_json)


@app.command()
def retry(context: typer.Context, case: CaseId, as_json: Json = False) -> None:
    """Try again now. It spends no step."""
    from dunr.core.events import RetryNow

    _wish(context, case, RetryNow(actor()), as_json)


@app.command()
def postpone(context: typer.Context, case: CaseId, to: To, as_json: Json = False) -> None:
    """Move the next attempt to a later time; it is moved on to the next allowed one."""
    from dunr.core.events import StepPostponed

    _wish(context, case, StepPostponed(actor(), to), as_json)


@app.command()
def settle(
    context: typer.Context,
    case: CaseId,
    attempt: Annotated[int, typer.Option(min=1, help="The attempt's number.")],
    captured: Annotated[bool, typer.Option("--captured/--not-captured", help="Whether the money moved.")],
    evidence: Annotated[str, typer.Option(help="How you know; kept in the audit log.")],
    charge: Annotated[str | None, typer.Option(help="The processor's charge id, where there is one.")] = None,
    as_json: Json = False,
) -> None:
    """Settle an attempt that nobody else could settle, with evidence."""
    from dunr.core.events import AttemptSettledByHand

    _wish(context, case, AttemptSettledByHand(actor(), attempt, captured, evidence, charge), as_json)


@app.command()
def close(context: typer.Context, case: CaseId, why: Why, as_json: Json = False) -> None:
    """Close a case. The debt stays in the ledger, for a person."""
    from dunr.core.events import CaseClosed

    _wish(context, case, CaseClosed(actor(), why), as_json)


def _wish(context: typer.Context, given: str, event: "Event", as_json: bool) -> None:
    """Ask the engine, and show the case as it then stands."""
    from dunr.entry.web.stories import case_answer

    with application_of(context) as application:
        case_id = case_named(application, given).id
        decision = application.engine.wish(case_id, event)
        do_what_is_due(application)
        now = case_answer(case_named(application, case_id))
        if as_json:
            answer({"because": decision.because, "case": now})
        else:
            say("\n".join((*decision.because, f"{now.id} is {now.shown}.")))


def case_named(application: "Application", given: str) -> "Case":
    """The case of a whole id, or of a bare invoice id."""
    from dunr.ports import Refs

    settings = application.settings
    prefix = f"{settings.processor}:{settings.account}:"
    case = application.store.load(given if given.startswith(prefix) else prefix + given, Refs()).case
    if case is None:
        raise NoSuchThing(f"There is no case {given!r}; `dunr cases list` shows those that there are.")
    return case


def actor() -> str:
    """Who sits at this terminal, for the audit log."""
    return f"operator:{getpass.getuser()}"
