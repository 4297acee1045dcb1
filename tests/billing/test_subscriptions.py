"""Renewals, from the API to the merchant: exactly one charge a cycle, whatever happened to the one before and whoever fires twice."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from dunr.errors import StoreUnavailable
from dunr.ports import Inbound, InboundState
from tests.billing.billed import Billed, billed


@pytest.fixture
def dunr(tmp_path: Path) -> Iterator[Billed]:
    with billed(tmp_path) as running:
        yield running


def begin(dunr: Billed, subscription: str = "sub_1", **more: object) -> httpx.Response:
    body: dict[str, object] = {"id": subscription, "price_minor": 4900, "currency": "usd", "anchor_on": "2026-06-30"}
    body |= {"period": {"count": 1, "unit": "months"}, "at_hour": 8}
    body |= {"customer": {"id": "cus_1", "email": "ada@example.com"}, "instrument": {"id": "wallet_1"}}
    return dunr.post("/v1/subscriptions", **(body | more))


def charged(dunr: Billed) -> list[str]:
    """The charges that the merchant was asked for, each once, in their order."""
    return list(dict.fromkeys(seen.body["charge"] for seen in dunr.merchant.charges))


def test_each_cycle_is_charged_once_at_its_hour(dunr: Billed) -> None:
    answer = begin(dunr)
    assert (answer.status_code, answer.json()["next_charge_at"]) == (201, "2026-06-30T08:00:00Z")
    dunr.advance(to="2026-09-01T00:00:00Z")
    assert charged(dunr) == ["sub_1-20260630", "sub_1-20260730", "sub_1-20260830"]
    assert [f"{seen.signed_at:%d %H:%M}" for seen in dunr.merchant.charges] == ["30 08:00", "30 08:00", "30 08:00"]
    assert dunr.get("/v1/subscriptions/sub_1").json()["next_charge_at"] == "2026-09-30T08:00:00Z"


def test_a_cycle_that_is_never_paid_is_followed_by_a_fresh_charge_at_the_next(dunr: Billed) -> None:
    dunr.merchant.otherwise = "no NO_CREDIT"
    begin(dunr)
    dunr.advance(to="2026-07-15T00:00:00Z")
    assert dunr.told() == ["CHARGE_NOT_PAID"]
    dunr.merchant.otherwise = "paid"
    dunr.advance(to="2026-08-01T00:00:00Z")
    assert charged(dunr) == ["sub_1-20260630", "sub_1-20260730"]
    assert dunr.charge("sub_1-20260730")["status"] == "CHARGE_PAID"
    assert dunr.charge("sub_1-20260630")["status"] == "CHARGE_NOT_PAID"


def test_a_paid_late_charge_does_not_move_the_anchor(dunr: Billed) -> None:
    dunr.merchant.script.extend(["no NO_CREDIT"] * 10)
    begin(dunr)
    dunr.advance(to="2026-08-01T00:00:00Z")
    late, on_time = dunr.merchant.charges[-2], dunr.merchant.charges[-1]
    assert f"{late.signed_at:%d %H:%M}" == "30 10:23"  # 143 minutes later
    assert f"{on_time.signed_at:%d %H:%M}" == "30 08:00"


def test_beginning_the_same_subscription_twice_is_once_and_another_under_its_id_is_refused(dunr: Billed) -> None:
    assert begin(dunr).status_code == 201
    assert begin(dunr).status_code == 201
    assert begin(dunr, price_minor=100).status_code == 409
    dunr.advance(to="2026-07-01T00:00:00Z")
    assert begin(dunr).status_code == 201, "also after it was renewed"
    assert len(dunr.merchant.charges) == 1


def test_a_scheduler_that_fires_twice_charges_once(dunr: Billed) -> None:
    begin(dunr)
    dunr.advance(to="2026-07-01T00:00:00Z")
    fired = [one for one in dunr.application.reports.inbounds(state=None, limit=50) if one.event_type == "renewal.due"]
    for number, one in enumerate(fired):
        again = Inbound(
            key=f"{one.key}/again{number}",
            processor=one.processor,
            account=one.account,
            event_type=one.event_type,
            live=one.live,
            received_at=one.received_at,
            body=one.body,
            body_sha256=one.body_sha256,
            state=InboundState.WAITING,
        )
        dunr.application.store.receive((again,))
        dunr.application.intake.apply(again)
    dunr.application.runner.run_until_quiet()
    assert charged(dunr) == ["sub_1-20260630"]
    assert len(dunr.merchant.charges) == 1


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("each", ["sub_1-20260331", "sub_1-20260430", "sub_1-20260531"]),
        ("latest", ["sub_1-20260531"]),
        ("none", []),
    ],
)
def test_what_was_missed_is_caught_up_as_the_rule_says(dunr: Billed, rule: str, expected: list[str]) -> None:
    begin(dunr, anchor_on="2026-03-31", catch_up=rule)
    assert charged(dunr) == expected
    dunr.advance(to="2026-07-01T00:00:00Z")
    assert charged(dunr) == [*expected, "sub_1-20260630"]


def test_a_new_price_holds_from_the_next_cycle_on(dunr: Billed) -> None:
    begin(dunr)
    dunr.advance(to="2026-07-01T00:00:00Z")
    dunr.post("/v1/subscriptions/sub_1/change", price_minor=5900, quantity=2)
    dunr.advance(to="2026-08-01T00:00:00Z")
    assert [seen.body["amount_minor"] for seen in dunr.merchant.charges] == [4900, 11_800]


def test_a_paused_subscription_is_not_charged_and_a_resumed_one_keeps_its_anchor(dunr: Billed) -> None:
    begin(dunr)
    assert dunr.post("/v1/subscriptions/sub_1/pause").json()["next_charge_at"] is None
    dunr.advance(to="2026-08-15T00:00:00Z")
    assert charged(dunr) == []
    assert dunr.post("/v1/subscriptions/sub_1/resume").json()["next_charge_at"] == "2026-08-30T08:00:00Z"
    dunr.advance(to="2026-09-01T00:00:00Z")
    assert charged(dunr) == ["sub_1-20260830"]


def test_a_subscription_that_ends_is_charged_for_no_cycle_after_it(dunr: Billed) -> None:
    begin(dunr)
    dunr.post("/v1/subscriptions/sub_1/change", ends_on="2026-07-30")
    dunr.advance(to="2026-12-01T00:00:00Z")
    assert charged(dunr) == ["sub_1-20260630"]


def test_a_free_cycle_asks_for_nothing(dunr: Billed) -> None:
    begin(dunr, price_minor=0)
    dunr.advance(to="2026-08-01T00:00:00Z")
    assert charged(dunr) == []


def test_renewals_are_kept_on_disk_and_go_on_after_a_restart(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/dunr.db"
    with billed(tmp_path, store=store) as dunr:
        begin(dunr)
        dunr.advance(to="2026-07-01T00:00:00Z")
        assert charged(dunr) == ["sub_1-20260630"]
    with billed(tmp_path, store=store) as dunr:
        dunr.advance(to="2026-08-01T00:00:00Z")
        assert charged(dunr) == ["sub_1-20260730"]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"period": {"count": 0, "unit": "months"}}, "count"),
        ({"period": {"count": 1, "unit": "moons"}}, "unit"),
        ({"anchor_on": "1789-07-14"}, "anchor_on"),
        ({"quantity": 0}, "quantity"),
    ],
)
def test_a_subscription_that_makes_no_sense_is_refused_by_name(
    dunr: Billed, wrong: dict[str, object], says: str
) -> None:
    answer = begin(dunr, **wrong)  # type: ignore[arg-type]
    assert answer.status_code == 400
    assert says in answer.json()["detail"]


def test_one_that_is_not_there_is_said_to_be_not_there(dunr: Billed) -> None:
    assert dunr.get("/v1/subscriptions/nobody").status_code == 404
    assert dunr.post("/v1/subscriptions/nobody/pause").status_code == 404


def test_one_that_could_not_be_written_does_not_delay_the_one_that_is_begun_in_its_place(
    dunr: Billed, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = dunr.application.store
    with monkeypatch.context() as broken:

        def unavailable(*_: object) -> bool:
            raise StoreUnavailable("it cannot be written")

        broken.setattr(store, "put_document", unavailable)
        assert begin(dunr, anchor_on="2026-12-30").status_code == 503
    assert begin(dunr).status_code == 201
    dunr.advance(to="2026-07-15T00:00:00Z")
    assert charged(dunr) == ["sub_1-20260630"]
