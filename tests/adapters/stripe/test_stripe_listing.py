"""From an event that names no invoice to its invoices, pages of lists, links for customers, and intents that stand beside the invoice's own."""

import pytest

from dunr.adapters.processors.stripe.processor import StripeProcessor
from dunr.adapters.processors.stripe.subjects import StripeSubject
from dunr.ports import IntentAnswer, KeyRefused, SnapshotUnavailable, Subject
from tests.adapters.stripe.bodies import ACCOUNT, AT, SECOND, Json
from tests.adapters.stripe.objects import intent, invoice, listed, payment, refusal
from tests.adapters.stripe.strangers import Asked, Reply, Stranger

PORTAL = "/v1/billing_portal/sessions"


def through(kind: str, about: str, *, wide: bool = False, customer: str | None = None) -> StripeSubject:
    return StripeSubject(processor_customer_id=customer, wide=wide, through_kind=kind, through_id=about)


@pytest.fixture
def books(stranger: Stranger) -> Stranger:
    """A charge of an intent that pays in_1, of a customer who owes in_2 as well."""
    pays = {"id": "inpay_1", "object": "invoice_payment", "invoice": "in_1", "is_default": True}
    stranger.tell("/v1/invoice_payments", listed(pays))
    stranger.tell("/v1/invoice_payments/inpay_1", pays)
    stranger.tell("/v1/credit_notes/cn_1", {"id": "cn_1", "invoice": "in_1"})
    stranger.tell("/v1/charges/ch_1", {"id": "ch_1", "payment_intent": "pi_1", "customer": "cus_1"})
    stranger.tell("/v1/charges/ch_bare", {"id": "ch_bare", "payment_intent": None, "customer": "cus_1"})
    stranger.tell("/v1/disputes/dp_1", {"id": "dp_1", "charge": "ch_1"})
    stranger.tell("/v1/payment_methods/pm_1", {"id": "pm_1", "customer": "cus_1"})
    stranger.tell("/v1/invoices", listed({"id": "in_2"}, {"id": "in_1"}))
    return stranger


@pytest.mark.parametrize(
    ("subject", "invoices"),
    [
        (through("payment_intent", "pi_1"), ("in_1",)),
        (through("payment_intent", "pi_1", customer="cus_1"), ("in_1",)),
        (through("charge", "ch_1"), ("in_1",)),
        (through("charge", "ch_bare"), ()),
        (through("invoice_payment", "inpay_1"), ("in_1",)),
        (through("credit_note", "cn_1"), ("in_1",)),
        (through("charge", "ch_1", wide=True), ("in_1", "in_2")),
        (through("dispute", "dp_1", wide=True), ("in_1", "in_2")),
        (through("payment_method", "pm_1", wide=True), ("in_2", "in_1")),
        (Subject(None, "sub_1", "cus_1", wide=True), ("in_2", "in_1")),
        (Subject(None, None, "cus_1", wide=True), ("in_2", "in_1")),
        (Subject(wide=True), ()),
    ],
)
@pytest.mark.usefixtures("books")
def test_each_subject_leads_to_its_invoices(
    processor: StripeProcessor, subject: Subject, invoices: tuple[str, ...]
) -> None:
    assert tuple(processor.invoices_of(ACCOUNT, subject)) == invoices


def test_a_list_is_walked_page_by_page_and_an_invoice_is_told_once(
    stranger: Stranger, processor: StripeProcessor
) -> None:
    def invoices(asked: Asked) -> Reply:
        assert asked.parameters["status"] == "open"
        last = asked.parameters.get("starting_after") == "in_2"
        return Reply(body=listed({"id": "in_3"}) if last else listed({"id": "in_1"}, {"id": "in_2"}, has_more=True))

    def events(asked: Asked) -> Reply:
        assert asked.parameters["created[gte]"] == str(SECOND)
        about: list[Json] = [
            {"id": f"evt_{one}", "type": "invoice.updated", "data": {"object": {"id": one}}}
            for one in ("in_3", "in_9", "in_9")
        ]
        return Reply(body=listed(*about))

    stranger.replies |= {"/v1/invoices": invoices, "/v1/events": events}
    assert [one.processor_invoice_id for one in processor.list_invoices(ACCOUNT, AT)] == [
        "in_1",
        "in_2",
        "in_3",
        "in_9",
    ]


