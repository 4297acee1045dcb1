"""C17, C39 and C57 at Stripe: when the customer or the subscription goes, nothing more is charged or written, and no late or older news brings it back."""

import json
from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Json, payer, signature
from tests.cases.running import SECRET
from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe

RETRY = ["2026-06-24T09:00"]  # the one before anything ended
REASONS = {"gone": ("customer_deleted", "subscription_ended"), "left": ("subscription_ended",)}


def tell_older(stripe: StripeRehearsal, name: str) -> None:
    """A new event with an older date says that the subscription is active."""
    at = stripe.now()
    about = {"id": f"sub_in_{name}", "object": "subscription", "customer": f"cus_{name}", "status": "active"}
    event = {
        "id": f"evt_older_{name}",
        "object": "event",
        "api_version": "2024-09-30.acacia",
        "created": int(at.timestamp()) - 7,
        "type": "customer.subscription.updated",
        "livemode": False,
        "data": {"object": about, "previous_attributes": {"status": "past_due"}},
    }
    body = json.dumps(event).encode()
    assert stripe.deliver(body, signature(body, at, SECRET)).status_code == 200
    stripe.settle()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[StripeRehearsal, dict[str, Json]]]:
    """gone is deleted and left cancels on day 4; of late we hear older news first, and of its end on day 6."""
    with rehearse_at_stripe(tmp_path_factory.mktemp("ended")) as stripe:
        made = {
            name: stripe.fail(f"in_{name}", card=f"card_{name}", customer=payer(name))
            for name in ("gone", "left", "late")
        }
        stripe.advance("2026-06-27T12:00:00Z")
        stripe.tell("/sandbox/customers/cus_gone", method="DELETE")
        stripe.tell("/sandbox/subscriptions/sub_in_left/cancel")
        when_ended = {name: stripe.case(f"in_{name}") for name in REASONS}

        stripe.tell(f"/sandbox/webhooks/{made['left']['event']}/resend")
        for name in ("left", "late"):
            tell_older(stripe, name)
        assert stripe.case("in_left") == when_ended["left"]
        assert stripe.access("sub_in_late") == "grace"
        stripe.advance("2026-06-28T12:00:00Z")
        stripe.tell("/sandbox/subscriptions/sub_in_late/cancel")
        nothing = {"invoice": "in_zero", "subscription": "sub_in_left", "customer": payer("left"), "amount_minor": 0}
        zero = stripe.tell("/sandbox/invoices", nothing | {"status": "paid"})
        when_ended["zero"] = zero
        stripe.advance("2026-07-20T00:00:00Z")
        yield stripe, when_ended


@pytest.mark.parametrize("name", list(REASONS))
def test_c39_what_ended_is_left_alone_and_the_debt_waits_for_a_person(
    told: tuple[StripeRehearsal, dict[str, Json]], name: str
) -> None:
    stripe, when_ended = told
    case = stripe.case(f"in_{name}")
    assert case["closed_because"] in REASONS[name]
    for fact in ("state", "closed_because", "next_attempt_at", "amount_due_minor"):
        assert case[fact] == when_ended[name][fact], fact
    assert (case["state"], case["next_attempt_at"], case["amount_due_minor"]) == ("closed", None, 4900)
    assert stripe.times(f"in_{name}") == RETRY
    assert stripe.mails_to(f"{name}@example.com") == ["first", "reminder"]
    assert stripe.access(f"sub_in_{name}") == "ended"
    assert stripe.balance(f"in_{name}")["receivable"] == 4900
    assert stripe.pay_now(f"in_{name}").status_code == 409
    assert len([one for one in stripe.alerts("debt_left_open") if one["case"].endswith(f":in_{name}")]) == 1


@pytest.mark.parametrize("name", ["left", "late"])
def test_c17_an_older_update_under_a_new_id_revives_nothing_in_either_order(
    told: tuple[StripeRehearsal, dict[str, Json]], name: str
) -> None:
    stripe, _ = told
    case = stripe.case(f"in_{name}")
    assert (case["state"], case["closed_because"]) == ("closed", "subscription_ended")
    assert stripe.access(f"sub_in_{name}") == "ended"
    assert stripe.times(f"in_{name}") == RETRY
    unused = [letter["key"] for state in ("dead", "ignored") for letter in stripe.letters(state)]
    assert not [key for key in unused if f"evt_older_{name}" in key], "it was applied, and changed nothing"


def test_c57_a_zero_invoice_that_is_paid_after_the_subscription_has_gone_is_no_error(
    told: tuple[StripeRehearsal, dict[str, Json]],
) -> None:
    stripe, when_ended = told
    delivered = stripe.psp.get("/sandbox/webhooks", params={"invoice": "in_zero"}).json()
    assert delivered
    assert {one["response_status"] for one in delivered} == {200}
    assert when_ended["zero"]["status"] == "paid"
    assert stripe.find("in_zero") is None
    assert stripe.access("sub_in_left") == "ended"
    assert stripe.letters("dead") == []
