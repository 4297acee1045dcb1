"""In which order tests run where several processes share them: each begins with its share of the slow ones, so that none is left with all of them at the end.

No property has a deadline, since a busy machine is no fault of the code.
"""

import os
from itertools import islice

import pytest
from hypothesis import settings

settings.register_profile("dunr", deadline=None)
settings.load_profile("dunr")


@pytest.hookimpl(trylast=True)  # what is left out is gone by then
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slow tests, in turns, at the heads of the equal blocks in which the processes get their tests."""
    processes_count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    slow = [item for item in items if item.get_closest_marker("slow") is not None]
    if processes_count == 1 or not slow:
        return
    quick = iter([item for item in items if item.get_closest_marker("slow") is None])
    ordered: list[pytest.Item] = []
    for number in range(processes_count):
        ends_at = len(items) * (number + 1) // processes_count
        ordered += slow[number::processes_count]
        ordered += islice(quick, max(0, ends_at - len(ordered)))
    items[:] = ordered + list(quick)
