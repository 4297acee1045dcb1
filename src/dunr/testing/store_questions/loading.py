"""Questions about reading: one consistent look at the case and the three rows that it, or the caller, names."""

from dunr.core.model import Case, Customer, Method, OpenCase, Subscription
from dunr.core.terms import Outcome
from dunr.core.value import replace
from dunr.ports import Refs, Rows
from dunr.testing.filled import filled, hollow
from dunr.testing.store_questions.hall import Hall
from dunr.testing.store_rows import (
    NOTHING,
    at,
    attempt_on,
    decide,
    load,
    new_case,
    new_customer,
    new_method,
    new_subscription,
    put,
    row_id,
)


class LoadingQuestions(Hall):
    """`load` and `cases_of`."""

    def test_an_empty_store_knows_nothing(self) -> None:
        """Rows that no commit has written are None."""
        store = self.make()
        refs = Refs(subscription_id=row_id("sub_1"), method_id=row_id("card_1"), customer_id=row_id("cus_1"))
        assert store.load(row_id("inv_1"), refs) == NOTHING
        assert store.load(None, Refs()) == NOTHING

    def test_refs_name_rows_where_there_is_no_case_yet(self) -> None:
        """The first failure of an invoice: the case does not exist, its customer and subscription do."""
        store = self.make()
        put(store, decide(subscription=new_subscription(), method=new_method(), customer=new_customer()))
        refs = Refs(subscription_id=row_id("sub_1"), method_id=row_id("card_1"), customer_id=row_id("cus_1"))
        for case_id in (None, row_id("inv_1")):
            rows = store.load(case_id, refs)
            assert rows.case is None
            assert rows.subscription == replace(new_subscription(), version=1)
            assert rows.method == replace(new_method(), version=1)
            assert rows.customer == replace(new_customer(), version=1)

    def test_a_case_names_its_own_subscription_and_customer(self) -> None:
        """Given only the case, the store finds what belongs to it."""
        store = self.make()
        put(store, decide(case=new_case(), subscription=new_subscription(), customer=new_customer()))
        rows = store.load(row_id("inv_1"), Refs())
        assert rows.case == replace(new_case(), version=1)
        assert rows.subscription == replace(new_subscription(), version=1)
        assert rows.customer == replace(new_customer(), version=1)
        assert rows.method is None

    def test_given_ids_win_over_the_case(self) -> None:
        """The snapshot names another customer and subscription than the case remembers."""
        store = self.make()
        put(store, decide(case=new_case(), subscription=new_subscription(), customer=new_customer()))
        put(store, decide(subscription=new_subscription("sub_2"), customer=new_customer("cus_2")))
        rows = store.load(row_id("inv_1"), Refs(subscription_id=row_id("sub_2"), customer_id=row_id("cus_2")))
        assert rows.subscription == replace(new_subscription("sub_2"), version=1)
        assert rows.customer == replace(new_customer("cus_2"), version=1)

    def test_the_method_in_flight_is_read(self) -> None:
        """An attempt is in flight: its card comes along, under the card key with processor and account before it."""
        store = self.make()
        attempts = (attempt_on("card_2", 0, Outcome.DECLINED), attempt_on("card_1", 1))
        put(store, decide(case=replace(new_case(), attempts=attempts), method=new_method("card_1")))
        put(store, decide(method=new_method("card_2")))
        assert load(store).method == replace(new_method("card_1"), version=1)

    def test_the_method_of_the_newest_attempt_is_read(self) -> None:
        """Nothing is in flight: the card of the newest attempt comes along."""
        store = self.make()
        attempts = (attempt_on("card_1", 0, Outcome.DECLINED), attempt_on("card_2", 1, Outcome.DECLINED))
        put(store, decide(case=replace(new_case(), attempts=attempts), method=new_method("card_1")))
        put(store, decide(method=new_method("card_2")))
        assert load(store).method == replace(new_method("card_2"), version=1)

    def test_a_given_method_wins(self) -> None:
        """The next attempt goes to another card than the last: the caller names it."""
        store = self.make()
        attempts = (attempt_on("card_1", 0, Outcome.DECLINED),)
        put(store, decide(case=replace(new_case(), attempts=attempts), method=new_method("card_1")))
        put(store, decide(method=new_method("card_2")))
        assert load(store, card="card_2").method == replace(new_method("card_2"), version=1)

    def test_a_case_without_a_method_reads_none(self) -> None:
        """The newest attempt had no card, or there was no attempt."""
        store = self.make()
        put(store, decide(case=replace(new_case(), attempts=(attempt_on(None, 0, Outcome.DECLINED),))))
        put(store, decide(case=new_case("inv_2"), method=new_method("card_1")))
        assert load(store, "inv_1").method is None
        assert load(store, "inv_2").method is None

    def test_a_method_follows_the_case(self) -> None:
        """A later attempt used another card; the older one is not read any more."""
        store = self.make()
        first, second = attempt_on("card_1", 0, Outcome.DECLINED), attempt_on("card_2", 1)
        put(store, decide(case=replace(new_case(), attempts=(first,)), method=new_method("card_1")))
        put(store, decide(method=new_method("card_2")))
        rows = replace(load(store), method=None)
        put(store, decide(case=replace(new_case(), attempts=(first, second))), rows)
        assert load(store).method == replace(new_method("card_2"), version=1)

    def test_cases_of_a_customer_come_oldest_first(self) -> None:
        """A new card is tried on the oldest invoice first, whatever order the row lists them in."""
        store = self.make()
        cases = tuple(OpenCase(case_id=row_id(f"inv_{day}"), first_failed_at=at(day)) for day in (2, 3, 1))
        put(store, decide(customer=new_customer(cases=cases)))
        assert list(store.cases_of(row_id("cus_1"))) == [row_id("inv_1"), row_id("inv_2"), row_id("inv_3")]

    def test_an_unknown_customer_has_no_cases(self) -> None:
        """Nobody of that id ever owed anything."""
        assert list(self.make().cases_of(row_id("cus_9"))) == []

    def test_rows_with_every_field_filled_survive_exactly(self) -> None:
        """Microseconds, money beyond a double, odd characters, nested rows: all come back equal."""
        self._ask_round_trip(filled(Case), filled(Subscription), filled(Method), filled(Customer))

    def test_rows_with_nothing_in_them_survive_exactly(self) -> None:
        """None stays None, an empty tuple stays an empty tuple, zero stays zero."""
        self._ask_round_trip(
            replace(hollow(Case), id="c"),
            replace(hollow(Subscription), id="s"),
            replace(hollow(Method), id="m"),
            replace(hollow(Customer), id="u"),
        )

    def _ask_round_trip(self, case: Case, subscription: Subscription, method: Method, customer: Customer) -> None:
        store = self.make()
        put(store, decide(case=case, subscription=subscription, method=method, customer=customer))
        refs = Refs(subscription_id=subscription.id, method_id=method.id, customer_id=customer.id)
        read = self.again(store).load(case.id, refs)
        assert read == Rows(
            case=replace(case, version=1),
            subscription=replace(subscription, version=1),
            method=replace(method, version=1),
            customer=replace(customer, version=1),
        )
        assert hash(read) == hash(read)  # lists in place of tuples would compare equal to nothing and hash to an error
