"""C38, C40, C44 and C57 at Stripe: what is owed is read before each charge, and what is void, paid, too little or not ours is not charged."""

from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Json, payer
from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe

NOT_OURS: dict[str, Json] = {
    "checkout": {"first_invoice": True, "subscription_status": "incomplete"},
    "by_mail": {"collection_method": "send_invoice"},
}
LITTLE = {"usd": 30, "jpy": 49}
LEFT = {"credit": "jpy", "pay": "usd"}  # ways in which the rest goes


def fails(stripe: StripeRehearsal, name: str, **more: object) -> Json:
    return stripe.fail(f"in_{name}", card=f"card_{name}", customer=payer(name), **more)


def void_while_queued(stripe: StripeRehearsal) -> None:
    """The retry is due and waits for its worker when the void comes."""
    brake = {"kind": "charges", "why": "the worker is busy elsewhere"}
    stripe.http.post("/v1/stops", json=brake)
    stripe.advance("2026-06-24T09:00:01Z")
    stripe.tell("/sandbox/invoices/in_queued/void")
    stripe.advance("2026-06-24T09:00:02Z")
    stripe.http.post("/v1/stops", json=brake | {"stopped": False})


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StripeRehearsal]:
    """Voids heard of and not, a credit on day 2 and a part payment on day 5, what is nobody's or too little, all at once."""
    with rehearse_at_stripe(tmp_path_factory.mktemp("owed")) as stripe:
        for name, more in NOT_OURS.items():
            fails(stripe, name, **more)
        for currency, amount_minor in LITTLE.items():
            fails(stripe, f"little_{currency}", amount_minor=amount_minor, currency=currency)
        stripe.script("card_refused", "error:400:amount_too_small")
        fails(stripe, "refused", amount_minor=60)
        for way, currency in LEFT.items():
            fails(stripe, way, amount_minor=10000, currency=currency)
            stripe.tell(f"/sandbox/invoices/in_{way}/credit", {"amount_minor": 2500})
            stripe.tell(f"/sandbox/invoices/in_{way}/{way}")
        coupon = {"invoice": "in_coupon", "subscription": "sub_in_coupon", "customer": payer("coupon")}
        stripe.tell("/sandbox/invoices", coupon | {"amount_minor": 0, "status": "paid"})
        fails(stripe, "queued", subscription="sub_queued")
        stripe.fail("in_other", subscription="sub_queued", card="card_queued", customer=payer("queued"))
        heard = fails(stripe, "heard")
        stripe.tell("/sandbox/invoices/in_heard/void")
        stripe.tell(f"/sandbox/webhooks/{heard['event']}/resend")
        fails(stripe, "unheard")
        stripe.set(drop_webhooks=True)
        stripe.tell("/sandbox/invoices/in_unheard/void")
        stripe.set(drop_webhooks=False)
        assert stripe.case("in_unheard")["state"] == "scheduled"
        stripe.script("card_part", "decline:insufficient_funds", "decline:insufficient_funds", "succeed")
        fails(stripe, "part", amount_minor=10000)
        stripe.script("card_queued", "decline:insufficient_funds", "succeed")
        void_while_queued(stripe)
        stripe.advance("2026-06-25T12:00:00Z")
        assert stripe.access("sub_queued") == "grace", "the other invoice is still owed"
        stripe.tell("/sandbox/invoices/in_part/credit", {"amount_minor": 2500})
        stripe.advance("2026-06-28T12:00:00Z")
        stripe.tell("/sandbox/invoices/in_part/pay", {"amount_minor": 4000})
        stripe.advance("2026-07-20T00:00:00Z")
        yield stripe


