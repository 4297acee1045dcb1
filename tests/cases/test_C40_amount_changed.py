"""C40: a retry asks for what is owed then: credits and part payments are off, in the request, in the mails and in the ledger."""

from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Rehearsal, payer, rehearse

LEFT = {"credit": "jpy", "pay": "usd"}  # ways in which the rest goes, in different currencies


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """A credit on day 3 and a part payment on day 6; of two other invoices nothing is left."""
    with rehearse(tmp_path_factory.mktemp("played")) as world:
        world.script("card_1", "decline:insufficient_funds", "decline:insufficient_funds", "succeed")
        world.fail("in_40", amount_minor=10000)
        for way, currency in LEFT.items():
            more = {"amount_minor": 10000, "currency": currency}
            world.fail(f"in_{way}", card=f"card_{way}", customer=payer(way), **more)
            world.tell(f"/sandbox/invoices/in_{way}/credit", {"amount_minor": 2500})
            world.tell(f"/sandbox/invoices/in_{way}/{way}")
        world.advance("2026-06-25T12:00:00Z")
        world.tell("/sandbox/invoices/in_40/credit", {"amount_minor": 2500})
        world.advance("2026-06-28T12:00:00Z")
        world.tell("/sandbox/invoices/in_40/pay", {"amount_minor": 4000})
        world.advance("2026-07-20T00:00:00Z")
        yield world


def test_the_retry_asks_for_the_rest(played: Rehearsal) -> None:
    assert [(one["at"][:10], one["amount_minor"]) for one in played.requests("in_40")] == [
        ("2026-06-24", 10000),
        ("2026-06-29", 3500),
        ("2026-07-02", 3500),
    ]
    assert played.case("in_40")["state"] == "recovered"


def test_the_mails_say_what_is_owed_when_they_leave(played: Rehearsal) -> None:
    mails = [mail for mail in played.mails() if mail["to"] == "ada@example.com"]
    assert [mail["kind"] for mail in mails] == ["first", "reminder", "reminder", "receipt"]
    for mail, amount in zip(mails, ("$100.00", "$100.00", "$35.00", "$35.00"), strict=True):
        assert amount in mail["text"]
        assert amount in mail["html"]
        others = {"$100.00", "$75.00", "$35.00"} - {amount}
        assert not [other for other in others if other in mail["text"]]


def test_the_ledger_adds_up(played: Rehearsal) -> None:
    kinds = ("opened", "credited", "part_paid", "recovered")
    assert [played.posted("in_40", kind) for kind in kinds] == [10000, 2500, 4000, 3500]
    assert played.balance("in_40")["receivable"] == 0
    assert sum(played.balance("in_40").values()) == 0


@pytest.mark.parametrize("way", LEFT)
def test_where_nothing_is_left_nothing_is_charged_and_the_case_ends(played: Rehearsal, way: str) -> None:
    assert played.case(f"in_{way}")["state"] == "recovered"
    assert played.requests(f"in_{way}") == []
    assert played.balance(f"in_{way}")["receivable"] == 0
    assert "receipt" not in played.mails_to(f"{way}@example.com")  # we collected nothing
    assert played.access(f"sub_in_{way}") == "granted"
