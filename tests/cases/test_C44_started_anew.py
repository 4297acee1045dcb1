"""C44's neighbour: a customer who starts another subscription with a new card is not charged for the old debt by it, unless they or an operator say so."""

from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Rehearsal, described, payer, rehearse

NAMES = ("ada", "ben", "cleo")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """All three start anew two days after the first failure. ada says nothing, ben pays by our page, an operator retries for cleo."""
    with rehearse(tmp_path_factory.mktemp("played")) as world:
        for name in NAMES:
            world.fail(f"in_{name}", card=f"card_{name}", customer=payer(name))
        world.advance("2026-06-25T12:00:00Z")
        for name in NAMES:
            card = described({"id": f"card_{name}_new", "came_with_subscription": f"sub_{name}_new"})
            world.tell(f"/sandbox/customers/cus_{name}/card", card)
            first = {"invoice": f"in_{name}_new", "subscription": f"sub_{name}_new", "customer": payer(name)}
            world.tell("/sandbox/invoices", first | {"card": card, "first_invoice": True, "status": "paid"})
        world.advance("2026-06-29T12:00:00Z")
        assert world.pay_now("in_ben").status_code == 202
        assert world.act("in_cleo", "retry").status_code == 202
        world.advance("2026-07-20T00:00:00Z")
        yield world


def test_the_old_debt_is_not_charged_unasked_and_a_person_hears_of_it(played: Rehearsal) -> None:
    assert [(one["at"][:16], one["card"]) for one in played.requests("in_ada")] == [("2026-06-24T09:00", "card_ada")]
    assert len([one for one in played.alerts("resubscribed") if one["case"].endswith(":in_ada")]) == 1
    assert played.mails_to("ada@example.com") == ["first", "reminder", "method_needed", "paused"]
    assert played.case("in_ada")["state"] == "exhausted"


def test_the_new_subscription_is_untouched(played: Rehearsal) -> None:
    for name in NAMES:
        assert played.access(f"sub_{name}_new") == "granted"
    assert played.access("sub_in_ada") == "paused"


@pytest.mark.parametrize(("name", "trigger"), [("ben", "customer"), ("cleo", "operator")])
def test_a_person_s_word_charges_the_new_card(played: Rehearsal, name: str, trigger: str) -> None:
    last = played.requests(f"in_{name}")[-1]
    assert (last["at"][:16], last["card"], last["captured"]) == ("2026-06-29T12:00", f"card_{name}_new", True)
    case = played.case(f"in_{name}")
    assert (case["state"], case["attempts"][-1]["trigger"]) == ("recovered", trigger)
    assert played.access(f"sub_in_{name}") == "granted"
