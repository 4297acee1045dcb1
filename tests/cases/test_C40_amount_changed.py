"""C40: a retry asks for what is owed then: credits and part payments are off, in the request, in the mails and in the ledger."""

import pytest

from tests.cases.rehearsal import Rehearsal


def test_the_retry_asks_for_the_rest_and_the_mails_say_so(world: Rehearsal) -> None:
    world.script("card_1", "decline:insufficient_funds", "decline:insufficient_funds", "succeed")
    world.fail("in_40", amount_minor=10000)
    world.advance("2026-06-25T12:00:00Z")
    world.tell("/sandbox/invoices/in_40/credit", {"amount_minor": 2500})
    world.advance("2026-06-28T12:00:00Z")
    world.tell("/sandbox/invoices/in_40/pay", {"amount_minor": 4000})
    assert world.case("in_40")["amount_due_minor"] == 3500

    world.advance("2026-07-01T00:00:00Z")
    told_before = world.mails()
    assert [mail["kind"] for mail in told_before] == ["first", "reminder", "reminder"]
    assert "$35.00" in told_before[-1]["text"]
    assert "$100.00" not in told_before[-1]["text"]

    world.advance("2026-07-20T00:00:00Z")
    assert [(one["at"][:10], one["amount_minor"]) for one in world.requests("in_40")] == [
        ("2026-06-24", 10000),
        ("2026-06-29", 3500),
        ("2026-07-02", 3500),
    ]
    assert world.case("in_40")["state"] == "recovered"
    (receipt,) = world.mails("receipt")
    assert "$35.00" in receipt["text"]
    kinds = ("opened", "credited", "part_paid", "recovered")
    assert [world.posted("in_40", kind) for kind in kinds] == [10000, 2500, 4000, 3500]
    assert world.balance("in_40")["receivable"] == 0
    assert sum(world.balance("in_40").values()) == 0


@pytest.mark.parametrize("way", ["credit", "pay"])
def test_where_nothing_is_left_nothing_is_charged_and_the_case_ends(world: Rehearsal, way: str) -> None:
    world.fail("in_40", amount_minor=10000, currency="jpy")
    world.tell("/sandbox/invoices/in_40/credit", {"amount_minor": 2500})
    world.tell(f"/sandbox/invoices/in_40/{way}")
    assert world.case("in_40")["state"] == "recovered"
    world.advance("2026-07-20T00:00:00Z")
    assert world.requests("in_40") == []
    assert world.balance("in_40")["receivable"] == 0
    assert world.mails("receipt") == []  # we collected nothing
    assert world.access("sub_in_40") == "granted"
