"""C30's neighbour: where the default card fails, those that the customer agreed to have charged instead are tried, in order, once each; no step is spent."""

from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Rehearsal, described, payer, rehearse

NAMES = ("ada", "ben", "cleo", "dora")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """ada's second card pays; ben's are all declined; cleo agreed to nothing; dora's default card is stolen."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "backups.toml").write_text("backup_methods = true\n")
    with rehearse(folder, DUNR_POLICY=str(folder / "backups.toml")) as world:
        for name in NAMES:
            bill = {"invoice": f"in_{name}_0", "customer": payer(name), "card": described(f"card_{name}")}
            world.tell("/sandbox/invoices", bill | {"subscription": f"sub_in_{name}", "status": "paid"})
            for number in (2, 3):
                card = described({"id": f"card_{name}_{number}", "backup": name != "cleo"})
                world.tell(f"/sandbox/customers/cus_{name}/card", card | {"make_default": False})
        world.script("card_ada_2", "succeed")
        world.script("card_ben_2", "decline:do_not_honor")
        world.script("card_ben_3", "decline:lost_card")
        for name in NAMES:
            decline = "stolen_card" if name == "dora" else "insufficient_funds"
            world.fail(f"in_{name}", card=f"card_{name}", customer=payer(name), decline=decline)
        world.advance("2026-06-24T12:00:00Z")
        yield world


def tried(world: Rehearsal, name: str) -> list[tuple[str, str, bool]]:
    return [(one["at"][:16], one["card"], one["captured"]) for one in world.requests(f"in_{name}")]


@pytest.mark.parametrize("name", ["ada", "dora"])
def test_a_backup_pays_at_once_and_nobody_is_written_to_but_for_the_receipt(played: Rehearsal, name: str) -> None:
    assert tried(played, name) == [("2026-06-23T10:00", f"card_{name}_2", True)]
    case = played.case(f"in_{name}")
    assert (case["state"], case["steps_spent_count"], case["attempts"][-1]["trigger"]) == ("recovered", 0, "backup")
    assert played.mails_to(f"{name}@example.com") == ["receipt"]
    assert played.access(f"sub_in_{name}") == "granted"


def test_each_is_tried_once_in_order_and_the_plan_of_the_default_card_stands(played: Rehearsal) -> None:
    assert tried(played, "ben") == [
        ("2026-06-23T10:00", "card_ben_2", False),
        ("2026-06-23T10:00", "card_ben_3", False),
        ("2026-06-24T09:00", "card_ben", False),
    ]
    case = played.case("in_ben")
    assert (case["state"], case["steps_spent_count"]) == ("scheduled", 1)
    assert played.mails_to("ben@example.com") == ["first", "reminder"]


def test_a_card_that_nobody_agreed_to_is_no_backup(played: Rehearsal) -> None:
    assert tried(played, "cleo") == [("2026-06-24T09:00", "card_cleo", False)]
