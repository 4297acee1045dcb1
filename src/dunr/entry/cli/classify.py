"""`dunr classify`: what a code means, and what follows from it, before it has ever come."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.terminal import Json, answer, application_of, say, settings_of, show_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dunr.core.declines import Classification
    from dunr.core.facts import Facts
    from dunr.core.policy import Policy
    from dunr.core.snapshot import RawDecline
    from dunr.core.terms import DeclineReason
    from dunr.facts.proposing import Proposal

# Where a bare code is looked for: the most telling field first.
PLACES = ("decline_code", "code", "advice_code", "outcome_reason", "network_decline_code", "network_advice_code")


@dataclass(frozen=True, slots=True)
class Classified:
    """The answer. `mails` says whether a step is written about and `notifies` when; `tells_reason` whether its reason may be named."""

    reason: str
    kind: str
    strategy: str
    steps_max: int
    mails: bool
    notifies: str
    tells_reason: bool
    tellable: str
    stops_credential: bool
    wait_seconds: int | None
    processor: str
    network: str | None
    signals: dict[str, str]
    unknown: tuple[tuple[str, str, str], ...]
    proposals: "dict[str, Proposal]"
    policy: str | None
    why: tuple[str, ...]


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("classify")(classify)


def classify(
    context: typer.Context,
    processor: Annotated[str, typer.Option(help="Who reports the decline, such as stripe.")],
    code: Annotated[str | None, typer.Option(help="A code; the field that holds it is found.")] = None,
    decline_code: Annotated[str | None, typer.Option(help="The decline code.")] = None,
    advice: Annotated[str | None, typer.Option(help="The processor's advice code.")] = None,
    outcome: Annotated[str | None, typer.Option(help="Why the processor stopped it by itself.")] = None,
    network: Annotated[
        str | None, typer.Option(help="The card network or debit scheme, such as visa or nacha.")
    ] = None,
    network_code: Annotated[str | None, typer.Option(help="The network's response or return code.")] = None,
    network_advice: Annotated[str | None, typer.Option(help="The network's advice code.")] = None,
    policy: Annotated[
        str | None, typer.Option(help="A policy that ships, or one in TOML: what it does about it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what a decline means: its reason, what is tried, whether the customer is written to, and why."""
    from dunr.core.snapshot import RawDecline
    from dunr.facts.policies import policy_named

    if network is None and (network_code is not None or network_advice is not None):
        raise typer.BadParameter("A network's number means something else to each network.", param_hint="--network")
    facts = _facts(context, processor)
    raw = RawDecline(None, decline_code, advice, network_code, network_advice, outcome, network)
    if code is not None:
        raw = placed(code, raw, processor, network, facts)
    if not _signals(raw):
        raise typer.BadParameter("There is nothing to classify: give a code.", param_hint="--code")
    answered = _classified(raw, processor, facts, policy_named(policy) if policy is not None else None)
    if as_json:
        answer(answered)
    else:
        _show(answered)


def _facts(context: typer.Context, processor: str) -> "Facts":
    """What ships, with the merchant's own meanings. A store is read where there is one, and none is made for a question."""
    from dunr.core.facts import ProcessorFacts
    from dunr.facts.load import load_facts
    from dunr.facts.mapping import as_keys
    from dunr.facts.tables import NETWORKS_WITH_DECLINES, PROCESSORS_WITH_DECLINES

    settings = settings_of(context)
    own = dict(as_keys(settings.declines))
    if Path(settings.store.removeprefix("sqlite:///")).is_file():
        with application_of(context) as application:
            own = {**application.rulebook.mappings.stored(), **own}
    known = PROCESSORS_WITH_DECLINES | NETWORKS_WITH_DECLINES | {owner for owner, _, _ in own}
    if processor not in known:
        raise typer.BadParameter(
            f"{processor!r} has no table of codes; those that have one are {', '.join(sorted(known))}.",
            param_hint="--processor",
        )
    return load_facts(merchant_declines=own, processors={processor: ProcessorFacts()})


