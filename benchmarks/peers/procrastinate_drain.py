"""procrastinate as a peer of the draining benchmark: jobs that do nothing, worked off by its own worker in one process, with as many at once as dunr has threads.

`python procrastinate_drain.py URL COUNT FUTURE_COUNT` makes its tables and the jobs, and prints one JSON object with how long the worker took for those that are
due. Finished jobs stay in the table, as dunr's attempts do.
"""

import asyncio
import json
import sys
import time
from datetime import UTC, datetime

import procrastinate

CONCURRENCY = 8
AT_ONCE = 1_000

app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=sys.argv[1]))


@app.task(queue="due")
async def attempt(number: int) -> None:
    """The charge, which is stubbed out."""


async def defer(count: int, at: datetime | None) -> None:
    """So many jobs, each for a customer of its own."""
    deferring = attempt.configure(schedule_at=at)
    for first in range(0, count, AT_ONCE):
        await deferring.batch_defer_async(*({"number": number} for number in range(first, min(first + AT_ONCE, count))))


async def drain(count: int, future_count: int) -> dict[str, float]:
    """Make the jobs, then work off those that are due."""
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        await defer(count, None)
        if future_count:
            await defer(future_count, datetime(2090, 1, 1, tzinfo=UTC))
        await app.connector.execute_query_async("ANALYZE")
        begun, cpu_begun = time.monotonic(), time.process_time()
        await app.run_worker_async(
            queues=["due"], concurrency=CONCURRENCY, wait=False, install_signal_handlers=False, listen_notify=False
        )
        seconds, processor_seconds = time.monotonic() - begun, time.process_time() - cpu_begun
        (left,) = await app.connector.execute_query_all_async(
            "SELECT count(*) AS left FROM procrastinate_jobs WHERE status <> 'succeeded' AND scheduled_at IS NULL"
        )
    if left["left"]:
        raise RuntimeError(f"{left['left']} jobs are still to be done")
    return {"count": count, "seconds": seconds, "processor_seconds": processor_seconds}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(drain(int(sys.argv[2]), int(sys.argv[3])))))
