"""C30, C32 and C34 at Stripe: a dead card, a bank that wants the customer and no card at all are not "try again in three days"."""

import re
from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Json, payer
from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe

DEAD = {"ben": "lost_card", "cleo": "pickup_card", "dora": "revocation_of_all_authorizations"}
NEVER_SAID = ("stolen", "lost", "fraud", "pick up", "pickup")
NOT_HANDLED = {"code": "authentication_required", "decline_code": "authentication_not_handled"}


def fails(stripe: StripeRehearsal, name: str, **more: object) -> None:
    stripe.fail(f"in_{name}", card=f"card_{name}", customer=payer(name), **more)


def confirm_by_link(stripe: StripeRehearsal, name: str) -> None:
    """Through our page to the invoice's page at Stripe, where the customer is present and their bank asks them."""
    (mail,) = mails_of(stripe, name, "confirm_with_bank")
    (link,) = set(re.findall(r"https?://[^\s\"<>]+/pay/[^\s\"<>]+", mail["text"]))
    led_on = stripe.http.post(f"{link.partition(f':{stripe.port}')[2]}/update")
    assert led_on.status_code == 303, led_on.text
    hosted = stripe.psp.get(led_on.headers["location"])
    assert hosted.status_code == 303, hosted.text
    body = {"card": f"on_file:card_{name}", "action": "pay"}
    confirmed = stripe.psp.post(hosted.headers["location"], data=body)
    assert confirmed.status_code == 200, confirmed.text
    stripe.settle()


def mails_of(stripe: StripeRehearsal, name: str, kind: str) -> list[Json]:
    return [mail for mail in stripe.mails(kind) if mail["to"] == f"{name}@example.com"]


def tried(stripe: StripeRehearsal, name: str) -> list[tuple[str, str, bool]]:
    return [(one["at"][:16], one["card"], one["captured"]) for one in stripe.requests(f"in_{name}")]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StripeRehearsal]:
    """Dead cards, of which ada replaces hers; nina, omar and pia are to confirm; rosa and sven have no card, sven since day 4."""
    with rehearse_at_stripe(tmp_path_factory.mktemp("declines")) as stripe:
        for name, code in ({"ada": "stolen_card"} | DEAD).items():
            fails(stripe, name, decline=code)
        for name in ("nina", "omar", "pia"):
            stripe.script(f"card_{name}", "requires_action")
        fails(stripe, "nina", decline=NOT_HANDLED)
        fails(stripe, "omar")
        fails(stripe, "pia")
        stripe.fail("in_rosa", card=None, customer=payer("rosa"))
        fails(stripe, "sven")
        stripe.advance("2026-06-24T12:00:00Z")
        stripe.add_card("cus_omar", "card_omar_new")
        stripe.advance("2026-06-27T12:00:00Z")
        assert stripe.pay_now("in_ben").status_code == 409
        stripe.add_card("cus_ada", "card_ada_new")
        confirm_by_link(stripe, "nina")
        stripe.tell("/sandbox/intents/pi_in_pia/confirm")
        stripe.tell("/sandbox/cards/card_sven", method="DELETE")
        stripe.advance("2026-06-30T12:00:00Z")
        stripe.add_card("cus_rosa", "card_rosa")
        stripe.advance("2026-07-10T12:00:00Z")
        stripe.add_card("cus_sven", "card_sven_new")
        stripe.advance("2026-07-20T00:00:00Z")
        yield stripe


@pytest.mark.parametrize("name", list(DEAD))
def test_c30_a_dead_card_is_not_charged_and_the_deadline_runs(played: StripeRehearsal, name: str) -> None:
    assert played.requests(f"in_{name}") == []
    case = played.case(f"in_{name}")
    assert (case["state"], case["next_attempt_at"], case["steps_spent_count"]) == ("exhausted", None, 0)
    assert case["subscription_access"]["changed_at"] == "2026-07-07T09:00:00Z"
    assert played.access(f"sub_in_{name}") == "paused"
    assert played.mails_to(f"{name}@example.com") == ["method_needed", "paused"]


def test_c30_no_mail_says_what_the_bank_suspects(played: StripeRehearsal) -> None:
    for mail in played.mails():
        told = f"{mail['subject']} {mail['text']} {mail['html']}".lower()
        assert not [word for word in NEVER_SAID if word in told]


def test_c30_a_new_card_is_tried_at_once(played: StripeRehearsal) -> None:
    assert tried(played, "ada") == [("2026-06-27T12:00", "card_ada_new", True)]
    assert played.case("in_ada")["state"] == "recovered"
    assert played.mails_to("ada@example.com") == ["method_needed", "receipt"]


def test_c32_what_the_bank_wants_confirmed_is_not_tried_behind_the_customers_back(played: StripeRehearsal) -> None:
    assert played.requests("in_nina") == []
    assert played.mails_to("nina@example.com")[0] == "confirm_with_bank"
    (mail,) = mails_of(played, "nina", "confirm_with_bank")
    assert "declined" not in mail["text"]
    assert [attempt[0] for attempt in tried(played, "pia")] == ["2026-06-24T09:00"]
    assert played.mails_to("pia@example.com")[:2] == ["first", "confirm_with_bank"]
    for name in ("nina", "omar", "pia"):
        assert "reminder" not in played.mails_to(f"{name}@example.com")


@pytest.mark.parametrize("name", ["nina", "pia"])
def test_c32_the_confirmation_is_one_capture_and_the_end(played: StripeRehearsal, name: str) -> None:
    assert played.captures(f"in_{name}") == 1
    assert played.case(f"in_{name}")["state"] == "recovered"
    assert played.case(f"in_{name}")["reason"] == "authentication_required"
    assert played.access(f"sub_in_{name}") == "granted"
    assert played.balance(f"in_{name}")["receivable"] == 0


def test_c32_a_new_card_takes_the_place_of_an_intent_that_waits_and_only_one_pays(played: StripeRehearsal) -> None:
    assert [one[1:] for one in tried(played, "omar")] == [("card_omar", False), ("card_omar_new", True)]
    assert played.captures("in_omar") == 1
    # An invoice has one intent for life: the new card confirms it anew, and nothing is left that could still pay.
    assert played.asked("payment_intents.cancel") == []
    assert played.psp.post("/sandbox/intents/pi_in_omar/confirm").status_code == 409


def test_c34_a_customer_without_a_card_is_asked_for_one_and_the_first_one_pays(played: StripeRehearsal) -> None:
    assert tried(played, "rosa") == [("2026-06-30T12:00", "card_rosa", True)]
    assert played.case("in_rosa")["state"] == "recovered"
    assert played.mails_to("rosa@example.com") == ["method_needed", "receipt"]
    (mail,) = mails_of(played, "rosa", "method_needed")
    assert "add a payment method" in mail["subject"]
    assert "declined" not in mail["text"]


def test_c34_a_card_that_is_taken_off_ends_the_retries_and_a_new_one_brings_access_back(
    played: StripeRehearsal,
) -> None:
    assert tried(played, "sven") == [
        ("2026-06-24T09:00", "card_sven", False),
        ("2026-07-10T12:00", "card_sven_new", True),
    ]
    assert played.mails_to("sven@example.com") == ["first", "reminder", "method_needed", "paused", "receipt"]
    assert played.access("sub_in_sven") == "granted"
