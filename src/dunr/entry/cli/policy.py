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
    from dunr.core.policy import policy_hash
    from dunr.facts.policies import policy_named

    policy = policy_named(name or settings_of(context).policy)
    if as_json:
        answer({"hash": policy_hash(policy), "policy": policy})
        return
    say(f"{policy.name}, kept by cases as {policy_hash(policy)}")
    show_table(
        "",
        ("Setting", "Value"),
        [(key, _words(getattr(policy, key))) for key in policy.__struct_fields__ if key != "name"],
    )


def _words(value: object) -> str:
    """A value as a person would write it."""
    from dunr.core.policy import ReasonRule, Step

    if isinstance(value, Step):
        return f"{value.after} {value.unit}"
    if isinstance(value, ReasonRule):
        return f"at most {value.steps_max} of {_words(value.steps)}" if value.steps else f"at most {value.steps_max}"
    if isinstance(value, tuple | list):
        return ", ".join(_words(one) for one in value) or "none"
    return "none" if value is None else str(value)
