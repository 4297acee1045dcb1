"""C09: one due retry wakes four workers, twenty times over; one charge, one mail, one attempt."""

from pathlib import Path

from tests.cases.racing import at_once, due_in, opened, race
from tests.cases.rehearsal import Rehearsal, payer, until
from tests.cases.stores import on_both_stores
from tests.crash.stores import PostgresDatabase, SqliteFile

WORKERS = ("worker_1", "worker_2", "worker_3", "worker_4")
INVOICES = ("in_9a", "in_9b", "in_9c", "in_9d")
WAKE_UPS = 20


@on_both_stores
def test_twenty_wake_ups_of_four_workers_make_one_attempt_of_each_due_retry(
    tmp_path: Path, store: SqliteFile | PostgresDatabase
) -> None:
    with race(tmp_path, *WORKERS, **store.environment) as world:
        failures = {}
        for number, invoice in enumerate(INVOICES, 1):
            made = opened(world, invoice, card=f"card_{number}", customer=payer(f"payer{number}"))
            failures[invoice] = next(
                row["event"] for row in world.psp.get("/sandbox/webhooks", params={"invoice": invoice}).json()
            )
            assert made["next_attempt_at"] is not None
            world.script(f"card_{number}", "slow:0.5:succeed")
        world.script("card_4", "slow:0.5:decline:insufficient_funds")

        due_in(world, 0.5, *INVOICES)
        per_invoice = WAKE_UPS // len(INVOICES)
        for _ in range(2):
            # The same news again and again beside the timers: each of them is a reason to look at the case.
            at_once(
                len(INVOICES),
                lambda number: world.psp.post(
                    f"/sandbox/webhooks/{failures[INVOICES[number]]}/resend",
                    json={"times": per_invoice, "concurrently": True},
                ).raise_for_status(),
            )
            at_once(
                len(INVOICES),
                lambda number: world.event(
                    type="invoice.updated",
                    data={"invoice": INVOICES[number], "customer": f"cus_payer{number + 1}"},
                    times=per_invoice,
                    concurrently=True,
                ),
            )
        until(lambda: [world.case(invoice)["state"] for invoice in INVOICES[:3]] == ["recovered"] * 3)
        until(lambda: [one["outcome"] for one in world.case("in_9d")["attempts"]] == ["declined", "declined"])
        until(lambda: len(world.mails("receipt")) == 3)

        for invoice in INVOICES:
            assert [request["key"] for request in world.requests(invoice)] == [f"dunr-{invoice}-a1"]
            assert [attempt["number"] for attempt in world.case(invoice)["attempts"]] == [0, 1]
        for invoice in INVOICES[:3]:
            assert world.captures(invoice) == 1
            assert world.balance(invoice) == {"receivable": 0, "billed": -4900, "processor": 4900}
        declined = world.case("in_9d")
        assert (declined["state"], declined["steps_spent_count"]) == ("scheduled", 0), (
            "a promised attempt spends no step"
        )
        assert declined["plan"]["steps"][0]["number"] == 1
        assert world.alerts() == []


@on_both_stores
def test_the_due_instant_reached_twenty_times_at_once_is_one_attempt(world: Rehearsal) -> None:
    world.fail("in_9e")
    world.script("card_1", "succeed")

    at_once(WAKE_UPS, lambda _: world.advance("2026-06-24T09:00:00Z"))

    assert [request["key"] for request in world.requests("in_9e")] == ["dunr-in_9e-a1"]
    assert world.captures("in_9e") == 1
    assert [mail["kind"] for mail in world.mails()] == ["first", "receipt"]