def test_a_key_that_may_not_read_what_changed_says_so(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell("/v1/invoices", listed())
    stranger.tell("/v1/events", Reply(403, refusal(None)))
    with pytest.raises(KeyRefused):
        list(processor.list_invoices(ACCOUNT, AT))


BILL = "/v1/invoices/in_1"
PAGE = "https://invoice.stripe.example/i/in_1"


def test_a_link_opens_the_portal_where_the_card_is_changed(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell(BILL, invoice())
    stranger.tell(PORTAL, {"url": "https://portal.example/1"}, {"url": "https://portal.example/2"})
    links = [processor.update_link(ACCOUNT, "cus_1", "in_1") for _ in range(2)]
    assert links == ["https://portal.example/1", "https://portal.example/2"]
    opened = [asked for asked in stranger.asked if asked.path == PORTAL]
    assert opened[0].parameters == {"customer": "cus_1", "flow_data[type]": "payment_method_update"}
    assert len({asked.headers["idempotency-key"] for asked in opened}) == 2  # the session of a while ago would not do


@pytest.mark.parametrize(
    "waiting",
    [
        intent("requires_action"),
        intent(last_payment_error={"code": "authentication_required", "type": "card_error"}),
        intent(last_payment_error={"code": "card_declined", "decline_code": "authentication_required"}),
    ],
)
def test_who_must_confirm_with_their_bank_is_led_to_where_they_can(
    stranger: Stranger, processor: StripeProcessor, waiting: Json
) -> None:
    """The portal would take the same card down once more, and nothing would be paid."""
    stranger.tell(BILL, invoice(payment(waiting)))
    stranger.tell(PORTAL, {"url": "https://portal.example/1"})
    assert processor.update_link(ACCOUNT, "cus_1", "in_1") == PAGE


def test_without_a_portal_the_invoice_has_a_page_of_its_own(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell(PORTAL, Reply(400, refusal(None)))
    stranger.tell(BILL, invoice())
    assert processor.update_link(ACCOUNT, "cus_1", "in_1") == PAGE


@pytest.mark.parametrize("page", [None, "javascript:alert(1)"])
def test_without_any_page_there_is_no_link(stranger: Stranger, processor: StripeProcessor, page: str | None) -> None:
    stranger.tell(PORTAL, Reply(400, refusal(None)))
    stranger.tell(BILL, invoice(hosted_invoice_url=page))
    with pytest.raises(SnapshotUnavailable):
        processor.update_link(ACCOUNT, "cus_1", "in_1")


def test_a_portal_that_does_not_answer_is_asked_again_later(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell(BILL, invoice())
    stranger.tell(PORTAL, Reply(500, b""))
    with pytest.raises(SnapshotUnavailable):
        processor.update_link(ACCOUNT, "cus_1", "in_1")


@pytest.mark.parametrize(
    ("became", "answer"),
    [
        ("canceled", IntentAnswer(cancelled=True, succeeded=False)),
        ("succeeded", IntentAnswer(cancelled=False, succeeded=True)),
        ("processing", IntentAnswer(cancelled=False, succeeded=False)),
    ],
)
def test_an_intent_beside_the_invoices_own_is_cancelled_and_read_again(
    stranger: Stranger, processor: StripeProcessor, became: str, answer: IntentAnswer
) -> None:
    """It succeeded meanwhile, or not: what Stripe says afterwards counts, and not what the cancellation said."""
    stranger.tell("/v1/payment_intents/pi_1", intent("requires_action"), intent(became))
    stranger.tell("/v1/invoice_payments", listed({"id": "inpay_1", "invoice": "in_1", "is_default": False}))
    stranger.tell("/v1/payment_intents/pi_1/cancel", Reply(400, refusal("payment_intent_unexpected_state")))
    assert processor.cancel_attempt(ACCOUNT, "pi_1") == answer
    assert stranger.paths().count("/v1/payment_intents/pi_1/cancel") == 1


def test_the_intent_of_the_invoice_itself_is_left_alone(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell("/v1/invoice_payments", listed({"id": "inpay_1", "invoice": "in_1", "is_default": True}))
    stranger.tell("/v1/payment_intents/pi_1", intent("requires_action"))
    assert processor.cancel_attempt(ACCOUNT, "pi_1") == IntentAnswer(cancelled=True, succeeded=False)
    stranger.tell("/v1/payment_intents/pi_1", intent("processing"))
    assert processor.cancel_attempt(ACCOUNT, "pi_1") == IntentAnswer(cancelled=False, succeeded=False)
    assert {asked.method for asked in stranger.asked} == {"GET"}


def test_another_account_is_never_spoken_for(stranger: Stranger, processor: StripeProcessor) -> None:
    assert processor.cancel_attempt("acct_other", "pi_1") == IntentAnswer(cancelled=False, succeeded=False)
    with pytest.raises(SnapshotUnavailable):
        processor.invoices_of("acct_other", Subject(None, None, "cus_1"))
    with pytest.raises(SnapshotUnavailable):
        list(processor.list_invoices("acct_other", AT))
    with pytest.raises(SnapshotUnavailable):
        processor.update_link("acct_other", "cus_1", "in_1")
    assert stranger.asked == []
