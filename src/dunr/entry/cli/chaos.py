"""`dunr chaos`: seeded worlds that try to break the promises."""

import secrets
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.terminal import FAILED, Json, answer, say

if TYPE_CHECKING:
    from dunr.simulate.shrinking import Shrunk

FRESH_SEEDS = 2**40


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("chaos")(chaos)


def chaos(
    worlds: Annotated[int, typer.Option(min=1, max=10_000_000, help="How many worlds.")] = 1000,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The first world's seed; the others count up. With --minutes: a fresh one."),
    ] = None,
    minutes: Annotated[float, typer.Option(min=0, max=1440, help="Play as long as this instead of --worlds.")] = 0,
    jobs: Annotated[int, typer.Option(min=0, help="How many processes play at once; 0: one for each core.")] = 0,
    as_json: Json = False,
) -> None:
    """Play worlds of lost answers, crashes and impatient customers; fail where a promise was broken."""
    from dunr.simulate.cores import cores_count, run_for, run_on_cores

    jobs = jobs or cores_count()
    if minutes:
        first = seed if seed is not None else secrets.randbelow(FRESH_SEEDS)
        if not as_json:
            say(f"Worlds from seed {first} on, for {minutes:g} minutes …")
        result = run_for(minutes * 60, first, jobs)
    else:
        result = run_on_cores(worlds, seed or 0, jobs)
    found = _shrunk(result.violations[0].seed) if result.violations else None
    if as_json:
        answer(
            {
                "worlds": result.worlds,
                "seed": result.seed,
                "steps": result.steps,
                "violations": len(result.violations),
                "seconds": result.seconds,
                "steps_per_second": result.steps_per_second,
                "steps_per_cpu_second": result.steps_per_cpu_second,
                "jobs": result.jobs,
                "worlds_per_second": result.worlds_per_second,
                "mean_steps": result.mean_steps,
                "broken": result.violations,
                "shortest": found,
            }
        )
    else:
        for broken in result.violations:
            say(broken.story or f"seed {broken.seed}: {broken.promise}: {broken.seen}")
        if found is not None:
            say(f"\nThe shortest world in which the same breaks in:\n\n{found.story}")
            say(f"\nThe same for tests/core, to be played by dunr.testing.scenario:\n\n{found.timeline}\n")
        say(
            f"{result.worlds} worlds from seed {result.seed} on, {result.steps} steps ({result.steps_per_second:,.0f} a second), "
            f"{len(result.violations)} broken promises."
        )
    if result.violations:
        raise typer.Exit(FAILED)


def _shrunk(seed: int) -> "Shrunk | None":
    """The shortest world in which the same promise breaks."""
    from dunr.facts.load import load_facts
    from dunr.simulate.shrinking import shrink

    return shrink(seed, load_facts())
