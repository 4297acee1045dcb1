"""`dunr plan`: the dates that a policy gives a failed charge, and why, before anything has failed."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.core.value import replace
from dunr.entry.cli.terminal import Json, answer, instant, say, show_table, shown
from dunr.errors import SettingsError

if TYPE_CHECKING:
    from dunr.core.facts import Facts
    from dunr.core.policy import Policy
    from dunr.core.terms import DeclineReason
    from dunr.entry.cli.forecast import Forecast


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("plan")(plan)


def plan(
    failed_at: Annotated[
        datetime, typer.Option(parser=instant, metavar="INSTANT", help="When the first charge failed.")
    ],
    policy: Annotated[str, typer.Option(help="A policy that ships, or the path of one in TOML.")] = "business_days",
    timezone: Annotated[str | None, typer.Option(help="Instead of the policy's own.")] = None,
    holidays: Annotated[
        str | None,
        typer.Option(help="A calendar (GB-ENG), or dates: 2026-12-25,2026-12-28; instead of the policy's own."),
    ] = None,
    decline: Annotated[
        str, typer.Option(help="The reason of each decline, or the sandbox's code for one.")
    ] = "insufficient_funds",
    as_json: Json = False,
) -> None:
    """Show when a failed charge would be tried again, what the customer would be told, and when access would pause."""
    from dunr.entry.cli.forecast import forecast

    chosen = _policy(policy, timezone, holidays)
    facts = _facts(chosen, failed_at)
    foreseen = forecast(chosen, facts, _reason(decline, facts), failed_at)
    if as_json:
        answer(foreseen)
    else:
        _show(foreseen)


def _policy(name: str, timezone: str | None, holidays: str | None) -> "Policy":
    """The policy with the options laid over it, checked like any other."""
    from dunr.facts.policies import policy_named
    from dunr.facts.policy_rules import problems_of

    policy = policy_named(name)
    if timezone is not None:
        policy = replace(policy, timezone=timezone)
    if holidays is not None:
        policy = replace(policy, calendar=f"dates:{holidays}" if holidays[:1].isdigit() else holidays)
    problems = problems_of(policy)
    if problems:
        raise SettingsError("\n".join(problems))
    return policy


def _facts(policy: "Policy", failed_at: datetime) -> "Facts":
    from dunr.facts.load import load_facts

    years = range(failed_at.year - 1, failed_at.year + 4)
    return load_facts(calendars=(policy.calendar,) if policy.calendar else (), years=years)


def _reason(decline: str, facts: "Facts") -> "DeclineReason":
    """A reason by its name, or by the code that the sandbox would give."""
    from dunr.core.declines import classify
    from dunr.core.snapshot import RawDecline
    from dunr.core.terms import DeclineReason

    if decline in set(DeclineReason):
        return DeclineReason(decline)
    reason = classify(RawDecline("card_declined", decline), "sandbox", facts).reason
    if ("sandbox", "decline_code", decline) not in facts.declines:
        known = ", ".join(sorted(DeclineReason))
        raise typer.BadParameter(
            f"{decline!r} is no reason and no code; the reasons are {known}.", param_hint="--decline"
        )
    return reason


def _show(foreseen: "Forecast") -> None:
    show_table(
        f"Policy {foreseen.policy}: attempts",
        ("Step", "At", "Why"),
        [(one.number, one.at, "; ".join(one.why)) for one in foreseen.attempts],
    )
    show_table(
        "What the customer is told",
        ("At", "Notice", "It says"),
        [(one.at, one.kind, _says(one.next_attempt_at, one.pause_at)) for one in foreseen.notices],
    )
    say(
        f"Access pauses {shown(foreseen.pause_at)}: {'; '.join(foreseen.pause_why)}."
        if foreseen.pause_at
        else "No pause."
    )


def _says(next_attempt_at: datetime | None, pause_at: datetime | None) -> str:
    parts = []
    if next_attempt_at is not None:
        parts.append(f"next attempt {shown(next_attempt_at)}")
    if pause_at is not None:
        parts.append(f"access pauses {shown(pause_at)}")
    return "; ".join(parts)
