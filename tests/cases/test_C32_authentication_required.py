"""C32: a payment that the bank wants confirmed is not tried again behind the customer's back; one mail leads them to their bank."""

import re
from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Json, Rehearsal, payer, rehearse

NOT_HANDLED = {"code": "authentication_required", "decline_code": "authentication_not_handled"}


def link_in(mail: Json, world: Rehearsal) -> str:
    """The path of the link that the mail carries."""
    (link,) = set(re.findall(r"https?://[^\s\"<>]+/pay/[^\s\"<>]+", mail["text"]))
    return link.partition(f":{world.port}")[2]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """ada's renewal needs a confirmation from the start, ben's at its first retry; both confirm on Saturday, ada by her link."""
    with rehearse(tmp_path_factory.mktemp("played")) as world:
        for name in ("ada", "ben"):
            world.script(f"card_{name}", "requires_action")
        world.fail("in_ada", card="card_ada", customer=payer("ada"), decline=NOT_HANDLED)
        world.fail("in_ben", card="card_ben", customer=payer("ben"))
        case = world.case("in_ada")
        assert (case["state"], case["reason"]) == ("awaiting_customer", "authentication_required")
        assert case["next_attempt_at"] is None

        world.advance("2026-06-27T12:00:00Z")
        confirm_by_link(world)
        (retry,) = world.requests("in_ben")
        world.tell(f"/sandbox/charges/{retry['charge']}/confirm")
        world.advance("2026-07-20T00:00:00Z")
        yield world


def confirm_by_link(world: Rehearsal) -> None:
    """Through our page to the processor's, where the customer is present and their bank asks them."""
    (mail,) = [mail for mail in world.mails("confirm_with_bank") if mail["to"] == "ada@example.com"]
    shown = world.http.get(link_in(mail, world))
    assert shown.status_code == 200, shown.text
    led_on = world.http.post(f"{link_in(mail, world)}/update")
    assert led_on.status_code == 303, led_on.text
    confirmed = world.http.post(led_on.headers["location"], data={"card": "on_file:card_ada", "action": "pay"})
    assert confirmed.status_code == 200, confirmed.text
    world.settle()


def test_nothing_is_charged_behind_the_customers_back_and_one_mail_leads_to_the_bank(played: Rehearsal) -> None:
    assert played.requests("in_ada") == []
    assert played.mails_to("ada@example.com") == ["confirm_with_bank"]
    (mail,) = [mail for mail in played.mails("confirm_with_bank") if mail["to"] == "ada@example.com"]
    assert "confirm" in mail["subject"]
    assert "declined" not in mail["text"]


def test_a_retry_that_the_bank_wants_confirmed_is_the_last_one(played: Rehearsal) -> None:
    (retry,) = played.requests("in_ben")
    assert (retry["outcome"], retry["at"][:16]) == ("requires_action", "2026-06-24T09:00")
    assert played.mails_to("ben@example.com") == ["first", "confirm_with_bank"]


@pytest.mark.parametrize("name", ["ada", "ben"])
def test_the_confirmation_is_one_capture_and_the_end(played: Rehearsal, name: str) -> None:
    assert played.captures(f"in_{name}") == 1
    assert played.case(f"in_{name}")["state"] == "recovered"
    assert played.access(f"sub_in_{name}") == "granted"
    assert played.balance(f"in_{name}")["receivable"] == 0


def test_a_new_card_waits_until_the_first_try_is_cancelled_and_that_confirmed(world: Rehearsal) -> None:
    world.script("card_1", "requires_action")
    world.fail("in_first")
    world.advance("2026-06-24T12:00:00Z")
    (retry,) = world.requests("in_first")
    world.add_card("cus_1", "card_new")
    world.advance("2026-06-24T13:00:00Z")

    last = world.requests("in_first")[-1]
    assert (last["card"], last["captured"]) == ("card_new", True)
    # What the bank was asked to confirm cannot be confirmed any more, so nothing is ever collected twice.
    late = world.psp.post(f"/sandbox/charges/{retry['charge']}/confirm")
    assert late.status_code == 409
    assert "cancelled" in late.text
    assert world.captures("in_first") == 1
    told = " ".join(why for entry in world.case("in_first")["audit"] for why in entry["because"])
    assert "it is cancelled, and that confirmed, first" in told
    assert "the earlier try is cancelled, and that is confirmed" in told
