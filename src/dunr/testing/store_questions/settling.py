"""Questions about applying events: each waits until it is settled, and what is settled stays so."""

from dunr.core.snapshot import Snapshot
from dunr.core.value import replace
from dunr.ports import Inbound, InboundState, Store
from dunr.testing.filled import filled
from dunr.testing.store_questions.hall import Hall
from dunr.testing.store_rows import START, at, event, row_id, settlement

APPLIED, WAITING, DEAD = InboundState.APPLIED, InboundState.WAITING, InboundState.DEAD


def _kept(store: Store, name: str) -> Inbound:
    inbound = store.inbound(row_id(name))
    assert inbound is not None
    return inbound


class SettlingQuestions(Hall):
    """`unapplied` and `settle`."""

    def test_an_event_waits_until_it_is_settled(self) -> None:
        """It is offered each time until somebody says what became of it."""
        store = self.make()
        store.receive([event("evt_1")])
        assert list(store.unapplied(START, 10)) == [event("evt_1")]
        assert list(store.unapplied(START, 10)) == [event("evt_1")]
        store.settle(row_id("evt_1"), settlement(APPLIED))
        assert list(store.unapplied(at(9999), 10)) == []

    def test_the_oldest_event_comes_first(self) -> None:
        """Events are offered in the order in which they became due, a page at a time."""
        store = self.make()
        names = ["evt_3", "evt_1", "evt_2"]
        store.receive([event(name, received_at=at(int(name[-1]))) for name in names])
        assert [inbound.key for inbound in store.unapplied(at(5), 2)] == [row_id("evt_1"), row_id("evt_2")]
        assert [inbound.key for inbound in store.unapplied(at(5), 9)][2:] == [row_id("evt_3")]

    def test_events_of_one_instant_keep_their_order(self) -> None:
        """A batch is offered in the order in which it came."""
        store = self.make()
        names = ["evt_b", "evt_a", "evt_c"]
        store.receive([event(name) for name in names])
        assert [inbound.key for inbound in store.unapplied(START, 9)] == [row_id(name) for name in names]

    def test_an_event_waits_for_its_next_try(self) -> None:
        """No snapshot could be had: the event comes back at its time and not before, to the microsecond."""
        store = self.make()
        store.receive([event("evt_1")])
        store.settle(row_id("evt_1"), settlement(WAITING, next_try_at=at(60), tries_count=3))
        assert list(store.unapplied(at(59.999_999), 10)) == []
        [waiting] = store.unapplied(at(60), 10)
        assert waiting == replace(event("evt_1"), note="because", tries_count=3, next_try_at=at(60))

    def test_what_is_applied_stays_applied(self) -> None:
        """A slow worker reports a failure after another one has applied the event."""
        store = self.make()
        store.receive([event("evt_1")])
        store.settle(row_id("evt_1"), settlement(APPLIED, tries_count=1))
        store.settle(row_id("evt_1"), settlement(DEAD, tries_count=9))
        assert _kept(store, "evt_1").state is APPLIED
        assert _kept(store, "evt_1").tries_count == 1

    def test_a_dead_letter_can_be_redriven(self) -> None:
        """Given up, it is offered no more; a person sends it round again."""
        store = self.make()
        store.receive([event("evt_1")])
        store.settle(row_id("evt_1"), settlement(DEAD))
        assert list(store.unapplied(at(9999), 10)) == []
        store.settle(row_id("evt_1"), settlement(WAITING, tries_count=0))
        assert [inbound.key for inbound in store.unapplied(START, 10)] == [row_id("evt_1")]

    def test_a_duplicate_does_not_revive_what_is_settled(self) -> None:
        """The event is delivered again after it was applied; nothing is to be done."""
        store = self.make()
        store.receive([event("evt_1")])
        store.settle(row_id("evt_1"), settlement(APPLIED))
        store.receive([event("evt_1")])
        assert list(store.unapplied(at(9999), 10)) == []

    def test_settling_an_unknown_event_does_nothing(self) -> None:
        """Its key names nothing: no row appears."""
        store = self.make()
        store.settle(row_id("evt_9"), settlement(APPLIED))
        assert store.inbound(row_id("evt_9")) is None

    def test_a_settlement_takes_its_snapshot_along(self) -> None:
        """The reading that an event was applied with is kept beside it, whatever is in it."""
        store = self.make()
        store.receive([event("evt_1")])
        store.settle(row_id("evt_1"), replace(settlement(APPLIED), snapshot=filled(Snapshot)))
        assert _kept(self.again(store), "evt_1").state is APPLIED
