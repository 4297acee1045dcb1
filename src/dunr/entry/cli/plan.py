"""`dunr plan`: the dates that a policy gives a failed charge, and why, before anything has failed."""

import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.core.value import replace
from dunr.entry.cli.terminal import Json, answer, instant, say, show_table, shown
from dunr.errors import SettingsError

if TYPE_CHECKING:
    from dunr.core.facts import Facts
    from dunr.core.policy import Policy
    from dunr.core.snapshot import RawDecline
    from dunr.core.terms import Rail
    from dunr.entry.cli.foreseen import Forecast

COUNTRY = re.compile(r"[A-Z]{2}")


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("plan")(plan)


def plan(
    failed_at: Annotated[
        datetime, typer.Option(parser=instant, metavar="INSTANT", help="When the first charge failed.")
    ],
    policy: Annotated[str, typer.Option(help="A policy that ships, or the path of one in TOML.")] = "business_days",
    decline: Annotated[
        str, typer.Option(help="The reason of each decline, or a code of the processor or the network.")
    ] = "insufficient_funds",
    processor: Annotated[str, typer.Option(help="Whose code it is, such as stripe.")] = "sandbox",
    country: Annotated[str | None, typer.Option(help="Where the payer lives, such as GB.")] = None,
    timezone: Annotated[
        str | None, typer.Option(help="Of the payer, and instead of the policy's own, such as Europe/London.")
    ] = None,
    network: Annotated[str | None, typer.Option(help="The card network, such as visa.")] = None,
    network_advice: Annotated[
        str | None, typer.Option(help="The network's advice code beside it, such as 30 of mastercard: wait ten days.")
    ] = None,
    rail: Annotated[str, typer.Option(help="How the money moves, such as card or ach.")] = "card",
    holidays: Annotated[
        str | None,
        typer.Option(help="A calendar (GB-ENG), or dates: 2026-12-25,2026-12-28; instead of the policy's own."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show when a failed charge would be tried again, what the customer would be told, when access would pause, and why."""
    from dunr.core.model import Payer
    from dunr.entry.cli.forecast import forecast
    from dunr.entry.cli.foreseen import Scene

    chosen = _policy(policy, timezone, holidays)
    _check_country(country)
    facts = _facts(processor, failed_at)
    facts, raw = _decline(decline, processor, network, facts)
    if network_advice is not None:
        raw = _advised(raw, network_advice, network, facts)
    payer = Payer(timezone=timezone, country=country)
    scene = Scene(processor, raw, failed_at, payer, _rail(rail), _network(network or raw.network, facts))
    foreseen = forecast(chosen, facts, scene)
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


def _facts(processor: str, failed_at: datetime) -> "Facts":
    """What ships, for a processor that can do what its adapter can: where a card cannot be refreshed, the customer is asked instead."""
    from dunr.bootstrap import facts_of
    from dunr.facts.load import load_facts
    from dunr.facts.tables import PROCESSORS_WITH_DECLINES

    if processor not in PROCESSORS_WITH_DECLINES:
        known = ", ".join(sorted(PROCESSORS_WITH_DECLINES))
        raise typer.BadParameter(
            f"{processor!r} has no table of codes; those that have one are {known}.", param_hint="--processor"
        )
    years = range(failed_at.year - 1, failed_at.year + 4)
    return load_facts(years=years, processors={processor: facts_of(processor)})


def _decline(decline: str, processor: str, network: str | None, facts: "Facts") -> "tuple[Facts, RawDecline]":
    """The decline of each attempt: by a reason's own name, or by the code that the processor or the network gives for it."""
    from dunr.core.declines import classify
    from dunr.core.snapshot import RawDecline
    from dunr.core.terms import DeclineReason
    from dunr.entry.cli.classify import placed
    from dunr.entry.cli.forecast import ANY_CODE

    if decline in set(DeclineReason):
        reason = DeclineReason(decline)
        return replace(facts, declines={**facts.declines, (processor, "code", ANY_CODE): reason}), RawDecline(ANY_CODE)
    raw = placed(decline, RawDecline(None), processor, network, facts)
    if classify(raw, processor, facts, network).unknown:
        known = ", ".join(sorted(DeclineReason))
        raise typer.BadParameter(
            f"{decline!r} is no reason, and no code of {network or processor}; the reasons are {known}.",
            param_hint="--decline",
        )
    return facts, raw


def _advised(raw: "RawDecline", advice: str, network: str | None, facts: "Facts") -> "RawDecline":
    """The decline with what the network advises; an advice means something else to each network."""
    if (network, "network_advice_code", advice) not in facts.declines:
        known = sorted(
            code for owner, name, code in facts.declines if (owner, name) == (network, "network_advice_code")
        )
        wanted = f"write one of {', '.join(known)}" if known else "name the network in --network"
        raise typer.BadParameter(f"{advice!r} is no advice of {network}: {wanted}.", param_hint="--network-advice")
    return replace(raw, network_advice_code=advice)


def _check_country(country: str | None) -> None:
    if country is not None and not COUNTRY.fullmatch(country):
        raise typer.BadParameter(
            f"{country!r} is no country; write its two letters, such as GB.", param_hint="--country"
        )


def _rail(name: str) -> "Rail":
    from dunr.core.terms import Rail

    if name not in set(Rail):
        raise typer.BadParameter(f"{name!r} is no rail; write one of {', '.join(Rail)}.", param_hint="--rail")
    return Rail(name)


def _network(name: str | None, facts: "Facts") -> str | None:
    """A card network that some table knows: one that is misspelt would have no rules, silently."""
    known = {network for _, network in facts.rules if network is not None} | facts.networks
    if name is not None and name not in known:
        raise typer.BadParameter(
            f"No rules and no codes of {name!r} are known; write one of {', '.join(sorted(known))}.",
            param_hint="--network",
        )
    return name


def _show(foreseen: "Forecast") -> None:
    from dunr.entry.cli.picture import picture

    say(f"{foreseen.reason} ({foreseen.kind}), strategy {foreseen.strategy}: {'; '.join(foreseen.decline_why)}.")
    say(f"The payer lives in {foreseen.timezone}: {foreseen.timezone_why}.")
    show_table(
        f"Policy {foreseen.policy}: attempts",
        ("Step", "At", "Why"),
        [(one.number, one.at, "; ".join(one.why)) for one in foreseen.attempts],
    )
    if foreseen.undated:
        say(f"No date: {'; '.join(foreseen.undated)}.")
    show_table(
        "What the customer is told",
        ("At", "Notice", "It says", "Why"),
        [(one.at, one.kind, _says(one.next_attempt_at, one.pause_at), "; ".join(one.why)) for one in foreseen.notices],
    )
    show_table("Access", ("From", "Access", "Why"), [(one.at, one.access, one.why) for one in foreseen.access])
    for line in picture(foreseen):
        say(line)
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
