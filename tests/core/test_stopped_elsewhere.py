"""A hard decline binds a credential on every invoice, those included that are seen only later."""

from dunr.core.events import MethodUpdated
from dunr.core.gate import ref_of
from dunr.core.model import Method
from dunr.core.reconcile import events_from
from dunr.core.terms import DeclineReason
from dunr.testing.scenario import play
from tests.core.world import facts, story


def test_a_card_that_was_stopped_on_another_invoice_is_no_new_card() -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 12:00  charges are stopped; new card card_2
                      waiting card card_2
    """)
    new = ref_of(world.methods[0])
    row = Method(f"sandbox:main:{new.card_key}", 1, DeclineReason.LOST_OR_STOLEN, new.credential)
    world.rows[f"card/{row.id}"] = row
    world.decide("in_1", MethodUpdated(new), world.snapshot("in_1"))
    case = world.case("in_1")
    assert case is not None
    assert case.waiting_method is None
    assert not [e for e in events_from(world.dossier("in_1", world.snapshot("in_1"))) if isinstance(e, MethodUpdated)]


def test_the_same_card_that_was_not_stopped_is_charged() -> None:
    play(
        """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 12:00  new card card_2
                      call left
    2026-06-23 12:00  paid
                      notice receipt
    """,
        facts(),
    )
