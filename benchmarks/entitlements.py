"""How many entitlement checks a second one process answers on SQLite, against Starlette's empty answer to a GET on the same server.

A thousand subscriptions are there, most of them granted, some in grace and some paused; the requests walk through them.
"""

import itertools
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measuring import Row
from benchmarks.serving import BUILD, PEERS, Contender, both_rows, free_port, take_turns
from dunr.adapters.stores.sql.store import SqlStore
from dunr.core.decision import Decision
from dunr.core.model import Subscription
from dunr.core.terms import Access, SubscriptionStatus
from dunr.ports import Change, Rows

SUBSCRIPTIONS = 1_000
WANTED = 0.6
ACCOUNT = "acct_sandbox"
SEEN_AT = datetime(2026, 6, 23, 10, tzinfo=UTC)


def questions(port: int, path: str, count: int = 1) -> Iterator[bytes]:
    """GETs without end; the number of a subscription goes where the path has a place for it."""
    requests = [
        f"GET {path.format(number)} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: */*\r\n\r\n".encode()
        for number in range(count)
    ]
    return itertools.cycle(requests)


def subscription(number: int) -> Subscription:
    """One of those that are asked about."""
    access = Access.PAUSED if number % 20 == 0 else Access.GRACE if number % 20 == 1 else Access.GRANTED
    return Subscription(
        id=f"sandbox:{ACCOUNT}:sub_{number}",
        version=0,
        status=SubscriptionStatus.PAST_DUE,
        period_end_at=None,
        seen_at=SEEN_AT,
        access=access,
        access_version=1,
        access_why="a figure is to be measured",
    )


def dunr(folder: Path) -> Contender:
    """`dunr serve --no-worker` on a file that knows the subscriptions."""
    port, data = free_port(), folder / "data"
    data.mkdir()
    store = SqlStore(f"sqlite:///{data / 'dunr.db'}")
    store.migrate()
    nothing = Rows(None, None, None, None)
    store.commit(
        [
            Change(nothing, Decision(("it is known",), subscription=subscription(number)))
            for number in range(SUBSCRIPTIONS)
        ]
    )
    store.close()
    return Contender(
        folder=folder,
        command=[str(Path(sys.executable).with_name("dunr")), "serve", "--no-worker"],
        port=port,
        environment={"DUNR_DATA": str(data), "DUNR_PORT": str(port), "DUNR_ACCOUNT": ACCOUNT},
        requests=questions(port, "/v1/entitlements/sub_{}", SUBSCRIPTIONS),
    )


def empty_answer(folder: Path) -> Contender:
    """The same server around nothing."""
    port = free_port()
    return Contender(
        folder=folder,
        command=[
            *(sys.executable, "-m", "uvicorn", "empty_answer:app", "--app-dir", str(PEERS)),
            *("--port", str(port), "--log-level", "warning", "--no-access-log"),
        ],
        port=port,
        environment={},
        requests=questions(port, "/"),
    )


def rows() -> Iterator[Row]:
    """Ours to the empty answer."""
    BUILD.mkdir(exist_ok=True)
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir=BUILD)))
        contenders: list[Contender] = []
        for maker in (dunr, empty_answer):
            own_folder = folder / maker.__name__
            own_folder.mkdir()
            contenders.append(maker(own_folder))
            contenders[-1].start(opened)
        take_turns(contenders)
        ours, peer = contenders
        yield from both_rows("entitlement checks over HTTP", ours, peer, "Starlette's empty GET", WANTED)
