"""Worlds on several cores: they share nothing, so each process plays its share of the seeds, and the shares are added up in the order of the seeds."""

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from multiprocessing.context import BaseContext
from time import perf_counter

from dunr.simulate.chaos import VIOLATIONS_TOLD_MAX, ChaosResult, Violation, run

WORLDS_IN_A_SHARE = 100
BATCH_MAX = 5_000  # worlds that are begun without a look at the clock


def cores_count() -> int:
    """How many processes can run at once on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_on_cores(worlds: int, seed: int, jobs: int) -> ChaosResult:
    """Play `worlds` worlds with the seeds from `seed` on, in `jobs` processes at once, this one among them; the result is the same for any number of them."""
    jobs = min(jobs, -(-worlds // WORLDS_IN_A_SHARE))
    if jobs == 1:
        return run(worlds, seed)
    begun = perf_counter()
    firsts = range(seed, seed + worlds, WORLDS_IN_A_SHARE)
    counts = [min(WORLDS_IN_A_SHARE, seed + worlds - first) for first in firsts]
    with ProcessPoolExecutor(jobs - 1, _processes()) as others:
        waiting = [others.submit(run, count, first) for count, first in zip(counts, firsts, strict=True)]
        # This process plays too, from the last share on: what none of the others has taken yet is taken back.
        ours = {}
        for number in reversed(range(len(waiting))):
            if waiting[number].cancel():
                ours[number] = run(counts[number], firsts[number])
        shares = [ours[number] if number in ours else one.result() for number, one in enumerate(waiting)]
    return _together(shares, seed, perf_counter() - begun, jobs)


def run_for(seconds: float, seed: int, jobs: int) -> ChaosResult:
    """Play worlds with the seeds from `seed` on until the time is over; the batch under way is played to its end."""
    begun = perf_counter()
    batches: list[ChaosResult] = []
    worlds = WORLDS_IN_A_SHARE * jobs
    while not batches or perf_counter() - begun < seconds:
        batches.append(run_on_cores(worlds, seed + sum(one.worlds for one in batches), jobs))
        left_seconds = seconds - (perf_counter() - begun)
        worlds = max(WORLDS_IN_A_SHARE, min(BATCH_MAX, int(left_seconds * batches[-1].worlds_per_second)))
    return _together(batches, seed, perf_counter() - begun, jobs)


def _together(parts: Sequence[ChaosResult], seed: int, seconds: float, jobs: int) -> ChaosResult:
    """What several parts of one run came to."""
    return ChaosResult(
        worlds=sum(part.worlds for part in parts),
        steps=sum(part.steps for part in parts),
        violations=tuple(_told(list(chain.from_iterable(part.violations for part in parts)))),
        seed=seed,
        seconds=seconds,
        cpu_seconds=sum(part.cpu_seconds for part in parts),
        jobs=jobs,
    )


def _processes() -> BaseContext:
    """Fresh processes that have read the engine once for all of them, where the system can do that."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([run.__module__])
    return context


def _told(violations: list[Violation]) -> list[Violation]:
    """The stories of the first few are enough."""
    short = [Violation(one.seed, one.promise, one.seen, "") for one in violations[VIOLATIONS_TOLD_MAX:]]
    return violations[:VIOLATIONS_TOLD_MAX] + short
