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
    jobs: Annotated[int, typer.Option(min=0, help="How many processes play at once; 0: one for each core.")] = 0,
    as_json: Json = False,
) -> None:
    """Play worlds of lost answers, crashes and impatient customers; fail where a promise was broken."""
    from dunr.simulate.cores import cores_count, run_on_cores

    result = run_on_cores(worlds, seed, jobs or cores_count())
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
            }
        )
    else:
        for broken in result.violations:
            say(broken.story or f"seed {broken.seed}: {broken.promise}: {broken.seen}")
        say(
            f"{result.worlds} worlds, {result.steps} steps ({result.steps_per_second:,.0f} a second), "
            f"{len(result.violations)} broken promises."
        )
    if result.violations:
        raise typer.Exit(FAILED)
