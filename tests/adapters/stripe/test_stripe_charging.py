"""What one call of an attempt comes to, whatever Stripe answers: the official SDK speaks to a server that says it."""

import threading
from datetime import timedelta

import pytest

from dunr.adapters.processors.stripe.processor import StripeProcessor
from dunr.core.answers import (
    Declined,
    NotNow,
    Paid,
    Pending,
    Refused,
    RefusedKind,
    Unanswered,
)
from dunr.core.snapshot import RawDecline
from dunr.ports import ChargeRequest
from tests.adapters.stripe.bodies import ACCOUNT, AT, Json
from tests.adapters.stripe.objects import charge, intent, invoice, payment, refusal
from tests.adapters.stripe.strangers import API_KEY, Asked, Reply, Stranger, adapter
from tests.ports import free_port

PAY = "/v1/invoices/in_1/pay"
REQUEST = ChargeRequest(ACCOUNT, "in_1", "dunr-in_1-a1", 4900, "usd", "pm_2")
PAID = invoice(payment(intent("succeeded", latest_charge="ch_2"), "paid"), status="paid", amount_remaining=0)
DECLINE: Json = {
    "code": "card_declined",
    "decline_code": "insufficient_funds",
    "advice_code": "try_again_later",
    "network_decline_code": "51",
    "network_advice_code": "24",
    "charge": "ch_2",
}


def decline(**more: object) -> Reply:
    said = DECLINE | {"payment_intent": intent(latest_charge="ch_2")} | more
    return Reply(402, {"error": {"type": "card_error", "message": "Your card was declined."} | said})


def test_the_call_names_invoice_method_and_key_and_leaves_the_customer_alone(
    stranger: Stranger, processor: StripeProcessor
) -> None:
    stranger.tell(PAY, PAID)
    assert processor.charge(REQUEST) == Paid("ch_2", 4900, AT + timedelta(minutes=1))
    (asked,) = stranger.asked
    assert (asked.method, asked.headers["idempotency-key"]) == ("POST", "dunr-in_1-a1")
    assert (asked.parameters["payment_method"], asked.parameters["off_session"]) == ("pm_2", "true")
    assert asked.headers["authorization"] == f"Bearer {API_KEY}"
    assert "x-stripe-client-telemetry" not in asked.headers


def test_what_is_on_file_from_before_payment_methods_is_charged_as_a_source(
    stranger: Stranger, processor: StripeProcessor
) -> None:
    stranger.tell(PAY, PAID)
    processor.charge(ChargeRequest(ACCOUNT, "in_1", "dunr-in_1-a1", 4900, "usd", "src_1"))
    assert stranger.asked[0].parameters["source"] == "src_1"
    assert "payment_method" not in stranger.asked[0].parameters


def test_the_payment_that_this_call_made_is_the_newest(stranger: Stranger, processor: StripeProcessor) -> None:
    earlier = payment(
        intent("succeeded", id="pi_part", latest_charge="ch_part"),
        "paid",
        is_default=False,
        amount_paid=1000,
        status_transitions={"paid_at": 1},
    )
    rest = payment(intent("succeeded", latest_charge="ch_2"), "paid", amount_paid=3900)
    stranger.tell(PAY, invoice(earlier, rest, status="paid"))
    assert processor.charge(REQUEST) == Paid("ch_2", 3900, AT + timedelta(minutes=1))


