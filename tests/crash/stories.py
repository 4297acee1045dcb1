"""What many people owe, what they and the clock do while processes are killed around them, and what must be true in the end."""

import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import httpx

from tests.cases.rehearsal import Json, Rehearsal, payer
from tests.crash.stores import PostgresDatabase, SqliteFile

AMOUNT = 4900
LOST = ["lost:succeed"] * 8 + ["broken:succeed", "hang:1.5:succeed", "lost:decline:insufficient_funds"]
LATE = ["slow:0.9:succeed"] * 3 + ["hang:0.8:succeed"] * 2  # so that a kill comes between the send and the answer
WAYS = ("date", "click", "card")
HEARD_SECONDS = 240.0  # a click may find the server dead again and again


class Story:
    """So many people who owe, and what they and the clock do."""

    def __init__(
        self, world: Rehearsal, store: SqliteFile | PostgresDatabase, chance: random.Random, count: int
    ) -> None:
        self.world = world
        self.store = store
        self.chance = chance
        self.invoices = [f"in_{number:04}" for number in range(count)]
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


def looked_at(world: Rehearsal, invoices: list[str]) -> dict[str, Json]:
    """All the cases, each as its page shows it."""
    with ThreadPoolExecutor(4) as readers:
        return dict(zip(invoices, readers.map(world.case, invoices), strict=True))


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
