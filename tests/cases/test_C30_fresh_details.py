"""C30: an expired card is not charged again and again. The processor is asked for the newer one first: a hit is one attempt, a miss asks the customer."""

from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Json, Rehearsal, payer, rehearse

POLICY = """
reasons.expired_card = {steps_max = 1, strategy = "require_updater"}
reasons.credential_updated = {steps_max = 1, strategy = "require_updater"}
"""
EXPIRED = {"code": "expired_card", "decline_code": "expired_card"}
UPDATER = {
    "ada": ["hit"],
    "ben": ["expiry"],
    "cleo": ["miss"],
    "dora": ["closed"],
    "eve": ["fail", "fail", "hit"],
    "finn": ["cryptogram"],
    "gus": ["hit"],
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """Seven expired cards: reissued, prolonged, not renewed, closed; one updater that is down for a minute, one network token, and one renewed card without money."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "fresh.toml").write_text(POLICY)
    with rehearse(folder, DUNR_POLICY=str(folder / "fresh.toml")) as world:
        for name, outcomes in UPDATER.items():
            answer = world.psp.put(f"/sandbox/cards/card_{name}/updater", json=outcomes)
            assert answer.is_success, answer.text
        world.script("card_gus", "decline:insufficient_funds", "succeed")
        for name in UPDATER:
            card = {"id": f"card_{name}", "fingerprint": f"fp_{name}", "expires": "2026-05"}
            token = {"network_token": name == "finn"}
            world.fail(f"in_{name}", customer=payer(name), decline=EXPIRED, card=card | token)
        world.advance("2026-07-20T00:00:00Z")
        yield world


def refreshes(world: Rehearsal, name: str) -> list[Json]:
    """What the updater was asked about a card, by its own books."""
    rows: list[Json] = world.psp.get("/sandbox/refreshes", params={"card": f"card_{name}"}).json()
    return rows


@pytest.mark.parametrize("name", ["ada", "ben", "finn"])
def test_a_hit_is_followed_by_one_attempt_at_the_next_allowed_time(played: Rehearsal, name: str) -> None:
    (asked,) = refreshes(played, name)
    assert asked["at"][:16] == "2026-06-23T10:00"
    (attempt,) = played.requests(f"in_{name}")
    assert (attempt["at"][:16], attempt["card"], attempt["captured"]) == ("2026-06-23T10:00", f"card_{name}", True)
    case = played.case(f"in_{name}")
    assert (case["state"], case["steps_spent_count"], case["attempts"][-1]["trigger"]) == ("recovered", 1, "updater")
    assert played.mails_to(f"{name}@example.com") == ["receipt"]
    assert played.access(f"sub_in_{name}") == "granted"


@pytest.mark.parametrize("name", ["cleo", "dora"])
def test_a_miss_asks_the_customer_and_nothing_is_charged(played: Rehearsal, name: str) -> None:
    assert len(refreshes(played, name)) == 1
    assert played.requests(f"in_{name}") == []
    assert played.case(f"in_{name}")["state"] == "exhausted"
    assert played.mails_to(f"{name}@example.com") == ["method_needed", "paused"]
    told = played.case(f"in_{name}")["subscription_access"]
    assert (told["access"], told["changed_at"]) == ("paused", "2026-07-07T09:00:00Z")


def test_an_updater_that_is_down_is_asked_again_and_nobody_is_written_to_meanwhile(played: Rehearsal) -> None:
    assert [one["outcome"] for one in refreshes(played, "eve")] == ["fail", "fail", "hit"]
    assert played.times("in_eve") == ["2026-06-23T10:01"]
    assert played.captures("in_eve") == 1
    assert played.mails_to("eve@example.com") == ["receipt"]


def test_a_renewed_card_without_money_goes_on_by_the_ladder_of_that(played: Rehearsal) -> None:
    assert played.times("in_gus") == ["2026-06-23T10:00", "2026-06-26T09:00"]
    triggers = [one["trigger"] for one in played.case("in_gus")["attempts"]]
    assert triggers == ["processor", "updater", "timer"]
    assert played.captures("in_gus") == 1


def test_the_hit_rate_has_a_line_of_its_own(played: Rehearsal) -> None:
    home = played.http.get("/").text
    assert "5 of 7 requests brought newer details (71 %), and 4 of them a payment" in home
    (asked,) = played.case("in_cleo")["refreshes"]
    assert (asked["hit"], asked["reason"], asked["processor_method_id"]) == (False, "expired_card", "card_cleo")


def test_the_story_tells_what_was_asked_and_what_came_of_it(played: Rehearsal) -> None:
    told = " ".join(why for entry in played.case("in_ada")["audit"] for why in entry["because"])
    assert "fresher details of the payment method are asked for before anything else" in told
    assert "the payment method was refreshed: newer details" in told
    told = " ".join(why for entry in played.case("in_dora")["audit"] for why in entry["because"])
    assert "the account behind the card is closed" in told
