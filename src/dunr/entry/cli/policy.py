"""`dunr policy`: the rules in force, checked, compared, changed, and changed for cases that are open already."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.cases import actor, case_named
from dunr.entry.cli.policy_words import show_in_force, show_moves, show_policy, words
from dunr.entry.cli.terminal import Failed, Json, answer, application_of, do_what_is_due, say, settings_of, show_table

if TYPE_CHECKING:
    from dunr.application import Application
    from dunr.core.policy import Policy
    from dunr.core.terms import Rail
    from dunr.facts.policies import PoliciesRead

app = typer.Typer(help="The rules that decide.", no_args_is_help=True)

NAMED = "A policy in force or that ships, a TOML file, FILE#NAME, or the hash that a case shows."
Named = Annotated[str, typer.Argument(metavar="POLICY", help=NAMED)]
PolicyFile = Annotated[Path, typer.Argument(metavar="FILE", help="A TOML file with one policy or several.")]


@app.callback()
def _begin() -> None:
    """The rules that decide."""


@app.command()
def show(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help=f"{NAMED} Left out: what is in force.")] = None,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print the file of a policy that ships, to begin your own with.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the policies in force, or one policy and the hash under which cases keep it."""
    from dunr.core.policy import policy_hash
    from dunr.facts.policies import shipped_text

    if toml:
        if name is None:
            raise typer.BadParameter("Name a policy that ships.", param_hint="--toml")
        typer.echo(shipped_text(name), nl=False)
        return
    with application_of(context) as application:
        in_force = application.policies.now()
        policy = in_force.policies.named(in_force.policies.default) if name is None else _policy(application, name)
        told: dict[str, object] = {"hash": policy_hash(policy), "policy": policy}
        if name is None:
            told |= {"in_force": in_force, "set_hash": in_force.set_hash}
        if as_json:
            answer(told)
            return
        if name is None:
            show_in_force(in_force)
        show_policy(policy)


