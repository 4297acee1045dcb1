"""A charge is the same one by its key, whatever id the billing system gives it in a later answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.billing.billed import Billed, billed

SLOW_WALLET = {"id": "iban_1", "rail": "sepa"}


@pytest.fixture
def dunr(tmp_path: Path) -> Iterator[Billed]:
    with billed(tmp_path) as running:
        yield running


def test_the_rest_of_a_part_payment_is_charged_though_a_look_up_names_it_otherwise(dunr: Billed) -> None:
    dunr.merchant.script.append("paid 2000")
    dunr.merchant.other_name = "another_name"
    dunr.leave(instrument=SLOW_WALLET)
    dunr.advance(to="2026-06-23T12:00:00Z")
    assert [seen.body["amount_minor"] for seen in dunr.merchant.charges] == [4900, 2900]
    assert dunr.charge()["status"] == "CHARGE_PAID"


def test_a_debit_that_came_back_under_another_name_is_not_shown_as_paid_again(dunr: Billed) -> None:
    dunr.leave(instrument=SLOW_WALLET)
    assert dunr.charge()["status"] == "CHARGE_PAID"
    returned = {"status": "returned", "id": "another_name", "reason_code": "BARRED", "at": "2026-06-23T10:00:00Z"}
    dunr.merchant.settle("dunr-ch_1-a0", returned)
    dunr.application.sweep.run()
    look = dunr.application.engine.look("billing_http:acct_billing:ch_1")
    assert look.snapshot.invoice.amount_due_minor == 4900
    dunr.merchant.look_ups_fail = True
    look = dunr.application.engine.look("billing_http:acct_billing:ch_1")
    assert look.snapshot.invoice.amount_due_minor == 4900
    assert dunr.charge()["amount_due_minor"] == 4900
