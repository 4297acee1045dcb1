"""The stores that a story can be told on: marks for those that hold on any number of processes, and not only on one file."""

import pytest

BOTH = ["sqlite", "postgresql"]

on_both_stores = pytest.mark.parametrize("store", BOTH, indirect=True)
# A file is for one worker beside the server; a server is for any number.
by_one_worker_or_four = pytest.mark.parametrize(
    ("store", "workers"),
    [("sqlite", ("worker_1",)), ("postgresql", ("worker_1", "worker_2", "worker_3", "worker_4"))],
    indirect=["store"],
    ids=BOTH,
)
