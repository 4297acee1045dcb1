"""C04: the scheduler and the customer's click want the same invoice at the same moment; one charge is under way at most, until its outcome is known."""

from pathlib import Path

from tests.cases.racing import at_once, due_in, opened, race
from tests.cases.rehearsal import Rehearsal, payer, until
from tests.cases.stores import by_one_worker_or_four
from tests.crash.stores import PostgresDatabase, SqliteFile

CLICKS = 20


@by_one_worker_or_four
def test_whoever_comes_second_is_told_that_it_is_being_processed_in_either_order(
    tmp_path: Path, store: SqliteFile | PostgresDatabase, workers: tuple[str, ...]
) -> None:
    with race(tmp_path, *workers, **store.environment) as world:
        for invoice, card, who in (("in_4a", "card_1", "ada"), ("in_4b", "card_2", "bo")):
            opened(world, invoice, card=card, customer=payer(who))
            world.script(card, "hang:2.5:succeed")

        # The scheduler was first.
        due_in(world, 0.3, "in_4a")
        until(lambda: world.requests("in_4a"))
        clicks = at_once(CLICKS, lambda _: world.pay_now("in_4a"))
        assert world.captures("in_4a") == 0, "the processor has not answered yet"
        assert [click.status_code for click in clicks] == [409] * CLICKS
        assert all("processing" in click.json()["detail"].lower() for click in clicks)

        # The customer was first, twenty times, each with a key of their own; the scheduler comes while it is under way.
        due_in(world, 1.0, "in_4b")
        answers = at_once(CLICKS, lambda number: click(world, "in_4b", f"caller-{number}"))
        assert sorted(answers) == [202, *([409] * (CLICKS - 1))]

        until(lambda: {case["state"] for case in world.cases()} == {"recovered"})
        for invoice in ("in_4a", "in_4b"):
            assert world.access(f"sub_{invoice}") == "granted"
            assert [request["key"] for request in world.requests(invoice)] == [f"dunr-{invoice}-a1"]
            assert world.captures(invoice) == 1
            assert world.balance(invoice) == {"receivable": 0, "billed": -4900, "processor": 4900}
        assert world.case("in_4a")["attempts"][1]["trigger"] == "promise"
        assert world.case("in_4b")["attempts"][1]["trigger"] == "customer"
        assert world.case("in_4b")["steps_spent_count"] == 0
        until(lambda: sorted(mail["to"] for mail in world.mails("receipt")) == ["ada@example.com", "bo@example.com"])
        assert world.pay_now("in_4b").status_code == 409


def click(world: Rehearsal, invoice: str, key: str) -> int:
    """A click whose caller brings an idempotency key, which is not ours to use."""
    return world.http.post(f"/v1/cases/{invoice}/pay-now", headers={"idempotency-key": key}).status_code
