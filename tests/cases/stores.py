"""The stores that a story can be told on: marks for those that hold on any number of processes, and not only on one file."""

import pytest

FOUR = ("worker_1", "worker_2", "worker_3", "worker_4")

# Both stores sit the same exam on each change; that a whole story comes out the same on the second one is proved with the rest.
on_both_stores = pytest.mark.parametrize(
    "store", ["sqlite", pytest.param("postgresql", marks=pytest.mark.endurance)], indirect=True
)
# A file is for one worker beside the server; a server is for any number.
by_one_worker_or_four = pytest.mark.parametrize(
    ("store", "workers"),
    [
        pytest.param("sqlite", FOUR[:1], id="sqlite"),
        pytest.param("postgresql", FOUR, id="postgresql", marks=pytest.mark.endurance),
    ],
    indirect=["store"],
)
