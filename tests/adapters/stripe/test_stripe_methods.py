"""Which card is charged: the one that Stripe would take, unless the customer answered the failure with another."""

from datetime import timedelta

import msgspec
import pytest

from dunr.adapters.processors.stripe.methods import MethodOnWire, in_order
from dunr.adapters.processors.stripe.wire import InvoiceOnWire
from dunr.core.terms import Rail
from tests.adapters.stripe.bodies import AT, SECOND, Json
from tests.adapters.stripe.objects import customer, invoice, method, subscription

FAILED_AT = AT - timedelta(hours=1)
BEFORE, AFTER = SECOND - 7200, SECOND - 60


def ordered(shown: Json, *on_file: Json) -> list[str]:
    methods = msgspec.convert(list(on_file), list[MethodOnWire])
    told = in_order(methods, msgspec.convert(shown, InvoiceOnWire), FAILED_AT)
    return [one.processor_method_id for one in told]


def customers(default: str | None, source: str | None = None) -> Json:
    return customer(invoice_settings={"default_payment_method": default}, default_source=source)


ON_FILE = [method(f"pm_{name}", created=BEFORE) for name in ("of_customer", "of_subscription", "of_invoice", "spare")]


def test_the_invoices_own_method_goes_before_the_subscriptions_and_that_before_the_customers() -> None:
    of = subscription(default_payment_method="pm_of_subscription")
    mine = customers("pm_of_customer")
    full = ordered(invoice(of=of, customer=mine, default_payment_method="pm_of_invoice"), *ON_FILE)
    assert full == ["pm_of_invoice", "pm_of_subscription", "pm_of_customer", "pm_spare"]
    assert ordered(invoice(of=of, customer=mine), *ON_FILE)[0] == "pm_of_subscription"
    assert ordered(invoice(customer=mine), *ON_FILE)[0] == "pm_of_customer"


def test_a_customer_who_made_a_new_card_the_default_since_the_failure_is_charged_with_it() -> None:
    """Stripe would go on with the subscription's old card for ever."""
    of = subscription(default_payment_method="pm_old")
    shown = invoice(of=of, customer=customers("pm_new"))
    old = method("pm_old", created=BEFORE)
    assert ordered(shown, old, method("pm_new", created=AFTER)) == ["pm_new", "pm_old"]
    assert ordered(shown, old, method("pm_new", created=BEFORE)) == ["pm_old", "pm_new"]


def test_a_card_that_nobody_made_the_default_is_not_charged() -> None:
    assert ordered(invoice(customer=customers(None)), method("pm_spare", created=AFTER)) == []


def test_a_default_that_is_not_on_file_any_more_is_passed_over() -> None:
    of = subscription(default_payment_method="pm_gone")
    assert ordered(invoice(of=of, customer=customers("pm_of_customer")), *ON_FILE)[0] == "pm_of_customer"


def test_what_was_the_default_before_there_were_payment_methods_still_is() -> None:
    old = method("card_1", created=BEFORE)
    assert ordered(invoice(customer=customers(None, "card_1")), old) == ["card_1"]
    of = subscription(default_source="card_1")
    assert ordered(invoice(of=of, customer=customers(None)), old) == ["card_1"]


@pytest.mark.parametrize(
    ("kind", "rail"),
    [
        ("card", Rail.CARD),
        ("us_bank_account", Rail.ACH),
        ("sepa_debit", Rail.SEPA),
        ("bacs_debit", Rail.BACS),
        ("link", Rail.CARD),
        ("boleto", None),
    ],
)
def test_a_method_moves_money_on_its_own_rail(kind: str, rail: Rail | None) -> None:
    shown = {"id": "pm_1", "type": kind, "created": BEFORE, kind: {"fingerprint": "fp_1", "last4": "6789"}}
    told = in_order(
        [msgspec.convert(shown, MethodOnWire)],
        msgspec.convert(invoice(customer=customers("pm_1")), InvoiceOnWire),
        None,
    )
    assert [one.rail for one in told] == ([rail] if rail is not None else [])


def test_a_card_without_a_fingerprint_is_known_by_its_id() -> None:
    bare = method("pm_1", card={"brand": "visa", "exp_month": 12, "exp_year": 2031})
    told = in_order([msgspec.convert(bare, MethodOnWire)], msgspec.convert(invoice(), InvoiceOnWire), None)
    assert told[0].credential == "pm_1/2031-12"


def test_a_method_that_the_customer_allowed_as_a_backup_says_so_and_where_it_is_from() -> None:
    shown = [method("pm_1"), method("pm_spare", metadata={"dunr_backup": "true"})]
    methods = msgspec.convert(shown, list[MethodOnWire])
    told = in_order(methods, msgspec.convert(invoice(), InvoiceOnWire), None)
    assert [(one.processor_method_id, one.is_backup, one.country) for one in told] == [
        ("pm_1", False, "US"),
        ("pm_spare", True, "US"),
    ]
