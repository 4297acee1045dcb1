"""C32: a payment that the bank wants confirmed is not tried again behind the customer's back; one mail leads them to their bank."""

import re

from tests.cases.rehearsal import Json, Rehearsal

NOT_HANDLED = {"code": "authentication_required", "decline_code": "authentication_not_handled"}


def link_in(mail: Json, world: Rehearsal) -> str:
    """The path of the link that the mail carries."""
    (link,) = set(re.findall(r"https?://[^\s\"<>]+/pay/[^\s\"<>]+", mail["text"]))
    return link.partition(f":{world.port}")[2]


def test_one_mail_leads_to_the_bank_and_the_confirmation_is_one_capture(world: Rehearsal) -> None:
    world.script("card_1", "requires_action")
    world.fail("in_32", decline=NOT_HANDLED)
    case = world.case("in_32")
    assert (case["state"], case["reason"], case["next_attempt_at"]) == (
        "awaiting_customer",
        "authentication_required",
        None,
    )

    world.advance("2026-06-30T12:00:00Z")
    assert world.requests("in_32") == []
    (mail,) = world.mails()
    assert mail["kind"] == "confirm_with_bank"

    shown = world.http.get(link_in(mail, world))
    assert shown.status_code == 200, shown.text
    led_on = world.http.post(f"{link_in(mail, world)}/update")
    assert led_on.status_code == 303, led_on.text
    confirmed = world.http.post(led_on.headers["location"], data={"card": "on_file:card_1", "action": "pay"})
    assert confirmed.status_code == 200, confirmed.text
    world.settle()

    assert world.case("in_32")["state"] == "recovered"
    assert world.access("sub_in_32") == "granted"
    world.advance("2026-07-20T00:00:00Z")
    assert world.captures("in_32") == 1
    assert world.requests("in_32") == []
    assert [mail["kind"] for mail in world.mails()] == ["confirm_with_bank"]
    assert world.balance("in_32")["receivable"] == 0


def test_a_retry_that_the_bank_wants_confirmed_is_the_last_one_until_the_customer_says_yes(world: Rehearsal) -> None:
    world.script("card_1", "requires_action")
    world.fail("in_32")
    world.advance("2026-06-27T12:00:00Z")
    (retry,) = world.requests("in_32")
    assert retry["outcome"] == "requires_action"
    assert [mail["kind"] for mail in world.mails()] == ["first", "confirm_with_bank"]

    world.tell(f"/sandbox/charges/{retry['charge']}/confirm")
    assert world.case("in_32")["state"] == "recovered"
    world.advance("2026-07-20T00:00:00Z")
    assert world.captures("in_32") == 1
    assert len(world.requests("in_32")) == 1
    assert world.access("sub_in_32") == "granted"
