"""`dunr serve` is killed again and again while two hundred charges lose their answers; nothing acknowledged is lost, and nobody pays twice.

The processor is a process of its own with its own database, so that it remembers what really happened. The seed is printed; `DUNR_CRASH_SEED` plays it again.
"""

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from tests.cases.racing import race
from tests.cases.rehearsal import Json, Rehearsal, payer, until
from tests.crash.stores import PostgresDatabase, SqliteFile, store_of

CHARGES = 200
KILLS = 20
BATCH = CHARGES // KILLS
AMOUNT = 4900
SETTINGS = {
    "DUNR_PROCESSOR_TIMEOUT_SECONDS": "1",
    "DUNR_LOOK_MAX_AGE_SECONDS": "1",
    "DUNR_LEASE_SECONDS": "4",
    "DUNR_WORKER_THREADS": "8",
}
LOST = ["lost:succeed"] * 8 + ["broken:succeed", "hang:1.5:succeed", "lost:decline:insufficient_funds"]
LATE = ["slow:0.9:succeed"] * 3 + ["hang:0.8:succeed"] * 2  # so that a kill comes between the send and the answer
ENOUGH_SECONDS = 90.0
HEARD_SECONDS = 240.0  # a click may find the server dead again and again


class Story:
    """Two hundred people who owe, and what they and the clock do."""

    def __init__(self, world: Rehearsal, store: SqliteFile | PostgresDatabase, chance: random.Random) -> None:
        self.world = world
        self.store = store
        self.chance = chance
        self.invoices = [f"in_{number:03}" for number in range(CHARGES)]
        self.outcome: dict[str, str] = {}

    def fail(self, invoice: str) -> None:
        """The first charge of an invoice fails, and the answer to the next one will be lost."""
        self.outcome[invoice] = self.chance.choice(LOST + LATE)
        self.world.fail(invoice, card=f"card_{invoice}", customer=payer(invoice), amount_minor=AMOUNT)
        self.world.script(f"card_{invoice}", self.outcome[invoice], "succeed")

    def act(self, invoice: str, way: str) -> None:
        """Something makes an attempt begin: a date that comes, a click, or a new card."""
        if way == "card":
            self.world.script(f"new_{invoice}", self.outcome[invoice], "succeed")
            self.world.add_card(f"cus_{invoice}", f"new_{invoice}")
        elif way == "click":
            until_heard(lambda: self.world.pay_now(invoice))
        else:
            until_heard(lambda: self._promise(invoice))

    def _promise(self, invoice: str) -> httpx.Response:
        on_at = datetime.now(UTC) + timedelta(seconds=0.5)
        return self.world.act(invoice, "promise", on_at=on_at.isoformat())


def until_heard(say: Callable[[], httpx.Response]) -> None:
    """Say it until it was heard; a dead server hears nothing, and one that was killed may have heard."""
    give_up = time.monotonic() + HEARD_SECONDS
    answered = "nothing"
    while time.monotonic() < give_up:
        try:
            answer = say()
            if answer.status_code in (200, 202, 409):
                return
            answered = f"{answer.status_code} {answer.text}"
        except httpx.TransportError as error:
            answered = repr(error)
        time.sleep(0.1)
    raise AssertionError(f"never heard: {answered}")


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteFile | PostgresDatabase]:
    store = store_of(request.param, tmp_path)
    yield store
    store.close()


