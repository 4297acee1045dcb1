"""What an event is about, in every shape since 2020: the same failure is the same subject, whichever version tells it."""

from contextlib import suppress

import pytest

from dunr.adapters.processors.stripe.events import SUPPORTED_EVENTS, StripeAccount, received
from dunr.adapters.processors.stripe.subjects import StripeSubject, subject_of
from dunr.errors import BadEvent
from dunr.ports import Subject
from tests.adapters.stripe.bodies import (
    ACCOUNT,
    AT,
    BEFORE_BASIL,
    CLASSIC_VERSIONS,
    NEWEST,
    SECRET,
    Json,
    charge,
    dispute,
    event,
    intent,
    invoice,
    is_since_basil,
    method,
    signed,
    subscription,
    thin,
)

SHOP = StripeAccount(account=ACCOUNT, live=False, webhook_secrets=(SECRET,), tolerance_seconds=300)


def about(body: bytes) -> Subject:
    inbound = received(body, signed(body), SHOP, AT)
    assert not inbound.note
    return subject_of(inbound)


@pytest.mark.parametrize("version", CLASSIC_VERSIONS)
def test_a_failed_invoice_names_itself_its_subscription_and_its_payer(version: str) -> None:
    body = event("invoice.payment_failed", invoice(version), version)
    assert about(body) == Subject("in_1", "sub_1", "cus_1")


@pytest.mark.parametrize("version", CLASSIC_VERSIONS)
@pytest.mark.parametrize(("kind", "told"), [("charge.failed", charge), ("payment_intent.payment_failed", intent)])
def test_a_charge_and_an_intent_lead_to_the_invoice_even_where_they_do_not_name_it(
    kind: str, told: object, version: str
) -> None:
    shown = charge(version) if told is charge else intent(version)
    subject = about(event(kind, shown, version))
    if is_since_basil(version):
        assert subject == StripeSubject(None, None, "cus_1", False, "payment_intent", "pi_1")
    else:
        assert subject == Subject("in_1", None, "cus_1")


def test_an_intent_that_says_what_it_pays_needs_no_asking() -> None:
    told = intent(NEWEST) | {"payment_details": {"customer_reference": None, "order_reference": "in_1"}}
    assert about(event("payment_intent.succeeded", told)) == Subject("in_1", None, "cus_1")
    elsewhere = intent(NEWEST) | {"payment_details": {"order_reference": "order 17"}}
    assert about(event("payment_intent.succeeded", elsewhere)).processor_invoice_id is None


def test_an_older_charge_without_an_intent_is_found_by_itself() -> None:
    subject = about(event("charge.failed", charge(NEWEST) | {"payment_intent": None}))
    assert isinstance(subject, StripeSubject)
    assert (subject.through_kind, subject.through_id) == ("charge", "ch_1")


@pytest.mark.parametrize("change", ["created", "updated", "closed", "funds_withdrawn", "funds_reinstated"])
def test_a_dispute_concerns_everything_of_a_payer_whom_it_does_not_name(change: str) -> None:
    subject = about(event(f"charge.dispute.{change}", dispute()))
    assert subject == StripeSubject(None, None, None, True, "charge", "ch_1")


@pytest.mark.parametrize("name", ["automatically_updated", "card_automatically_updated", "attached", "updated"])
def test_a_card_that_changed_concerns_everything_of_its_owner_under_both_names(name: str) -> None:
    assert about(event(f"payment_method.{name}", method())) == Subject(None, None, "cus_1", wide=True)


def test_a_card_that_was_taken_away_says_whose_it_was() -> None:
    body = event("payment_method.detached", method(None), before={"customer": "cus_1"})
    assert about(body) == Subject(None, None, "cus_1", wide=True)


def test_a_customer_who_is_gone_is_still_named() -> None:
    gone = {"id": "cus_1", "object": "customer", "deleted": True}
    assert about(event("customer.deleted", gone)) == Subject(None, None, "cus_1", wide=True)


def test_a_subscription_that_changed_its_state_concerns_all_its_invoices() -> None:
    changed = about(event("customer.subscription.updated", subscription(), before={"status": "active"}))
    assert changed == Subject(None, "sub_1", "cus_1", wide=True)
    ended = about(event("customer.subscription.deleted", subscription("canceled")))
    assert ended == Subject(None, "sub_1", "cus_1", wide=True)


def test_a_period_that_begins_reads_no_old_invoices_again() -> None:
    renewed = about(event("customer.subscription.updated", subscription("active"), before={"current_period_end": 1}))
    assert renewed == Subject(None, None, "cus_1", wide=True)


def test_a_default_card_that_a_subscription_gets_or_loses_matters() -> None:
    body = event("customer.subscription.updated", subscription(), before={"default_payment_method": None})
    assert about(body).processor_subscription_id == "sub_1"


@pytest.mark.parametrize(
    ("kind", "related", "wanted"),
    [
        ("v1.invoice.payment_failed", ("invoice", "in_1"), Subject("in_1")),
        ("v1.customer.deleted", ("customer", "cus_1"), Subject(None, None, "cus_1", wide=True)),
        ("v1.customer.subscription.past_due", ("subscription", "sub_1"), Subject(None, "sub_1", wide=True)),
    ],
)
def test_a_thin_event_names_one_object(kind: str, related: tuple[str, str], wanted: Subject) -> None:
    assert about(thin(kind, *related)) == wanted


@pytest.mark.parametrize(
    ("kind", "related"),
    [
        ("v1.charge.failed", "charge"),
        ("v1.payment_intent.succeeded", "payment_intent"),
        ("v1.charge.dispute.created", "dispute"),
        ("v1.payment_method.automatically_updated", "payment_method"),
        ("v1.credit_note.created", "credit_note"),
    ],
)
def test_a_thin_event_about_something_else_leads_to_its_invoice(kind: str, related: str) -> None:
    subject = about(thin(kind, related, "obj_1"))
    assert isinstance(subject, StripeSubject)
    assert (subject.through_kind, subject.through_id) == (related, "obj_1")


def test_a_credit_note_and_a_payment_name_their_invoice() -> None:
    note = {"id": "cn_1", "object": "credit_note", "invoice": "in_1", "customer": "cus_1"}
    assert about(event("credit_note.created", note)) == Subject("in_1", None, "cus_1")
    paid = {"id": "inpay_1", "object": "invoice_payment", "invoice": "in_1"}
    assert about(event("invoice_payment.paid", paid)) == Subject("in_1")


def test_objects_that_were_expanded_are_read_as_their_ids() -> None:
    told = invoice(BEFORE_BASIL) | {"customer": {"id": "cus_1", "object": "customer"}, "subscription": {"id": "sub_1"}}
    assert about(event("invoice.paid", told, BEFORE_BASIL)) == Subject("in_1", "sub_1", "cus_1")


@pytest.mark.parametrize("kind", sorted(SUPPORTED_EVENTS))
@pytest.mark.parametrize("told", [{"object": "thing"}, {"id": "", "object": "thing"}, {"id": 7}])
def test_a_supported_event_that_names_nothing_is_a_bad_event_or_about_nobody(kind: str, told: Json) -> None:
    with suppress(BadEvent):
        assert about(event(kind, told)) == Subject(wide=True)
