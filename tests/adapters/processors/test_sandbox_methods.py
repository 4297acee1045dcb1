"""What the adapter says of payment methods: what the updater answered, which cards expire soon, and what the customer agreed to."""

from contextlib import closing

import pytest

from dunr.adapters.processors.sandbox.facts import FACTS
from dunr.adapters.processors.sandbox.processor import SandboxProcessor
from dunr.core.answers import Missed, Refreshed
from dunr.core.facts import Capability
from dunr.ports import SnapshotUnavailable
from tests.adapters.processors.sandboxes import ACCOUNT, adapter_of
from tests.sandbox.processes import SandboxProcess

CARD = {"id": "pm_1", "fingerprint": "fp_1", "expires": "2026-05"}


def script(sandbox: SandboxProcess, *outcomes: str) -> None:
    sandbox.control("PUT", "/cards/pm_1/updater", outcomes=list(outcomes))


def books(sandbox: SandboxProcess) -> list[str]:
    return [one["outcome"] for one in sandbox.http.get("/sandbox/refreshes").json()]


def test_the_sandbox_can_do_all_of_it() -> None:
    assert FACTS.capabilities == frozenset(Capability)


def test_a_hit_is_the_method_as_it_stands_now_and_so_is_a_miss(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    sandbox.fail(card=CARD)
    script(sandbox, "miss", "hit", "expiry", "cryptogram", "closed")

    def ask() -> Refreshed | Missed:
        return processor.refresh_method(ACCOUNT, "cus_1", "pm_1")

    before = processor.snapshot(ACCOUNT, "in_1").methods[0]
    assert ask() == Refreshed(before)
    renewed = ask()
    assert isinstance(renewed, Refreshed)
    assert renewed.method == processor.snapshot(ACCOUNT, "in_1").methods[0]
    assert renewed.method.processor_method_id == "pm_1"
    assert renewed.method.credential != before.credential
    prolonged = ask()
    assert isinstance(prolonged, Refreshed)
    assert prolonged.method.card_key == renewed.method.card_key
    assert ask() == Refreshed(prolonged.method, cryptogram=True)
    assert ask() == Missed("the account behind the card is closed")
    assert books(sandbox) == ["miss", "hit", "expiry", "cryptogram", "closed"]


def test_a_card_of_somebody_else_is_not_there_and_an_updater_that_is_down_says_nothing(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    sandbox.fail(card=CARD)
    script(sandbox, "fail")
    assert isinstance(processor.refresh_method(ACCOUNT, "cus_other", "pm_1"), Missed)
    assert isinstance(processor.refresh_method(ACCOUNT, "cus_1", "pm_none"), Missed)
    with pytest.raises(SnapshotUnavailable):
        processor.refresh_method(ACCOUNT, "cus_1", "pm_1")
    with closing(adapter_of(sandbox, key="sk_wrong")) as stranger, pytest.raises(SnapshotUnavailable):
        stranger.refresh_method(ACCOUNT, "cus_1", "pm_1")
    assert books(sandbox) == ["fail"]


def test_a_snapshot_says_what_each_method_is_for(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    sandbox.fail(card={**CARD, "network_token": True})
    place = "/customers/cus_1/card"
    sandbox.control("POST", place, id="pm_2", backup=True, make_default=False)
    sandbox.control("POST", place, id="pm_3", came_with_subscription="sub_new", make_default=False)
    told = {
        one.processor_method_id: (one.is_network_token, one.is_backup, one.came_with_subscription_id)
        for one in processor.snapshot(ACCOUNT, "in_1").methods
    }
    assert told == {"pm_1": (True, False, None), "pm_2": (False, True, None), "pm_3": (False, False, "sub_new")}


def test_cards_that_expire_soon_are_those_that_somebody_pays_by(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    for number in range(1, 106):  # more than a page
        bill = {"invoice": f"in_{number}", "subscription": f"sub_{number}", "status": "paid"}
        holder = {"id": f"cus_{number}", "email": f"{number}@example.com"}
        card = {"id": f"pm_{number:03}", "expires": "2026-08" if number != 7 else "2026-05"}
        sandbox.control("POST", "/invoices", customer=holder, card=card, **bill)
    sandbox.control("POST", "/subscriptions/sub_3/cancel")
    sandbox.control("DELETE", "/customers/cus_4")
    sandbox.control("DELETE", "/cards/pm_005")
    found = list(processor.list_expiring(ACCOUNT, "2026-08", None))
    gone = {3, 4, 5, 7}
    assert [one.processor_customer_id for one in found] == [f"cus_{n}" for n in range(1, 106) if n not in gone]
    assert (found[0].payer.email, found[0].method.expires_on) == ("1@example.com", "2026-08")
    assert list(processor.list_expiring(ACCOUNT, "2026-07", None)) == []
    (mine,) = processor.list_expiring(ACCOUNT, "2026-08", "cus_9")
    assert mine.processor_customer_id == "cus_9"