@pytest.fixture
def world(tmp_path: Path, store: SqliteFile | PostgresDatabase) -> Iterator[Rehearsal]:
    with race(tmp_path, **SETTINGS, **store.environment) as running:
        running.set(webhook_backoff_seconds=[1])
        yield running


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_nothing_is_lost_and_nobody_pays_twice_however_often_the_server_is_killed(
    world: Rehearsal, store: SqliteFile | PostgresDatabase
) -> None:
    seed = int(os.environ.get("DUNR_CRASH_SEED", random.randrange(2**32)))
    print(f"DUNR_CRASH_SEED={seed}")
    story = Story(world, store, random.Random(seed))

    with ThreadPoolExecutor(8) as people:
        begun = kill_again_and_again(story, people)
        for act in begun:
            act.result()
    until(lambda: len(world.cases()) == CHARGES)
    until(
        lambda: not [case["invoice"] for case in world.cases() if case["attempt_in_flight"] is not None], ENOUGH_SECONDS
    )
    until(lambda: all_acknowledged_applied(story), ENOUGH_SECONDS)

    cases = {invoice: world.case(invoice) for invoice in story.invoices}
    for invoice, case in cases.items():
        check_money(world, invoice, case)
        check_explained(case)
    told = Counter(case["state"] for case in cases.values())
    silent = sum(
        any("fallen silent" in why for why in entry["because"]) for case in cases.values() for entry in case["audit"]
    )
    print(f"kills={KILLS} attempts_taken_over={silent} states={dict(told)}")
    assert silent, "no kill came while an attempt was under way"
    assert told["recovered"] >= CHARGES / 2
    until(lambda: len(world.mails("receipt")) >= told["recovered"])
    receipts = Counter(mail["to"] for mail in world.mails("receipt"))
    assert receipts == {f"{invoice}@example.com": 1 for invoice, case in cases.items() if case["state"] == "recovered"}


def kill_again_and_again(story: Story, people: ThreadPoolExecutor) -> list[Future[None]]:
    """Each life of the server gets some work, and an end at any moment in it."""
    world, begun = story.world, list[Future[None]]()
    for life in range(KILLS):
        batch = story.invoices[life * BATCH : (life + 1) * BATCH]
        for invoice in batch:
            story.fail(invoice)
        ways = [story.chance.choice(("date", "click", "card")) for _ in batch]
        begun += [people.submit(story.act, invoice, way) for invoice, way in zip(batch, ways, strict=True)]
        time.sleep(story.chance.uniform(0.05, 1.2))
        world.kill("serve")
        world.start_serve()
    return begun


def check_money(world: Rehearsal, invoice: str, case: Json) -> None:
    """What we booked is what moved at the processor, and that was once at most."""
    captures = world.captures(invoice)
    assert captures <= 1, f"{invoice} was collected {captures} times"
    assert case["overpaid_minor"] == 0
    balance: Counter[str] = Counter()
    for posting in case["postings"]:
        assert sum(amount for _, amount in posting["lines"]) == 0
        for account, amount in posting["lines"]:
            balance[account] += amount
    assert balance["processor"] == captures * AMOUNT
    assert balance["receivable"] == case["amount_due_minor"] == (1 - captures) * AMOUNT
    keys = [request["key"] for request in world.requests(invoice)]
    assert set(keys) <= {attempt["key"] for attempt in case["attempts"]}, "nothing was sent that no intent names"


def check_explained(case: Json) -> None:
    """Recovered, or it says what is next and why."""
    outcomes = [attempt["outcome"] for attempt in case["attempts"]]
    assert None not in outcomes
    assert "unknown" not in outcomes
    if case["state"] == "recovered":
        assert outcomes.count("succeeded") == 1
        return
    assert case["state"] == "scheduled", case
    assert case["next_attempt_at"] is not None
    assert set(outcomes) <= {"declined", "withdrawn"}
    assert all(step["why"] for step in case["plan"]["steps"])


def all_acknowledged_applied(story: Story) -> bool:
    """Whether each event that was answered with a 2xx is here, and applied."""
    deliveries = story.world.psp.get("/sandbox/webhooks").json()
    assert not [row for row in deliveries if row["response_status"] not in (None, 200, 503)]
    acknowledged = {row["event"] for row in deliveries if row["status"] == "delivered"}
    states = {key.rpartition(":")[2]: state for key, state in story.store.inbound_states().items()}
    assert acknowledged <= states.keys(), "an acknowledged event was lost"
    waiting = [row for row in deliveries if row["status"] == "waiting"]
    return not waiting and all(states[event] == "applied" for event in acknowledged)