def placed(code: str, raw: "RawDecline", processor: str, network: str | None, facts: "Facts") -> "RawDecline":
    """The decline with a bare code in the first field where a table has it; where none has, it stands as the decline code."""
    from dunr.core.declines import NETWORK_FIELDS
    from dunr.core.value import replace

    for field in PLACES:
        owner = (network or processor) if field in NETWORK_FIELDS else processor
        if getattr(raw, field) is None and (owner, field, code) in facts.declines:
            found = replace(raw, **{field: code})
            return replace(found, network=owner) if field in NETWORK_FIELDS else found
    free = next((field for field in ("decline_code", "code") if getattr(raw, field) is None), None)
    if free is None:
        raise typer.BadParameter(f"No field that is left holds {code!r}.", param_hint="--code")
    return replace(raw, **{free: code})


def _signals(raw: "RawDecline") -> dict[str, str]:
    """The codes that were given."""
    from dunr.core.declines import FIELDS

    return {field: value for field in FIELDS if (value := getattr(raw, field)) is not None}


def _classified(raw: "RawDecline", processor: str, facts: "Facts", policy: "Policy | None") -> Classified:
    from dunr.core.declines import classify as meaning_of
    from dunr.core.declines import in_words, treated_as
    from dunr.core.facts import Notifies, Tellable
    from dunr.facts.proposing import proposal_for

    meant = meaning_of(raw, processor, facts)
    known = facts.reasons[meant.reason]
    strategy, steps_max = _tried(treated_as(meant.reason, facts), facts, policy)
    proposals = {in_words(key): found for key in meant.unknown if (found := proposal_for(key)) is not None}
    return Classified(
        reason=meant.reason,
        kind=known.kind,
        strategy=strategy,
        steps_max=steps_max,
        mails=known.notifies in (Notifies.YES, Notifies.AFTER_FIRST_RETRY, Notifies.IF_UPDATER_MISSES),
        notifies=known.notifies,
        tells_reason=known.tellable is Tellable.YES,
        tellable=known.tellable,
        stops_credential=known.stops_credential,
        wait_seconds=meant.wait_seconds,
        processor=processor,
        network=raw.network,
        signals=_signals(raw),
        unknown=meant.unknown,
        proposals=proposals,
        policy=policy.name if policy is not None else None,
        why=(*meant.why, *_consequences(meant, facts)),
    )


def _tried(reason: "DeclineReason", facts: "Facts", policy: "Policy | None") -> tuple[str, int]:
    """How and how often time is tried: by the policy, or as the table of reasons suggests."""
    from dunr.core.policy import Strategy
    from dunr.core.strategies import rungs, strategy_for

    if policy is None:
        return facts.reasons[reason].strategy, facts.reasons[reason].steps_suggested_max
    steps_max = len(rungs(policy, facts, reason, 0, 0, 0))
    return strategy_for(policy, reason) if steps_max else Strategy.NONE, steps_max


def _consequences(meant: "Classification", facts: "Facts") -> "Iterator[str]":
    """What follows from the reason, in words."""
    from dunr.core.declines import treated_as
    from dunr.core.facts import Tellable

    known = facts.reasons[meant.reason]
    yield f"so the reason is {meant.reason}: {known.sentence}"
    if treated_as(meant.reason, facts) is not meant.reason:
        yield "it says nothing about the payer, so it gets one cautious step, as an unknown one does"
    if meant.wait_seconds is not None:
        yield f"the bank or the network asks to wait {meant.wait_seconds} seconds"
    if known.stops_credential:
        yield "this credential is not charged again until it changes"
    if known.tellable is not Tellable.YES:
        yield "the customer is not told this reason"


def _show(answered: Classified) -> None:
    when = f"yes ({answered.notifies})" if answered.notifies != "yes" else "yes"
    rows = (
        ("Reason", f"{answered.reason} ({answered.kind})"),
        ("Tried", f"{answered.strategy}, at most {answered.steps_max}" if answered.steps_max else "nothing"),
        ("Customer is written to", when if answered.mails else f"no ({answered.notifies})"),
        ("Reason is told", answered.tellable),
    )
    show_table("", ("Question", "Answer"), rows)
    for line in answered.why:
        say(line)
    for key, proposal in answered.proposals.items():
        say(f"{key} probably means {proposal.reason} ({proposal.why})")
