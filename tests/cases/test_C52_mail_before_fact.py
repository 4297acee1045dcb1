"""C52: a mail follows a fact. No receipt before the money, one failure mail for one failure, and silence where nothing was due."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.rehearsal import KEY, Rehearsal, payer, rehearse


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Rehearsal]:
    with rehearse(tmp_path, start="2026-06-23T00:00:00Z") as running:
        yield running


def test_a_renewal_that_is_declined_a_minute_later_gets_one_failure_mail_and_one_receipt_when_it_is_paid(
    world: Rehearsal,
) -> None:
    card = {"id": "card_52", "last4": "4242"}
    world.tell(
        "/sandbox/invoices", {"invoice": "in_52", "subscription": "sub_52", "customer": payer("ada"), "card": card}
    )
    world.advance("2026-06-23T00:01:00Z")
    assert (world.mails(), world.cases()) == ([], [])

    # The processor's own billing run.
    world.script("card_52", "decline:insufficient_funds", "decline:insufficient_funds", "succeed")
    run = world.psp.post(
        "/processor/v1/invoices/in_52/charge",
        headers={"authorization": f"Bearer {KEY}"},
        json={"amount_minor": 4900, "currency": "usd", "card": "card_52"},
    )
    assert run.status_code == 402, run.text
    world.settle()
    assert world.case("in_52")["state"] == "scheduled"

    world.advance("2026-06-23T23:59:00Z")
    (mail,) = world.mails()
    assert (mail["kind"], mail["at"][:16]) == ("first", "2026-06-23T08:00")  # in the payer's daytime

    world.advance("2026-07-20T00:00:00Z")
    assert [mail["kind"] for mail in world.mails()] == ["first", "reminder", "receipt"]
    (receipt,) = world.mails("receipt")
    assert receipt["at"][:16] == "2026-06-29T09:00"
    assert world.captures("in_52") == 1


@pytest.mark.parametrize("status", ["open", "paid"])
def test_where_nothing_is_due_nothing_is_written(world: Rehearsal, status: str) -> None:
    body = {"invoice": "in_52", "subscription": "sub_52", "customer": payer("ada"), "amount_minor": 0, "status": status}
    told = world.tell("/sandbox/invoices", body)
    world.tell(f"/sandbox/webhooks/{told['event']}/resend", {"times": 3})
    world.event(type="invoice.paid", data={"invoice": "in_52", "subscription": "sub_52", "customer": "cus_ada"})
    world.advance("2026-06-30T00:00:00Z")
    assert (world.mails(), world.cases(), world.charges("in_52")) == ([], [], [])
    assert world.access("sub_52") == "granted"
