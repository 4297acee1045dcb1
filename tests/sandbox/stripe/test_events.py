"""What happens, as Stripe's events tell it: which ones, about what, and in the shape of which version."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.processes import Received, Receiver, SandboxProcess
from tests.sandbox.stripe.conftest import StripeSandbox

VERSIONS = ["2020-03-02", "2022-11-15", "2024-09-30.acacia", "2025-03-31.basil", "2026-10-28.endive"]
ACTIVE = "customer.subscription.updated"


def of_type(receiver: Receiver, kind: str) -> list[Received]:
    return [one for one in receiver.received if one.type == kind]


def told(receiver: Receiver, kind: str) -> dict[str, Any]:
    """The object of the one event of this type."""
    (one,) = of_type(receiver, kind)
    shown: dict[str, Any] = one.json["data"]["object"]
    return shown


@pytest.fixture
def paid(sandbox: StripeSandbox) -> Callable[[], None]:
    """A first failure, and the payment that makes it good."""

    def story() -> None:
        sandbox.fail()
        sandbox.script("succeed")
        sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1"}, {"idempotency_key": "k1"})
        sandbox.quiet()

    return story


def test_a_payment_is_told_in_all_the_events_that_stripe_has_for_it(
    sandbox: StripeSandbox, receiver: Receiver, paid: Callable[[], None]
) -> None:
    made = sandbox.fail()
    sandbox.quiet()
    assert receiver.received[0].json["id"] == made["event"], "who made the failure knows the event by its id"
    paid()
    assert [one.type for one in receiver.received if one.type != "invoice.updated"] == [
        "invoice.payment_failed",
        "payment_intent.succeeded",
        "charge.succeeded",
        "invoice_payment.paid",
        "invoice.paid",
        "invoice.payment_succeeded",
        "customer.subscription.updated",
    ]
    assert told(receiver, "charge.succeeded")["payment_intent"] == "pi_in_1"
    request = of_type(receiver, "invoice.paid")[0].json["request"]
    assert request["idempotency_key"] == "k1"
    assert request["id"].startswith("req_")
    (subscription,) = of_type(receiver, "customer.subscription.updated")
    assert subscription.json["data"]["previous_attributes"] == {"status": "past_due"}
    assert subscription.json["data"]["object"]["status"] == "active"


@pytest.mark.parametrize("version", VERSIONS)
def test_an_endpoint_gets_the_objects_of_the_version_it_is_pinned_to(
    sandbox: StripeSandbox, receiver: Receiver, version: str
) -> None:
    sandbox.pin(version)
    made = sandbox.fail()
    sandbox.script("decline:do_not_honor:do_not_try_again:05:03")
    with pytest.raises(Exception, match="declined"):
        sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1"})
    sandbox.quiet()
    assert {one.json["api_version"] for one in receiver.received} == {version}
    first = of_type(receiver, "invoice.payment_failed")[0].json["data"]["object"]
    intent, charge = told(receiver, "payment_intent.payment_failed"), told(receiver, "charge.failed")
    if version < "2025-03-31":
        named = {name: first[name] for name in ("subscription", "payment_intent", "charge", "paid")}
        assert named == {
            "subscription": "sub_1",
            "payment_intent": "pi_in_1",
            "charge": made["charge"],
            "paid": False,
        }
        assert (charge["invoice"], intent["invoice"]) == ("in_1", "in_1")
    else:
        assert not {"subscription", "payment_intent", "charge", "paid"} & set(first)
        assert first["parent"]["subscription_details"]["subscription"] == "sub_1"
        assert not {"invoice"} & (set(charge) | set(intent))
    assert ("charges" in intent) == (version < "2022-11-15")
    assert intent["latest_charge"] == charge["id"]
    assert intent["last_payment_error"]["network_advice_code"] == charge["outcome"]["network_advice_code"] == "03"


def test_a_late_result_tells_which_key_asked_for_it(sandbox: StripeSandbox, receiver: Receiver) -> None:
    sandbox.fail()
    sandbox.script("hang:60:succeed")
    with pytest.raises(Exception, match="Unexpected error communicating"):
        sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1"}, {"idempotency_key": "k9"})
    sandbox.to("2026-06-23T10:01:00Z")
    assert of_type(receiver, "charge.succeeded")[0].json["request"] == {"id": None, "idempotency_key": "k9"}


def test_a_bank_that_wants_the_customer_is_told_without_a_charge(sandbox: StripeSandbox, receiver: Receiver) -> None:
    sandbox.fail()
    sandbox.quiet()
    receiver.received.clear()
    sandbox.script("requires_action")
    with pytest.raises(Exception, match="additional user action"):
        sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1"})
    sandbox.quiet()
    assert receiver.types == [
        "payment_intent.requires_action",
        "invoice.payment_failed",
        "invoice.payment_action_required",
        "invoice.updated",
    ]
    assert told(receiver, "payment_intent.requires_action")["status"] == "requires_action"


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("2020-03-02", "payment_method.card_automatically_updated"),
        ("2020-08-27", "payment_method.automatically_updated"),
    ],
)
def test_the_card_updater_is_told_under_the_name_of_the_version(
    sandbox: StripeSandbox, receiver: Receiver, version: str, kind: str
) -> None:
    sandbox.pin(version, enabled_events=[kind])
    sandbox.fail()
    before = sandbox.stripe.v1.payment_methods.retrieve("pm_1").card
    assert sandbox.control("POST", "/cards/pm_1/update").status_code == 200
    sandbox.quiet()
    card = told(receiver, kind)["card"]
    assert before is not None
    assert (card["fingerprint"] != before.fingerprint, card["exp_year"]) == (True, 2029)


@pytest.mark.parametrize(
    ("act", "types"),
    [
        (lambda box: box.control("POST", "/invoices/in_1/void"), ["invoice.voided", ACTIVE]),
        (lambda box: box.control("POST", "/invoices/in_1/write_off"), ["invoice.marked_uncollectible", ACTIVE]),
        (lambda box: box.control("POST", "/subscriptions/sub_1/cancel"), ["customer.subscription.deleted"]),
        (lambda box: box.control("DELETE", "/customers/cus_1"), ["customer.deleted", "customer.subscription.deleted"]),
        (lambda box: box.control("DELETE", "/cards/pm_1"), ["payment_method.detached"]),
        (
            lambda box: box.control("POST", "/customers/cus_1/card", id="pm_2"),
            ["payment_method.attached", "customer.updated"],
        ),
    ],
)
def test_what_people_do_is_told(
    sandbox: StripeSandbox, receiver: Receiver, act: Callable[[SandboxProcess], object], types: list[str]
) -> None:
    sandbox.fail()
    sandbox.quiet()
    receiver.received.clear()
    act(sandbox)
    sandbox.quiet()
    assert [kind for kind in receiver.types if kind != "invoice.updated"] == types


def test_disputes_and_refunds_are_told(sandbox: StripeSandbox, receiver: Receiver, paid: Callable[[], None]) -> None:
    paid()
    receiver.received.clear()
    charge = str(sandbox.requests()[-1]["charge"])
    opened = sandbox.control("POST", f"/charges/{charge}/dispute").json()["dispute"]["id"]
    sandbox.control("POST", f"/disputes/{opened}/close", status="won")
    sandbox.stripe.v1.refunds.create({"charge": charge, "amount": 100})
    sandbox.quiet()
    assert receiver.types == [
        "charge.dispute.created",
        "charge.dispute.funds_withdrawn",
        "charge.dispute.closed",
        "charge.dispute.funds_reinstated",
        "charge.refunded",
        "refund.created",
    ]
    assert told(receiver, "charge.dispute.closed")["status"] == "won"
    assert told(receiver, "charge.refunded")["amount_refunded"] == 100


def test_events_are_listed_newest_first_in_the_account_s_version(
    sandbox: StripeSandbox, paid: Callable[[], None]
) -> None:
    sandbox.pin("2020-03-02")
    paid()
    listed = sandbox.stripe.v1.events.list({"limit": 100}).data
    assert listed[0].type == "customer.subscription.updated"
    assert {event.api_version for event in listed} == {"2026-10-28.endive"}
    (event,) = sandbox.stripe.v1.events.list({"types": ["invoice.paid", "invoice.voided"]}).data
    assert sandbox.stripe.v1.events.retrieve(event.id).data.object["id"] == "in_1"
    assert len(sandbox.stripe.v1.events.list({"type": "invoice.*", "limit": 100}).data) == 5


def test_both_faces_share_one_set_of_books(sandbox: StripeSandbox) -> None:
    sandbox.fail("in_1", amount_minor=1000)
    sandbox.fail("in_2", amount_minor=2000)
    sandbox.script("succeed")
    sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1"}, {"idempotency_key": "k1"})
    assert sandbox.charge("k2", invoice="in_2", amount_minor=2000).status_code == 200
    rows = sandbox.http.get("/sandbox/charges").json()
    assert [(row["invoice"], row["key"], row["captured"]) for row in rows] == [
        ("in_1", "k1", True),
        ("in_2", "k2", True),
    ]
    assert sandbox.stripe.v1.invoices.retrieve("in_2").status == "paid"
