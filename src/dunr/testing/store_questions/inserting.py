"""Questions about rows that are written once: postings, audit entries, effects; and the net under the lease."""

from dunr.core.terms import InFlightAction, Outcome
from dunr.core.value import replace
from dunr.ports import Change, Store
from dunr.testing.store_questions.hall import Hall
from dunr.testing.store_rows import (
    NOTHING,
    START,
    alert,
    at,
    attempt_on,
    audit_entry,
    decide,
    load,
    loaded_case,
    new_case,
    put,
    with_case,
)


def _begin(store: Store, name: str, card: str) -> bool:
    """Open a case with an attempt under way on a card, without asking the card's row: as a bug would."""
    case = replace(new_case(name), attempts=(attempt_on(card),))
    return list(store.commit([Change(NOTHING, decide(case=case))])) == [True]


def _answer(store: Store, name: str, card: str, outcome: Outcome) -> None:
    """Write what is known of the attempt of a case."""
    case = loaded_case(store, name)
    answered = replace(case, attempts=(attempt_on(card, outcome=outcome),))
    put(store, decide(case=answered), with_case(NOTHING, case))


class InsertingQuestions(Hall):
    """Insert-only rows, keyed by id."""

    def test_an_effect_is_recorded_once(self) -> None:
        """The same alert is decided again: it is the same alert, with its first words."""
        store = self.make()
        put(store, decide(case=new_case(), effects=(alert("a_1"),)))
        rows = load(store)
        put(store, decide(case=rows.case, effects=(replace(alert("a_1"), text="again"), alert("a_2"))), rows)
        assert [undone.effect for undone in store.undone(START, 10)] == [alert("a_1"), alert("a_2")]

    def test_an_effect_that_is_done_is_not_revived(self) -> None:
        """Decided again after it was done, it stays done."""
        store = self.make()
        put(store, decide(case=new_case(), effects=(alert("a_1"),)))
        store.done("a_1", at(1), "sent")
        rows = load(store)
        put(store, decide(case=rows.case, effects=(alert("a_1"),)), rows)
        assert list(store.undone(at(9999), 10)) == []

    def test_an_effect_is_recorded_once_within_one_sequence(self) -> None:
        """Two cases of one sequence raise the same alert."""
        store = self.make()
        changes = [
            Change(NOTHING, decide(case=new_case(name), effects=(alert("a_1"), alert("a_1")))) for name in ("a", "b")
        ]
        assert list(store.commit(changes)) == [True, True]
        assert [undone.effect for undone in store.undone(START, 10)] == [alert("a_1")]

    def test_the_same_audit_entry_again_is_left_alone(self) -> None:
        """A repeat of a commit whose answer was lost brings the same entry."""
        store = self.make()
        put(store, decide(case=new_case(), audit=(audit_entry(1),)))
        rows = load(store)
        put(store, decide(case=rows.case, audit=(audit_entry(1), audit_entry(2))), rows)
        assert loaded_case(store) == replace(new_case(), version=2)

    def test_another_audit_entry_in_its_place_is_stale(self) -> None:
        """Two histories of one case cannot both be true: the second is refused whole."""
        store = self.make()
        put(store, decide(case=new_case(), audit=(audit_entry(1),)))
        rows = load(store)
        forged = decide(case=rows.case, audit=(audit_entry(1, fingerprint="other"),), effects=(alert("a_1"),))
        assert list(store.commit([Change(rows, forged)])) == [False]
        assert loaded_case(store).version == 1
        assert list(store.undone(START, 10)) == []

    def test_two_audit_entries_of_one_sequence_do_not_share_a_place(self) -> None:
        """The same, where both come in one sequence."""
        store = self.make()
        changes = [
            Change(NOTHING, decide(case=new_case("a"), audit=(audit_entry(1),))),
            Change(NOTHING, decide(case=new_case("b"), audit=(audit_entry(1, fingerprint="other"),))),
        ]
        assert list(store.commit(changes)) == [True, False]

    # --- the second net, for stores that have one ---------------------------------------------------------------------

    def test_two_running_attempts_on_one_card_are_refused(self) -> None:
        """The lease forbids it; should a bug forget the lease, the store refuses the second intent."""
        store = self.make()
        assert _begin(store, "inv_1", "card_1")
        assert _begin(store, "inv_2", "card_1") is not self.refuses_two_running

    def test_two_running_attempts_of_one_sequence_are_refused(self) -> None:
        """The same, where both intents come in one sequence."""
        store = self.make()
        cases = [replace(new_case(name), attempts=(attempt_on("card_1"),)) for name in ("inv_1", "inv_2", "inv_3")]
        answers = list(store.commit([Change(NOTHING, decide(case=case)) for case in cases]))
        second = not self.refuses_two_running
        assert answers == [True, second, second]

    def test_running_attempts_on_two_cards_are_fine(self) -> None:
        """The net is per card key."""
        store = self.make()
        assert _begin(store, "inv_1", "card_1")
        assert _begin(store, "inv_2", "card_2")

    def test_an_answer_frees_the_card(self) -> None:
        """Pending, unknown or settled: the attempt is not on the wire any more, and blocks its own invoice only."""
        for outcome in Outcome:
            store = self.make()
            assert _begin(store, "inv_1", "card_1")
            _answer(store, "inv_1", "card_1", outcome)
            assert _begin(store, "inv_2", "card_1")

    def test_not_now_frees_the_card(self) -> None:
        """The processor did not begin; the attempt waits to be sent again, and another invoice may use the card."""
        store = self.make()
        waiting = attempt_on("card_1", next_action=InFlightAction.RESEND)
        put(store, decide(case=replace(new_case("inv_1"), attempts=(waiting,))))
        assert _begin(store, "inv_2", "card_1")

    def test_one_sequence_may_hand_the_card_over(self) -> None:
        """The first change settles the attempt, the second begins another on the same card."""
        store = self.make()
        assert _begin(store, "inv_1", "card_1")
        case = loaded_case(store, "inv_1")
        settled = replace(case, attempts=(attempt_on("card_1", outcome=Outcome.DECLINED),))
        begun = replace(new_case("inv_2"), attempts=(attempt_on("card_1"),))
        changes = [Change(with_case(NOTHING, case), decide(case=settled)), Change(NOTHING, decide(case=begun))]
        assert list(store.commit(changes)) == [True, True]
