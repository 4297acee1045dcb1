"""Keys as Stripe keeps them: the first answer, a decline too, to the byte, for a day."""

import httpx
import pytest
from stripe import CardError, IdempotencyError, InvalidRequestError

from tests.sandbox.stripe.conftest import KEY, KilledSandbox, StripeSandbox


def post(sandbox: StripeSandbox, key: str, **form: str) -> httpx.Response:
    headers = {"authorization": f"Bearer {KEY}", "idempotency-key": key}
    return httpx.post(f"{sandbox.url}/v1/invoices/in_1/pay", data=form, headers=headers)


def test_a_decline_is_replayed_to_the_byte_and_says_so(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("decline:insufficient_funds", "succeed")
    first, again = post(sandbox, "k1", payment_method="pm_1"), post(sandbox, "k1", payment_method="pm_1")
    assert (first.status_code, again.status_code) == (402, 402)
    assert first.content == again.content
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert again.headers["original-request"] == first.headers["request-id"] != again.headers["request-id"]
    assert again.headers["idempotency-key"] == "k1"
    assert sandbox.outcomes() == ["declined", "replayed"]


def test_other_parameters_under_the_same_key_are_an_error(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    with pytest.raises(CardError):
        sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1"}, {"idempotency_key": "k1"})
    with pytest.raises(IdempotencyError, match="same parameters") as error:
        sandbox.stripe.v1.invoices.pay("in_1", {"off_session": True}, {"idempotency_key": "k1"})
    assert error.value.http_status == 400
    with pytest.raises(IdempotencyError):
        sandbox.stripe.v1.invoices.void_invoice("in_1", {}, {"idempotency_key": "k1"})


def test_the_order_of_the_parameters_is_no_difference(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("decline:insufficient_funds", "succeed")
    post(sandbox, "k1", payment_method="pm_1", off_session="true")
    again = post(sandbox, "k1", off_session="true", payment_method="pm_1")
    assert again.headers["idempotent-replayed"] == "true"


def test_a_key_is_forgotten_after_a_day_and_the_request_is_a_new_one(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("decline:insufficient_funds", "succeed")
    assert post(sandbox, "k1", payment_method="pm_1").status_code == 402
    sandbox.to("2026-06-24T09:59:59Z")
    assert post(sandbox, "k1", payment_method="pm_1").status_code == 402
    sandbox.to("2026-06-24T10:00:00Z")
    assert post(sandbox, "k1", payment_method="pm_1").json()["status"] == "paid"


def test_what_was_refused_for_its_parameters_leaves_no_key(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    assert post(sandbox, "k1", payment_methd="pm_1").status_code == 400
    assert post(sandbox, "k1", payment_method="pm_1").json()["status"] == "paid"


def test_what_was_refused_for_the_state_of_things_is_kept(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    with pytest.raises(InvalidRequestError, match="No such PaymentMethod"):
        sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_late"}, {"idempotency_key": "k1"})
    sandbox.control("POST", "/customers/cus_1/card", id="pm_late")
    again = post(sandbox, "k1", payment_method="pm_late")
    assert (again.status_code, again.headers["idempotent-replayed"]) == (400, "true")
    assert post(sandbox, "k2", payment_method="pm_late").json()["status"] == "paid"


def test_keys_of_the_two_modes_do_not_meet(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    live = sandbox.client("sk_live_sandbox")
    with pytest.raises(InvalidRequestError, match="a similar object exists in test mode"):
        live.v1.invoices.pay("in_1", {"payment_method": "pm_1"}, {"idempotency_key": "k1"})
    assert post(sandbox, "k1", payment_method="pm_1").json()["status"] == "paid"


def test_a_key_outlives_the_death_of_the_server(mortal: KilledSandbox) -> None:
    mortal.fail()
    mortal.script("lost:succeed")
    with pytest.raises(httpx.TransportError):
        post(mortal, "k1", payment_method="pm_1")
    mortal.kill()
    mortal.start()
    again = post(mortal, "k1", payment_method="pm_1")
    assert (again.json()["status"], again.headers["idempotent-replayed"]) == ("paid", "true")
    assert mortal.captures() == 1


def test_a_result_that_came_late_is_given_to_who_asks_again(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("hang:60:decline:insufficient_funds")
    with pytest.raises(httpx.TransportError):
        post(sandbox, "k1", payment_method="pm_1")
    assert post(sandbox, "k1", payment_method="pm_1").json()["error"]["code"] == "idempotency_key_in_use"
    sandbox.to("2026-06-23T10:01:00Z")
    late = post(sandbox, "k1", payment_method="pm_1")
    assert (late.status_code, late.json()["error"]["decline_code"]) == (402, "insufficient_funds")
    assert late.headers["idempotent-replayed"] == "true"
    assert post(sandbox, "k1", payment_method="pm_1").content == late.content


def test_every_write_takes_a_key(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1"})
    charge = str(sandbox.requests()[-1]["charge"])
    for _ in range(2):
        refund = sandbox.stripe.v1.refunds.create({"charge": charge, "amount": 900}, {"idempotency_key": "r1"})
        assert refund.amount == 900
    assert sandbox.stripe.v1.charges.retrieve(charge).amount_refunded == 900