@pytest.mark.parametrize("name", ["queued", "heard", "unheard"])
def test_c38_a_void_wins_over_a_queued_retry_and_late_news_whether_heard_of_or_not(
    played: StripeRehearsal, name: str
) -> None:
    case = played.case(f"in_{name}")
    assert (case["state"], case["closed_because"], case["amount_due_minor"]) == ("closed", "voided", 0)
    assert case["next_attempt_at"] is None
    assert played.requests(f"in_{name}") == []
    assert played.posted(f"in_{name}", "voided") == 4900
    assert played.balance(f"in_{name}")["receivable"] == 0
    assert played.access("sub_queued" if name == "queued" else f"sub_in_{name}") == "granted"
    if name != "queued":
        assert played.mails_to(f"{name}@example.com") == ["first"]


def test_c38_the_other_debt_of_the_subscription_is_collected(played: StripeRehearsal) -> None:
    assert [one["captured"] for one in played.requests("in_other")] == [False, True]
    assert played.case("in_other")["state"] == "recovered"


def test_c40_the_retry_asks_for_the_rest_and_the_mails_say_so(played: StripeRehearsal) -> None:
    assert [(one["at"][:10], one["amount_minor"]) for one in played.requests("in_part")] == [
        ("2026-06-24", 10000),
        ("2026-06-29", 3500),
        ("2026-07-02", 3500),
    ]
    mails = [mail for mail in played.mails() if mail["to"] == "part@example.com"]
    assert [mail["kind"] for mail in mails] == ["first", "reminder", "reminder", "receipt"]
    for mail, amount in zip(mails, ("$100.00", "$100.00", "$35.00", "$35.00"), strict=True):
        assert amount in mail["text"]


def test_c40_the_ledger_adds_up(played: StripeRehearsal) -> None:
    kinds = ("opened", "credited", "part_paid", "recovered")
    assert [played.posted("in_part", kind) for kind in kinds] == [10000, 2500, 4000, 3500]
    assert played.balance("in_part")["receivable"] == 0
    assert sum(played.balance("in_part").values()) == 0


@pytest.mark.parametrize("way", list(LEFT))
def test_c40_where_nothing_is_left_nothing_is_charged(played: StripeRehearsal, way: str) -> None:
    assert played.case(f"in_{way}")["state"] == "recovered"
    assert played.requests(f"in_{way}") == []
    assert played.balance(f"in_{way}")["receivable"] == 0
    assert "receipt" not in played.mails_to(f"{way}@example.com")


@pytest.mark.parametrize("name", list(NOT_OURS))
def test_c44_what_is_not_ours_to_dun_opens_nothing(played: StripeRehearsal, name: str) -> None:
    assert played.find(f"in_{name}") is None
    assert played.requests(f"in_{name}") == []
    assert played.mails_to(f"{name}@example.com") == []
    assert played.access(f"sub_in_{name}") == "granted"


def test_c57_an_invoice_that_a_coupon_paid_in_full_is_paid_and_nothing_happens(played: StripeRehearsal) -> None:
    assert (played.find("in_coupon"), played.charges("in_coupon")) == (None, [])
    assert played.access("sub_in_coupon") == "granted"


@pytest.mark.parametrize("currency", list(LITTLE))
def test_c57_too_little_to_charge_is_carried_over(played: StripeRehearsal, currency: str) -> None:
    invoice = f"in_little_{currency}"
    case = played.case(invoice)
    assert (case["state"], case["closed_because"], case["steps_spent_count"]) == ("closed", "carried_over", 0)
    assert (played.requests(invoice), played.mails_to(f"little_{currency}@example.com")) == ([], [])
    assert played.access(f"sub_{invoice}") == "granted"
    assert [one["case"] for one in played.alerts("amount_too_small") if one["case"].endswith(f":{invoice}")]


def test_c57_a_retry_that_stripe_finds_too_small_is_no_decline_either(played: StripeRehearsal) -> None:
    assert len(played.requests("in_refused")) == 1
    case = played.case("in_refused")
    assert (case["closed_because"], case["steps_spent_count"]) == ("carried_over", 0)
    assert case["attempts"][-1]["outcome"] == "refused"
    assert played.mails_to("refused@example.com") == ["first"]
    assert played.access("sub_in_refused") == "granted"
