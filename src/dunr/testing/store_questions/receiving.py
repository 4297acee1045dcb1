"""Questions about events that arrive: nothing acknowledged is lost, and nothing counts twice."""

from functools import partial

from dunr.core.value import replace
from dunr.ports import InboundState, Receipt
from dunr.testing.filled import filled
from dunr.testing.store_questions.hall import Hall
from dunr.testing.store_rows import START, event, row_id
from dunr.testing.together import together

NEW, DUPLICATE, CONFLICT = Receipt.NEW, Receipt.DUPLICATE, Receipt.CONFLICT


class ReceivingQuestions(Hall):
    """`receive` and `inbound`."""

    def test_an_event_is_new_once(self) -> None:
        """The processor delivers an event, and later delivers it again: the second is the same event."""
        store = self.make()
        assert list(store.receive([event("evt_1")])) == [NEW]
        assert list(store.receive([event("evt_1")])) == [DUPLICATE]

    def test_a_duplicate_changes_nothing(self) -> None:
        """A second delivery carries another time of receipt; what is kept is the first."""
        store = self.make()
        store.receive([event("evt_1")])
        store.receive([replace(event("evt_1"), event_type="other", note="second")])
        assert store.inbound(row_id("evt_1")) == event("evt_1")

    def test_the_same_id_with_another_body_is_a_conflict(self) -> None:
        """Somebody reuses an event id: the first body stands, and the receipt says so."""
        store = self.make()
        store.receive([event("evt_1", b"first")])
        assert list(store.receive([event("evt_1", b"second")])) == [CONFLICT]
        assert store.inbound(row_id("evt_1")) == event("evt_1", b"first")

    def test_a_conflict_is_never_applied(self) -> None:
        """Only the first body of an event id waits to be applied."""
        store = self.make()
        store.receive([event("evt_1", b"first"), event("evt_1", b"second")])
        assert [inbound.body for inbound in store.unapplied(START, 10)] == [b"first"]

    def test_one_batch_answers_each_in_order(self) -> None:
        """New, repeated and conflicting events come in one batch; each gets its own receipt."""
        store = self.make()
        store.receive([event("evt_1", b"first")])
        batch = [event("evt_2"), event("evt_1", b"first"), event("evt_1", b"other"), event("evt_3"), event("evt_2")]
        assert list(store.receive(batch)) == [NEW, DUPLICATE, CONFLICT, NEW, DUPLICATE]

    def test_a_conflict_within_one_batch_is_seen(self) -> None:
        """Two bodies under one id arrive together: the first of the batch stands."""
        store = self.make()
        assert list(store.receive([event("evt_1", b"first"), event("evt_1", b"second")])) == [NEW, CONFLICT]
        assert store.inbound(row_id("evt_1")) == event("evt_1", b"first")

    def test_a_conflict_stays_a_conflict(self) -> None:
        """The other body is delivered again and again, and never becomes a duplicate."""
        store = self.make()
        store.receive([event("evt_1", b"first")])
        assert list(store.receive([event("evt_1", b"second")])) == [CONFLICT]
        assert list(store.receive([event("evt_1", b"second")])) == [CONFLICT]

    def test_an_empty_batch_is_harmless(self) -> None:
        """A webhook body may hold no event at all."""
        assert list(self.make().receive([])) == []

    def test_a_large_batch_is_taken_whole(self) -> None:
        """Many requests are committed together."""
        store = self.make()
        batch = [event(f"evt_{number}") for number in range(700)]
        assert list(store.receive(batch)) == [NEW] * 700
        assert list(store.receive(batch)) == [DUPLICATE] * 700

    def test_an_unknown_event_is_none(self) -> None:
        """Asking for an event that never came."""
        assert self.make().inbound(row_id("evt_9")) is None

    def test_an_event_survives_exactly(self) -> None:
        """Every field of an inbound, and every byte of its body, comes back as it was."""
        store = self.make()
        odd = filled(type(event("evt_1")))
        store.receive([odd])
        assert self.again(store).inbound(odd.key) == odd

    def test_an_ignored_event_is_recorded_and_not_applied(self) -> None:
        """An event of an unsupported type is kept with its reason, and stops there."""
        store = self.make()
        ignored = replace(event("evt_1"), state=InboundState.IGNORED, note="unsupported type")
        assert list(store.receive([ignored])) == [NEW]
        assert list(store.unapplied(START, 10)) == []
        assert store.inbound(ignored.key) == ignored

    def test_eight_deliveries_at_once_make_one_new(self) -> None:
        """Twenty copies of an event arrive at once over eight connections; exactly one of them is new."""
        store = self.make()
        receipts = together([partial(store.receive, [event("evt_1")] * 20) for _ in range(8)])
        flat = [receipt for answer in receipts for receipt in answer]
        assert flat.count(NEW) == 1
        assert flat.count(DUPLICATE) == len(flat) - 1

    def test_eight_bodies_at_once_make_one_new(self) -> None:
        """Eight different bodies under one id race; one stands, seven are conflicts."""
        store = self.make()
        bodies = [bytes([number]) for number in range(8)]
        receipts = together([partial(store.receive, [event("evt_1", body)]) for body in bodies])
        flat = [receipt for answer in receipts for receipt in answer]
        assert flat.count(NEW) == 1
        assert flat.count(CONFLICT) == len(flat) - 1
        kept = store.inbound(row_id("evt_1"))
        assert kept is not None
        assert kept.body == bodies[flat.index(NEW)]
