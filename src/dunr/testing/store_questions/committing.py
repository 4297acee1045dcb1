"""Questions about commits: every row on condition of the version read, in one transaction, or nothing at all."""

from collections.abc import Callable

from dunr.core.decision import Decision
from dunr.core.effects import Charge, LookUp
from dunr.core.value import replace
from dunr.ports import Change, Rows, Store
from dunr.testing.store_questions.hall import Hall
from dunr.testing.store_rows import (
    NOTHING,
    START,
    alert,
    at,
    audit_entry,
    decide,
    load,
    loaded_case,
    new_case,
    new_customer,
    new_method,
    new_subscription,
    nudge,
    posting,
    put,
    row_id,
)

ALL = decide(case=new_case(), subscription=new_subscription(), method=new_method(), customer=new_customer())


def _versions(rows: Rows) -> list[int]:
    return [row.version for row in (rows.case, rows.subscription, rows.method, rows.customer) if row is not None]


def _refused(store: Store, rows: Rows, decision: Decision) -> bool:
    return list(store.commit([Change(rows=rows, decision=decision)])) == [False]


class CommittingQuestions(Hall):
    """`commit`: the version rule."""

    def test_the_first_commit_makes_version_one(self) -> None:
        """A decision carries version 0 for what did not exist; the store raises it."""
        store = self.make()
        put(store, ALL)
        assert _versions(load(store, card="card_1")) == [1, 1, 1, 1]

    def test_each_commit_raises_the_versions_of_what_it_writes(self) -> None:
        """Rows that a decision leaves alone keep theirs."""
        store = self.make()
        put(store, ALL)
        for expected in (2, 3):
            rows = load(store, card="card_1")
            put(store, decide(case=rows.case, method=rows.method), rows)
            assert _versions(load(store, card="card_1")) == [expected, 1, expected, 1]

    def test_a_commit_is_seen_through_every_handle(self) -> None:
        """What one process committed, the next one reads."""
        store = self.make()
        put(store, ALL)
        assert _versions(load(self.again(store), card="card_1")) == [1, 1, 1, 1]

    def test_a_case_that_moved_makes_it_stale(self) -> None:
        """Two workers read the same case; the second to commit is told so."""
        store = self.make()
        put(store, ALL)
        rows = load(store, card="card_1")
        put(store, decide(case=rows.case), rows)
        assert _refused(store, rows, decide(case=rows.case))
        assert loaded_case(store) == replace(new_case(), version=2)

    def test_a_subscription_that_moved_makes_it_stale(self) -> None:
        """Another case of the subscription changed its access meanwhile."""
        self._ask_stale(lambda rows: decide(subscription=rows.subscription))

    def test_a_method_that_moved_makes_it_stale(self) -> None:
        """Another case took the lease of the card meanwhile."""
        self._ask_stale(lambda rows: decide(method=rows.method))

    def test_a_customer_that_moved_makes_it_stale(self) -> None:
        """Another case of the customer opened meanwhile."""
        self._ask_stale(lambda rows: decide(customer=rows.customer))

    def _ask_stale(self, other: Callable[[Rows], Decision]) -> None:
        """Another commit writes one row; a change that read all four is then refused, whether it writes that row or
        not.
        """
        store = self.make()
        put(store, ALL)
        rows = load(store, card="card_1")
        put(store, other(rows), rows)
        after = load(store, card="card_1")
        all_rows = decide(case=rows.case, subscription=rows.subscription, method=rows.method, customer=rows.customer)
        assert _refused(store, rows, all_rows)
        assert _refused(store, rows, decide(case=rows.case))
        assert load(store, card="card_1") == after

    def test_a_case_that_exists_is_not_created_again(self) -> None:
        """Read as missing, there when it is written: somebody opened it first."""
        store = self.make()
        put(store, decide(case=new_case()))
        assert _refused(store, NOTHING, decide(case=replace(new_case(), amount_due_minor=1)))
        assert loaded_case(store) == replace(new_case(), version=1)

    def test_each_other_row_that_exists_is_not_created_again(self) -> None:
        """The same holds for a subscription, a method and a customer."""
        store = self.make()
        put(store, ALL)
        for decision in (
            decide(case=new_case("inv_2"), subscription=new_subscription()),
            decide(case=new_case("inv_2"), method=new_method()),
            decide(case=new_case("inv_2"), customer=new_customer()),
        ):
            assert _refused(store, NOTHING, decision)
        assert load(store, "inv_2").case is None

    def test_a_row_that_was_never_stored_is_stale(self) -> None:
        """A read from another database, or from before a restore, names a version that is not here."""
        store = self.make()
        foreign = replace(new_case(), version=3)
        assert _refused(store, replace(NOTHING, case=foreign), decide(case=foreign))
        assert load(store).case is None

    def test_all_or_nothing(self) -> None:
        """One stale row, and no other row, posting, audit entry or effect of the decision is written."""
        store = self.make()
        put(store, decide(subscription=new_subscription()))
        decision = decide(
            case=new_case(wake_at=START),
            subscription=new_subscription(),
            method=new_method(),
            customer=new_customer(),
            postings=(posting("p_1"),),
            audit=(audit_entry(1),),
            effects=(nudge("n_1"),),
        )
        assert _refused(store, NOTHING, decision)
        assert load(store, card="card_1").case is None
        assert load(store, card="card_1").method is None
        assert list(store.due(at(9999), 10)) == []
        assert list(store.undone(at(9999), 10)) == []

    def test_each_change_of_a_sequence_stands_alone(self) -> None:
        """Two good changes with a stale one between them: the good ones are committed."""
        store = self.make()
        put(store, decide(case=new_case("inv_2")))
        changes = [Change(NOTHING, decide(case=new_case(f"inv_{number}"))) for number in (1, 2, 3)]
        assert list(store.commit(changes)) == [True, False, True]
        assert loaded_case(store, "inv_1").version == loaded_case(store, "inv_3").version == 1

    def test_a_sequence_counts_its_own_writes(self) -> None:
        """Two changes of one sequence were read from the same version: the first wins."""
        store = self.make()
        put(store, ALL)
        first, second = load(store, "inv_1", "card_1"), load(store, "inv_2", "card_1")
        second = replace(second, subscription=first.subscription, customer=first.customer)
        changes = [
            Change(first, decide(case=first.case, method=first.method)),
            Change(second, decide(case=new_case("inv_2"), method=second.method)),
        ]
        assert list(store.commit(changes)) == [True, False]
        assert load(store, "inv_2").case is None

    def test_an_empty_sequence_is_harmless(self) -> None:
        """Nothing to commit."""
        assert list(self.make().commit([])) == []

    def test_charges_and_look_ups_are_not_recorded(self) -> None:
        """The attempt in flight is their record; only the other effects wait to be done."""
        store = self.make()
        effects = (Charge(row_id("inv_1"), 1, 1), alert("a_1"), LookUp(row_id("inv_1"), 1))
        put(store, decide(case=new_case(), effects=effects))
        assert [undone.effect for undone in store.undone(START, 10)] == [alert("a_1")]