@app.command()
def check(
    context: typer.Context,
    file: PolicyFile,
    rail: Annotated[
        list[str] | None, typer.Option(help="Check one policy for this rail instead of cards; may be given again.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what is wrong with a policy file, with the line and what to write instead, and what may not be meant."""
    from dunr.bootstrap import facts_of
    from dunr.core.policy import policy_hash
    from dunr.facts.complaints import Level, PolicyRefused
    from dunr.facts.policies import policies_in
    from dunr.mail.wiring import mail_brands

    read: PoliciesRead | None = None
    try:
        settings = settings_of(context)
        served = {settings.processor: facts_of(settings.processor)}
        read = policies_in(file, _rails(rail or []), served, mail_brands(settings).all())
        remarks = read.warnings
    except PolicyRefused as refused:
        remarks = refused.remarks
    errors = sum(remark.level is Level.ERROR for remark in remarks)
    if as_json:
        policies = read.policies.policies if read is not None else ()
        hashes = {policy.name: policy_hash(policy) for policy in policies}
        answer({"file": str(file), "ok": not errors, "policies": hashes, "remarks": remarks})
    else:
        say("\n".join([*map(str, remarks), _verdict(file, read, errors, len(remarks) - errors)]))
    if errors:
        raise Failed(f"{file} was refused, for {_count(errors, 'error')}.")


def _rails(names: list[str]) -> "tuple[Rail, ...]":
    from dunr.core.terms import Rail

    for name in names:
        if name not in set(Rail):
            raise typer.BadParameter(f"{name!r} is no rail; the rails are {', '.join(Rail)}.", param_hint="--rail")
    return tuple(Rail(name) for name in names)


def _verdict(file: Path, read: "PoliciesRead | None", errors: int, warnings: int) -> str:
    if read is None:
        return f"{file}: {_count(errors, 'error')}, {_count(warnings, 'warning')}; nothing was changed."
    names = ", ".join(policy.name for policy in read.policies.policies)
    return f"{file} can be used: {names}; {_count(warnings, 'warning')}."


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


@app.command()
def diff(context: typer.Context, before: Named, after: Named, as_json: Json = False) -> None:
    """Show in which settings two policies differ."""
    with application_of(context) as application:
        one, other = _policy(application, before), _policy(application, after)
    changed = [
        {"setting": key, "before": old, "after": new}
        for key, old, new in (*_settings(one, other), *_rows(one, other))
        if old != new
    ]
    if as_json:
        answer({"before": one.name, "after": other.name, "changed": changed})
        return
    if not changed:
        say(f"{one.name} and {other.name} are the same.")
        return
    rows = [(row["setting"], words(row["before"]), words(row["after"])) for row in changed]
    show_table("", ("Setting", one.name, other.name), rows)


def _settings(one: "Policy", other: "Policy") -> list[tuple[str, object, object]]:
    keys = [key for key in one.__struct_fields__ if key != "reasons"]
    return [(key, getattr(one, key), getattr(other, key)) for key in keys]


def _rows(one: "Policy", other: "Policy") -> list[tuple[str, object, object]]:
    old, new = dict(one.reasons), dict(other.reasons)
    return [(f"reasons.{reason}", old.get(reason), new.get(reason)) for reason in sorted(old | new)]


@app.command()
def apply(context: typer.Context, file: PolicyFile, as_json: Json = False) -> None:
    """Put a policy file in force for new cases, everywhere, in place of what the setting names. It is stored; the file is not read again."""
    from dunr.facts.policies import policies_in
    from dunr.mail.wiring import mail_brands

    with application_of(context) as application:
        served = {name: one.facts for name, one in application.processors.items()}
        read = policies_in(file, (), served, mail_brands(application.settings).all())
        for policy in read.policies.policies:
            application.rulebook.keep(policy)
        in_force = application.policies.apply(read.policies, str(file), actor())
    for warning in read.warnings:
        typer.echo(str(warning), err=True)
    if as_json:
        answer({"in_force": in_force, "set_hash": in_force.set_hash})
    else:
        show_in_force(in_force)


@app.command()
def withdraw(context: typer.Context, as_json: Json = False) -> None:
    """Take back what was applied: new cases get what the setting names again."""
    with application_of(context) as application:
        in_force = application.policies.withdraw()
    if as_json:
        answer({"in_force": in_force, "set_hash": in_force.set_hash})
    else:
        show_in_force(in_force)


@app.command()
def move(
    context: typer.Context,
    cases: Annotated[list[str], typer.Argument(metavar="CASE…", help="Ids of open cases, or their bare invoice ids.")],
    to: Annotated[str, typer.Option(help=NAMED)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would become of the dates.")] = False,
    as_json: Json = False,
) -> None:
    """Move open cases to another policy. Used steps count, and nothing that was told comes earlier."""
    from dunr.policy_moves import foresee
    from dunr.policy_moves import move as move_case

    with application_of(context) as application:
        policy, do = _policy(application, to), foresee if dry_run else move_case
        ids = [case_named(application, case).id for case in cases]
        moves = [do(application.engine, application.rulebook, case_id, policy, actor()) for case_id in ids]
        if not dry_run:
            do_what_is_due(application)
    if as_json:
        answer({"dry_run": dry_run, "moves": moves})
    else:
        show_moves(moves, dry_run=dry_run)
    rejected = sum(one.rejected is not None for one in moves)
    if rejected:
        raise Failed(f"{rejected} of {len(moves)} cases cannot be moved.")


def _policy(application: "Application", name: str) -> "Policy":
    """A policy by any of its names; one that is in force comes first."""
    from dunr.facts.policies import policy_named

    known = {policy.name: policy for policy in application.policies.now().policies.policies}
    if name in known:
        return known[name]
    return application.rulebook.kept(name) or policy_named(name)
