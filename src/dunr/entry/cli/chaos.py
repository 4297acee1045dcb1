"""`dunr chaos`: seeded worlds that try to break the promises."""

from typing import Annotated

import typer

from dunr.entry.cli.terminal import FAILED, Json, answer, say


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("chaos")(chaos)


def chaos(
    worlds: Annotated[int, typer.Option(min=1, max=10_000_000, help="How many worlds.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The first world's seed; the others count up from it.")] = 0,
    as_json: Json = False,
) -> None:
    """Play worlds of lost answers, crashes and impatient customers; fail where a promise was broken."""
    from dunr.simulate.chaos import run

    report = run(worlds=worlds, seed=seed)
    if as_json:
        answer(report)
    else:
        say(str(report))
    if report.violations:
        raise typer.Exit(FAILED)
