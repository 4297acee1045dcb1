"""C30: a card that is dead is never charged again by itself; the customer is asked for another one, and that one is tried at once."""

from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Rehearsal, payer, rehearse

CODES = {
    "ada": "stolen_card",
    "ben": "lost_card",
    "cleo": "pickup_card",
    "dora": "revocation_of_all_authorizations",
    "eve": "stolen_card",
}
NEVER_ANOTHER = ("ben", "cleo", "dora")
NEVER_SAID = ("stolen", "lost", "fraud", "pick up", "pickup")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """Five hard declines; eve adds a poor card on day 2, ada a good one on day 4; fay's card is declined hard at its first retry."""
    with rehearse(tmp_path_factory.mktemp("played")) as world:
        for name, code in CODES.items():
            world.fail(f"in_{name}", card=f"card_{name}", customer=payer(name), decline=code)
        world.fail("in_fay", card="card_fay", customer=payer("fay"))
        world.script("card_fay", "decline:lost_card")
        world.script("card_poor", "decline:insufficient_funds", "decline:insufficient_funds", "succeed")
        world.advance("2026-06-24T12:00:00Z")
        assert [world.pay_now("in_ben").status_code, world.act("in_ben", "retry").status_code] == [409, 409]
        world.add_card("cus_eve", "card_poor")
        world.advance("2026-06-27T10:00:00Z")
        world.add_card("cus_ada", "card_new")
        world.advance("2026-07-20T00:00:00Z")
        yield world


@pytest.mark.parametrize("name", NEVER_ANOTHER)
def test_a_dead_card_is_not_charged_and_the_deadline_runs(played: Rehearsal, name: str) -> None:
    assert played.requests(f"in_{name}") == []
    case = played.case(f"in_{name}")
    assert (case["state"], case["next_attempt_at"], case["steps_spent_count"]) == ("exhausted", None, 0)
    assert played.access(f"sub_in_{name}") == "paused"
    told = case["subscription_access"]
    assert (told["version"], told["changed_at"]) == (2, "2026-07-07T09:00:00Z")  # on until the floor, then paused once
    assert played.mails_to(f"{name}@example.com") == ["method_needed", "paused"]


def test_no_mail_says_what_the_bank_suspects(played: Rehearsal) -> None:
    for mail in played.mails():
        told = f"{mail['subject']} {mail['text']} {mail['html']}".lower()
        assert not [word for word in NEVER_SAID if word in told]


def test_a_new_card_is_tried_at_once(played: Rehearsal) -> None:
    (attempt,) = played.requests("in_ada")
    assert (attempt["card"], attempt["at"][:16], attempt["captured"]) == ("card_new", "2026-06-27T10:00", True)
    assert played.case("in_ada")["state"] == "recovered"
    assert played.access("sub_in_ada") == "granted"
    assert played.mails_to("ada@example.com") == ["method_needed", "receipt"]


def test_a_new_card_that_is_declined_too_is_laid_out_like_a_first_decline(played: Rehearsal) -> None:
    assert [(one["at"][:16], one["card"], one["captured"]) for one in played.requests("in_eve")] == [
        ("2026-06-24T12:00", "card_poor", False),
        ("2026-06-25T09:00", "card_poor", False),
        ("2026-06-30T09:00", "card_poor", True),
    ]
    assert played.case("in_eve")["state"] == "recovered"


def test_a_hard_decline_of_a_retry_ends_the_retries(played: Rehearsal) -> None:
    assert played.times("in_fay") == ["2026-06-24T09:00"]
    assert played.mails_to("fay@example.com") == ["first", "method_needed", "paused"]
    assert played.access("sub_in_fay") == "paused"
