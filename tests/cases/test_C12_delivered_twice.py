"""C12: one event, delivered twice at once, once per endpoint secret, and again days later: one case, one plan, one mail."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.racing import at_once
from tests.cases.rehearsal import SECRET, Json, Rehearsal, rehearse, signature
from tests.cases.stores import on_both_stores
from tests.crash.stores import PostgresDatabase, SqliteFile

OTHER_SECRET = "whsec_second_endpoint"
pytestmark = on_both_stores


@pytest.fixture
def world(tmp_path: Path, store: SqliteFile | PostgresDatabase) -> Iterator[Rehearsal]:
    with rehearse(tmp_path, DUNR_WEBHOOK_SECRETS=f"{SECRET},{OTHER_SECRET}", **store.environment) as running:
        yield running


def body_of(world: Rehearsal, event: str, **data: str) -> bytes:
    """An event about a failed payment as the processor writes it."""
    body: Json = {"id": event, "type": "invoice.payment_failed", "created": int(world.now().timestamp())}
    return json.dumps(body | {"account": "acct_sandbox", "live": False, "data": data}).encode()


def test_two_racing_deliveries_and_a_late_one_open_one_case_with_one_plan_and_one_mail(world: Rehearsal) -> None:
    made = world.fail("in_12", send_webhook=False)
    body = body_of(world, "evt_100", invoice="in_12", subscription=made["subscription"], customer=made["customer"])
    headers = [signature(body, world.now(), secret) for secret in (SECRET, OTHER_SECRET)]

    answers = at_once(20, lambda number: world.deliver(body, headers[number % 2]))
    assert [answer.status_code for answer in answers] == [200] * 20
    world.settle()
    plan = world.case("in_12")["plan"]
    assert [step["at"][:10] for step in plan["steps"]] == ["2026-06-24", "2026-06-29", "2026-07-02", "2026-07-07"]

    world.script("card_1", "decline:insufficient_funds")
    world.advance("2026-06-26T10:00:00Z")
    before = world.case("in_12")
    again = world.deliver(body, signature(body, world.now(), SECRET))
    assert again.status_code == 200
    world.settle()

    assert world.case("in_12") == before
    assert [case["invoice"] for case in world.cases()] == ["in_12"]
    assert [mail["kind"] for mail in world.mails()] == ["first", "reminder"]
    assert len(world.requests("in_12")) == 1
    assert world.posted("in_12", "opened") == 4900
    assert world.alerts() == []


def test_the_same_id_with_another_body_is_kept_and_told_and_changes_nothing(world: Rehearsal) -> None:
    world.fail("in_12b", send_webhook=False)
    world.fail("in_12c", card="card_2", customer={"id": "cus_2", "email": "bo@example.com"}, send_webhook=False)
    first, second = (body_of(world, "evt_101", invoice=invoice, customer="cus_1") for invoice in ("in_12b", "in_12c"))

    answers = [world.deliver(body, signature(body, world.now(), SECRET)) for body in (first, second)]
    world.settle()

    assert [answer.status_code for answer in answers] == [200, 200]
    assert [case["invoice"] for case in world.cases()] == ["in_12b"]
    assert len(world.alerts("event_reused")) == 1
