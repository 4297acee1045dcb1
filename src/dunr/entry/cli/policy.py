"""`dunr policy`: the rules in force."""

from typing import Annotated

import typer

from dunr.entry.cli.terminal import Json, answer, say, settings_of, show_table

app = typer.Typer(help="The rules that decide.", no_args_is_help=True)


@app.callback()
def _begin() -> None:
    """The rules that decide."""


@app.command()
def show(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="A policy that ships, or a TOML file; left out: the one in force.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a policy and the hash under which cases keep it."""
    from dataclasses import asdict

    from dunr.core.policy import policy_hash
    from dunr.facts.policies import policy_named

    policy = policy_named(name or settings_of(context).policy)
    if as_json:
        answer({"hash": policy_hash(policy), "policy": policy})
        return
    say(f"{policy.name}, kept by cases as {policy_hash(policy)}")
    show_table(
        "", ("Setting", "Value"), [(key, _words(value)) for key, value in asdict(policy).items() if key != "name"]
    )


def _words(value: object) -> str:
    """A value as a person would write it."""
    if isinstance(value, dict) and set(value) == {"after", "unit"}:
        return f"{value['after']} {value['unit']}"
    if isinstance(value, tuple | list):
        return ", ".join(_words(one) for one in value) or "none"
    return "none" if value is None else str(value)
