"""C34: without a payment method nothing is charged; the mail asks for one, and the first one that comes is tried at once."""

from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Rehearsal, payer, rehearse


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """ada never had a card and adds one on day 8; ben takes his off on day 4 and adds one after the pause; cleo never has one."""
    with rehearse(tmp_path_factory.mktemp("played")) as world:
        world.fail("in_ada", card=None, customer=payer("ada"))
        world.fail("in_ben", card="card_ben", customer=payer("ben"))
        world.fail("in_cleo", card=None, customer=payer("cleo"))
        world.advance("2026-06-27T12:00:00Z")
        world.tell("/sandbox/cards/card_ben", method="DELETE")
        assert [world.pay_now(f"in_{name}").status_code for name in ("ada", "ben")] == [409, 409]
        world.advance("2026-06-30T12:00:00Z")
        world.add_card("cus_ada", "card_ada")
        world.advance("2026-07-10T12:00:00Z")
        world.add_card("cus_ben", "card_ben_new")
        world.advance("2026-07-20T00:00:00Z")
        yield world


def test_a_customer_without_a_card_is_asked_for_one_and_the_first_one_pays(played: Rehearsal) -> None:
    (attempt,) = played.charges("in_ada")
    assert (attempt["at"][:16], attempt["card"], attempt["captured"]) == ("2026-06-30T12:00", "card_ada", True)
    case = played.case("in_ada")
    assert (case["state"], case["steps_spent_count"]) == ("recovered", 0)
    assert case["subscription_access"]["version"] == 2  # grace, then granted; never paused
    assert played.access("sub_in_ada") == "granted"
    assert played.mails_to("ada@example.com") == ["method_needed", "receipt"]
    (mail,) = [mail for mail in played.mails("method_needed") if mail["to"] == "ada@example.com"]
    assert "add a payment method" in mail["subject"]
    assert "declined" not in mail["text"]


def test_without_any_card_nothing_is_ever_charged_and_the_deadline_runs(played: Rehearsal) -> None:
    assert played.charges("in_cleo") == []
    assert played.access("sub_in_cleo") == "paused"
    assert played.case("in_cleo")["subscription_access"]["changed_at"] == "2026-07-07T09:00:00Z"
    assert played.mails_to("cleo@example.com") == ["method_needed", "paused"]


def test_a_card_that_is_taken_off_ends_the_retries_and_a_new_one_brings_access_back(played: Rehearsal) -> None:
    assert [(one["at"][:16], one["card"], one["captured"]) for one in played.requests("in_ben")] == [
        ("2026-06-24T09:00", "card_ben", False),
        ("2026-07-10T12:00", "card_ben_new", True),
    ]
    kinds = played.mails_to("ben@example.com")
    assert kinds == ["first", "reminder", "method_needed", "paused", "receipt"]
    (paused,) = [mail for mail in played.mails("paused") if mail["to"] == "ben@example.com"]
    assert paused["at"][:16] == "2026-07-07T09:00"
    assert played.access("sub_in_ben") == "granted"
