"""What nobody needs any more is forgotten in small batches, on both databases; what a second delivery or an open case is told by stays."""

from datetime import datetime, timedelta

from dunr.adapters.stores.sql.store import SqlStore
from dunr.core.terms import CaseState
from dunr.core.value import replace
from dunr.ports import InboundState, Receipt
from dunr.testing.store_rows import START, alert, decide, event, new_case, nudge, put, row_id, settlement
from tests.adapters.stores.opener import Opener
from tests.adapters.stores.postgres_opener import PostgresOpener

KEPT = timedelta(days=90)
LATER = START + timedelta(days=91)


class Questions:
    """What is asked of both."""

    def make(self) -> SqlStore:
        raise NotImplementedError

    def forget_all(self, store: SqlStore, now: datetime = LATER, kept: timedelta = KEPT) -> int:
        total = 0
        while count := store.forget(now, kept, 2):
            assert count <= 4, "two of each kind at most"
            total += count
        return total

    def test_applied_and_ignored_events_go_in_small_batches(self) -> None:
        store = self.make()
        store.receive([event(f"evt_{number}") for number in range(5)])
        for number in range(5):
            state = InboundState.APPLIED if number % 2 else InboundState.IGNORED
            store.settle(row_id(f"evt_{number}"), settlement(state))
        store.receive([event("evt_new", received_at=LATER)])
        store.settle(row_id("evt_new"), settlement(InboundState.APPLIED))
        assert self.forget_all(store) == 5
        assert [inbound.key for inbound in store.inbounds(state=None, limit=9)] == [row_id("evt_new")]

    def test_an_event_that_waits_and_a_dead_letter_stay(self) -> None:
        store = self.make()
        store.receive([event("evt_1"), event("evt_2")])
        store.settle(row_id("evt_2"), settlement(InboundState.DEAD))
        assert self.forget_all(store) == 0
        assert len(store.inbounds(state=None, limit=9)) == 2

    def test_the_key_of_an_event_is_known_for_sixty_days_whatever_was_set(self) -> None:
        store = self.make()
        store.receive([event("evt_1")])
        store.settle(row_id("evt_1"), settlement(InboundState.APPLIED))
        assert self.forget_all(store, START + timedelta(days=60), timedelta(days=1)) == 0
        assert list(store.receive([event("evt_1")])) == [Receipt.DUPLICATE]
        assert self.forget_all(store, START + timedelta(days=61), timedelta(days=1)) == 1

    def test_effects_that_are_done_go_once_their_case_has_ended(self) -> None:
        """The key of an effect keeps a repeat from being told twice, for as long as its case may repeat it."""
        store = self.make()
        states = {"inv_1": CaseState.RECOVERED, "inv_2": CaseState.CLOSED, "inv_3": CaseState.EXHAUSTED}
        for name, state in states.items():
            put(store, decide(case=replace(new_case(name), state=state), effects=(nudge(f"n_{name}", name),)))
            store.done(f"n_{name}", START, "told")
        assert self.forget_all(store) == 2
        assert [record.effect.key for record in store.effects(kind=None, case_id=None, limit=9)] == ["n_inv_3"]

    def test_effects_that_are_not_done_or_were_done_lately_stay(self) -> None:
        store = self.make()
        case = replace(new_case(), state=CaseState.CLOSED)
        put(store, decide(case=case, effects=(alert("a_1"), alert("a_2"))))
        store.done("a_2", LATER, "told")
        assert self.forget_all(store) == 0


class TestSqlite(Opener, Questions):
    pass


class TestPostgres(PostgresOpener, Questions):
    pass
