"""C30: a card that is dead is never charged again by itself; the customer is asked for another one, and that one is tried at once."""

from tests.cases.rehearsal import Rehearsal, payer

CODES = {
    "ada": "stolen_card",
    "ben": "lost_card",
    "cleo": "pickup_card",
    "dora": "revocation_of_all_authorizations",
}
NEVER_SAID = ("stolen", "lost", "fraud", "pick up", "pickup")


def fail_hard(world: Rehearsal, name: str) -> str:
    world.fail(f"in_{name}", card=f"card_{name}", customer=payer(name), decline=CODES[name])
    return f"in_{name}"


def test_no_charge_on_a_dead_card_one_mail_that_says_no_bad_word_and_the_deadline_runs(world: Rehearsal) -> None:
    for name in CODES:
        case = world.case(fail_hard(world, name))
        assert case["state"] == "awaiting_customer"
        assert case["next_attempt_at"] is None
        assert case["pause_at"] == "2026-07-07T09:00:00Z"
        assert world.mails_to(f"{name}@example.com") == ["method_needed"]
        assert world.access(f"sub_in_{name}") == "grace"

    world.advance("2026-06-27T10:00:00Z")  # day 4
    world.add_card("cus_ada", "card_new")
    (attempt,) = world.requests("in_ada")
    assert (attempt["card"], attempt["at"][:16], attempt["captured"]) == ("card_new", "2026-06-27T10:00", True)
    assert world.case("in_ada")["state"] == "recovered"
    assert world.access("sub_in_ada") == "granted"

    world.advance("2026-07-20T00:00:00Z")
    assert len(world.requests("in_ada")) == 1
    for name in ("ben", "cleo", "dora"):
        assert world.requests(f"in_{name}") == []
        assert world.access(f"sub_in_{name}") == "paused"
        assert world.mails_to(f"{name}@example.com") == ["method_needed", "paused"]
    for mail in world.mails():
        told = f"{mail['subject']} {mail['text']} {mail['html']}".lower()
        assert not [word for word in NEVER_SAID if word in told]


def test_a_new_card_that_is_declined_too_is_laid_out_like_a_first_decline(world: Rehearsal) -> None:
    invoice = fail_hard(world, "ada")
    world.advance("2026-06-24T12:00:00Z")
    world.script("card_poor", "decline:insufficient_funds", "decline:insufficient_funds", "succeed")
    world.add_card("cus_ada", "card_poor")
    world.advance("2026-07-20T00:00:00Z")
    assert [(one["at"][:16], one["card"], one["captured"]) for one in world.requests(invoice)] == [
        ("2026-06-24T12:00", "card_poor", False),
        ("2026-06-25T09:00", "card_poor", False),
        ("2026-06-30T09:00", "card_poor", True),
    ]
    assert world.case(invoice)["state"] == "recovered"


def test_a_hard_decline_of_a_retry_ends_the_retries(world: Rehearsal) -> None:
    world.script("card_1", "decline:lost_card")
    world.fail("in_30")
    world.advance("2026-07-20T00:00:00Z")
    assert world.times("in_30") == ["2026-06-24T09:00"]
    assert world.mails_to("ada@example.com") == ["first", "method_needed", "paused"]
    assert world.access("sub_in_30") == "paused"
