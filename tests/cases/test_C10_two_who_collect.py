"""C10: two who collect. The processor retries by itself; the policy says whether we leave it the invoice or take it over."""

from pathlib import Path

from tests.cases.rehearsal import Rehearsal, rehearse


def test_while_the_processor_retries_nothing_of_ours_goes_out_and_its_capture_ends_the_case(world: Rehearsal) -> None:
    world.set(retries_by_itself=True)
    world.fail("in_1")
    assert world.case("in_1")["plan"]["steps"][0]["at"] == "2026-06-26T10:00:00Z"
    assert [alert["kind"] for alert in world.alerts()] == ["coexistence"]
    world.script("card_1", "succeed")
    assert world.pay_now("in_1").status_code == 409
    world.advance(to="2026-07-10T00:00:00Z")
    assert (world.case("in_1")["state"], world.captures("in_1"), world.requests("in_1")) == ("recovered", 1, [])
    assert world.access("sub_in_1") == "granted"


def test_what_is_taken_over_has_one_owner_from_then_on(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\ncoexistence = "take_over"\n')
    with rehearse(tmp_path, DUNR_POLICY=str(tmp_path / "mine.toml")) as world:
        world.set(retries_by_itself=True)
        world.fail("in_1")
        world.script("card_1", "decline:insufficient_funds", "succeed")
        world.advance(to="2026-07-10T00:00:00Z")
        assert world.case("in_1")["state"] == "recovered"
        assert world.times("in_1") == ["2026-06-24T09:00", "2026-06-29T09:00"]
        assert len(world.charges("in_1")) == 2  # ours, and none of the processor beside them