def test_a_decline_is_an_answer_with_every_signal(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell(PAY, decline())
    stranger.tell("/v1/charges/ch_2", charge("ch_2"))
    raw = RawDecline("card_declined", "insufficient_funds", "try_again_later", "51", "24", "insufficient_funds", "visa")
    assert processor.charge(REQUEST) == Declined("ch_2", raw, AT)


def test_a_decline_stays_one_where_its_charge_cannot_be_read(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell(PAY, decline())
    answer = processor.charge(REQUEST)
    assert isinstance(answer, Declined)
    assert (answer.raw.decline_code, answer.raw.outcome_reason) == ("insufficient_funds", None)


def test_a_bank_that_wants_the_customer_names_the_intent_that_waits(
    stranger: Stranger, processor: StripeProcessor
) -> None:
    waiting = intent("requires_action", latest_charge=None)
    code = "invoice_payment_intent_requires_action"
    wanted = Declined("pi_1", RawDecline("authentication_required", "authentication_required"), AT, "pi_1")
    for status, kind in ((402, "card_error"), (400, "invalid_request_error")):
        stranger.tell(PAY, Reply(status, refusal(code, kind, payment_intent=waiting)))
        assert processor.charge(REQUEST) == wanted
    stranger.tell(PAY, invoice(payment(waiting)))
    assert processor.charge(REQUEST) == wanted


def test_an_issuer_that_refuses_without_authentication_leaves_nothing_waiting(
    stranger: Stranger, processor: StripeProcessor
) -> None:
    stranger.tell(PAY, decline(code="authentication_required", decline_code="authentication_required"))
    answer = processor.charge(REQUEST)
    assert isinstance(answer, Declined)
    assert (answer.raw.decline_code, answer.processor_intent_id) == ("authentication_required", None)


def test_a_debit_that_is_under_way_is_pending(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell(PAY, invoice(payment(intent("processing", latest_charge="py_2"))))
    assert processor.charge(REQUEST) == Pending("py_2")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (Reply(429, refusal("rate_limit"), {"retry-after": "7"}), NotNow("rate_limit", 7)),
        (Reply(429, refusal("lock_timeout")), NotNow("lock_timeout")),
        (Reply(400, refusal("lock_timeout")), NotNow("lock_timeout")),
        (Reply(409, refusal("idempotency_key_in_use", "idempotency_error")), NotNow("idempotency_key_in_use")),
        (Reply(429, b"", {"retry-after": "99999"}), NotNow("http_429", 3600)),
        (Reply(429, b"", {"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}), NotNow("http_429")),
    ],
)
def test_not_now_is_no_outcome(stranger: Stranger, processor: StripeProcessor, reply: Reply, answer: NotNow) -> None:
    stranger.tell(PAY, reply)
    assert processor.charge(REQUEST) == answer
    assert len(stranger.asked) == 1  # who sends again, and when, is decided elsewhere


def test_stripe_may_say_that_sending_again_is_no_use(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell(PAY, Reply(429, refusal("lock_timeout"), {"stripe-should-retry": "false"}))
    assert isinstance(processor.charge(REQUEST), Unanswered)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(500, refusal(None, "api_error")),
        Reply(500, refusal(None, "api_error"), {"idempotent-replayed": "true", "stripe-should-retry": "false"}),
        Reply(502, b"<html>"),
        Reply(503, b""),
        Reply(408, b""),
        Reply(424, refusal("external_dependency_failed")),
        Reply(302, b"", {"location": "http://127.0.0.1:9/"}),
        Reply(200, b""),
        Reply(200, b"[]"),
        Reply(200, b"null"),
        Reply(200, b"<html>welcome</html>"),
        Reply(200, b"[" * 100_000),
        Reply(200, {"id": "in_1", "object": "invoice", "status": "paid"}),
        Reply(200, invoice(status="paid", payments=None)),
        Reply(200, invoice(payment(intent(latest_charge=None)))),
    ],
)
def test_an_answer_that_says_nothing_is_no_answer(stranger: Stranger, processor: StripeProcessor, reply: Reply) -> None:
    stranger.tell(PAY, reply)
    assert isinstance(processor.charge(REQUEST), Unanswered)
    assert stranger.paths().count(PAY) == 1


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(401, refusal(None)), RefusedKind.KEY_REVOKED),
        (Reply(401, refusal("api_key_expired")), RefusedKind.KEY_REVOKED),
        (Reply(403, refusal("account_invalid")), RefusedKind.KEY_REVOKED),
        (Reply(404, refusal("resource_missing")), RefusedKind.NOT_FOUND),
        (Reply(400, refusal("resource_missing")), RefusedKind.NOT_FOUND),
        (Reply(400, refusal("amount_too_small")), RefusedKind.AMOUNT_TOO_SMALL),
        (Reply(400, refusal(None, "idempotency_error")), RefusedKind.IDEMPOTENCY_KEY_REUSED),
        (Reply(400, refusal("parameter_unknown")), RefusedKind.BAD_REQUEST),
        (Reply(400, b"?"), RefusedKind.BAD_REQUEST),
    ],
)
def test_a_refusal_is_ours_and_no_decline(
    stranger: Stranger, processor: StripeProcessor, reply: Reply, kind: RefusedKind
) -> None:
    stranger.tell(PAY, reply)
    answer = processor.charge(REQUEST)
    assert isinstance(answer, Refused)
    assert answer.kind is kind


@pytest.mark.parametrize(
    ("became", "kind"),
    [
        (PAID, RefusedKind.NOT_PAYABLE),
        (invoice(status="void"), RefusedKind.NOT_PAYABLE),
        (invoice(payment(intent("processing"))), RefusedKind.NOT_PAYABLE),
        (invoice(), RefusedKind.BAD_REQUEST),
    ],
)
def test_a_refusal_without_a_code_is_judged_by_what_the_invoice_has_become(
    stranger: Stranger, processor: StripeProcessor, became: Json, kind: RefusedKind
) -> None:
    """ "Invoice is already paid" has no code, and its words are for people."""
    stranger.tell(PAY, Reply(400, refusal(None)))
    stranger.tell("/v1/invoices/in_1", became)
    assert processor.charge(REQUEST) == Refused(kind, "http_400")


def test_a_server_that_is_not_there_was_never_asked() -> None:
    nobody = adapter(f"http://127.0.0.1:{free_port()}")
    assert nobody.charge(REQUEST) == NotNow("not_reached")
    nobody.close()


def test_a_silence_longer_than_our_patience_is_no_answer(stranger: Stranger) -> None:
    done = threading.Event()

    def late(_: Asked) -> Reply:
        done.wait(5)
        return Reply(body=PAID)

    stranger.replies[PAY] = late
    impatient = adapter(stranger.url, timeout_seconds=0.3)
    assert isinstance(impatient.charge(REQUEST), Unanswered)
    done.set()
    impatient.close()


def test_another_account_is_never_spoken_for(stranger: Stranger, processor: StripeProcessor) -> None:
    foreign = ChargeRequest("acct_other", "in_1", "k", 4900, "usd", "pm_1")
    assert processor.charge(foreign) == NotNow("not_sent_other_account")
    assert stranger.asked == []


def test_a_connected_account_is_charged_as_itself(stranger: Stranger) -> None:
    platform = adapter(stranger.url, connected=("acct_theirs",))
    stranger.tell(PAY, PAID)
    assert isinstance(platform.charge(ChargeRequest("acct_theirs", "in_1", "k", 4900, "usd", "pm_1")), Paid)
    assert stranger.asked[0].headers["stripe-account"] == "acct_theirs"
    platform.close()


@pytest.mark.parametrize("status", [200, 400, 401, 402, 404, 429, 500])
def test_no_card_number_no_words_and_no_key_reach_an_answer_or_the_log(
    stranger: Stranger, processor: StripeProcessor, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger.tell(PAY, Reply(status, refusal("4242424242424242 x")))
    told = repr(processor.charge(REQUEST)) + capsys.readouterr().out
    assert "4242424242424242" not in told
    assert "words for people" not in told
    assert API_KEY not in told
