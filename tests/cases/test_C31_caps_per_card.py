"""C31: what a network allows is counted per card, across invoices and whoever begins the attempt; the surplus is put off, visibly."""

from datetime import datetime, timedelta

from tests.cases.rehearsal import Rehearsal
from tests.cases.stores import on_both_stores

pytestmark = on_both_stores

CARD = {"id": "card_31", "network": "mastercard", "country": "DE"}
INVOICES = [f"in_31{letter}" for letter in "abcde"]
RULE = "mastercard-10-in-24-hours"


def test_five_invoices_of_one_card_and_its_owner_s_clicks_keep_to_the_card_s_day(world: Rehearsal) -> None:
    for invoice in INVOICES:
        world.fail(invoice, card=CARD)
    clicks = [world.pay_now(invoice) for invoice in INVOICES]
    assert [click.status_code for click in clicks] == [202] * 5

    # Ten declines since ten o'clock: nobody gets an eleventh out, and everybody is told by which rule.
    by_hand = world.act("in_31a", "retry")
    assert by_hand.status_code == 429
    assert RULE in by_hand.json()["detail"]
    assert world.pay_now("in_31b").status_code == 429

    world.advance("2026-06-24T09:00:01Z")
    for invoice in INVOICES:
        case = world.case(invoice)
        assert (case["state"], case["steps_spent_count"]) == ("scheduled", 0)
        assert case["next_attempt_at"] == "2026-06-25T09:00:00Z"
        assert any(RULE in why for why in case["plan"]["steps"][0]["why"])
        assert [(one["rule"], one["deferred_count"]) for one in case["avoided"]] == [(RULE, 1)]
    saved = world.http.get("/v1/fees-avoided").json()["avoided"]
    assert saved == [{"rule": RULE, "deferred_count": 5, "skipped_count": 0, "fee_minor": 275, "currency": "eur"}]

    world.advance("2026-07-20T00:00:00Z")
    at = sorted(datetime.fromisoformat(text) for invoice in INVOICES for text in world.times(invoice))
    at = [datetime.fromisoformat("2026-06-23T10:00")] * 5 + [one.replace(tzinfo=None) for one in at]
    for first, eleventh in zip(at, at[10:], strict=False):
        assert eleventh - first >= timedelta(hours=24)
    tried = world.case("in_31a")["attempts"]
    assert tried[1]["allowed_by"] == RULE
    assert tried[1]["left_count"] == 4
    assert [one["trigger"] for one in tried[1:]] == ["customer"] + ["timer"] * (len(tried) - 2)
    assert all(one["allowed_by"] for one in tried[1:])
