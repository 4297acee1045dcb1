"""Questions about time: what is due comes up, earliest first, and what is done or moved leaves its place."""

from datetime import datetime

from dunr.core.effects import Effect
from dunr.core.value import replace
from dunr.ports import InboundState, Store, Undone
from dunr.testing.store_questions.hall import Hall
from dunr.testing.store_rows import (
    START,
    alert,
    at,
    audit_entry,
    decide,
    event,
    load,
    loaded_case,
    new_case,
    notice,
    nudge,
    put,
    row_id,
    settlement,
)


def _record(store: Store, *effects: Effect) -> None:
    put(store, decide(case=new_case(), audit=(audit_entry(1),), effects=effects))


def _wake(store: Store, name: str, wake_at: datetime | None) -> None:
    rows = load(store, name)
    put(store, decide(case=replace(loaded_case(store, name), wake_at=wake_at)), rows)


def _keys(store: Store, now: datetime) -> list[str]:
    return [undone.effect.key for undone in store.undone(now, 99)]


class AgendaQuestions(Hall):
    """`due`, `undone`, `claim`, `done`, `defer` and `next_due_at`."""

    def test_due_cases_come_earliest_first(self) -> None:
        """Those whose time has come, a page at a time; asking does not consume them."""
        store = self.make()
        for second in (3, 1, 4, 2):
            put(store, decide(case=new_case(f"inv_{second}", wake_at=at(second))))
        assert list(store.due(at(3), 2)) == [row_id("inv_1"), row_id("inv_2")]
        assert list(store.due(at(3), 99)) == [row_id("inv_1"), row_id("inv_2"), row_id("inv_3")]

    def test_a_case_is_due_on_the_microsecond(self) -> None:
        """Not a moment before its time."""
        store = self.make()
        put(store, decide(case=new_case(wake_at=at(1))))
        assert list(store.due(at(0.999_999), 9)) == []
        assert list(store.due(at(1), 9)) == [row_id("inv_1")]

    def test_a_case_without_a_time_is_never_due(self) -> None:
        """It left the agenda when its `wake_at` became None, or never was on it."""
        store = self.make()
        put(store, decide(case=new_case("inv_1", wake_at=START)))
        put(store, decide(case=new_case("inv_2")))
        _wake(store, "inv_1", None)
        assert list(store.due(at(9999), 9)) == []

    def test_a_case_that_moved_is_due_once(self) -> None:
        """Later, earlier, and back again: it is on the agenda with its last time only."""
        store = self.make()
        put(store, decide(case=new_case(wake_at=at(5))))
        _wake(store, "inv_1", at(50))
        assert list(store.due(at(9), 9)) == []
        _wake(store, "inv_1", at(2))
        _wake(store, "inv_1", at(5))
        assert list(store.due(at(4), 9)) == []
        assert list(store.due(at(99), 9)) == [row_id("inv_1")]

    def test_undone_effects_come_in_order_with_what_was_recorded(self) -> None:
        """Recorded together, they come in the order in which they were decided, whole."""
        store = self.make()
        effects = (nudge("n_2"), nudge("n_1"), nudge("n_3"))
        _record(store, *effects)
        undone = store.undone(at(1), 99)
        assert [entry.effect for entry in undone] == list(effects)
        assert [(entry.tries_count, entry.due_at) for entry in undone] == [(0, at(1))] * 3
        assert [entry.effect for entry in store.undone(at(1), 2)] == [nudge("n_2"), nudge("n_1")]

    def test_undone_effects_of_named_cases_are_found_behind_any_number_of_others(self) -> None:
        """However few are asked for: those of the others do not count."""
        store = self.make()
        for name in ("inv_1", "inv_2", "inv_3"):
            case = new_case(name)
            effects = tuple(alert(f"{name}/{number}", case=name) for number in range(3))
            put(store, decide(case=case, audit=(audit_entry(1, case=name),), effects=effects))
        found = store.undone(at(1), 4, [row_id("inv_2"), row_id("inv_3")])
        assert [one.effect.key for one in found] == ["inv_2/0", "inv_2/1", "inv_2/2", "inv_3/0"]
        assert list(store.undone(at(1), 4, [row_id("inv_4")])) == []
        assert list(store.undone(at(1), 4, [])) == []

    def test_an_effect_is_due_when_it_is_recorded(self) -> None:
        """Each at once, except that a notice waits for its hour."""
        store = self.make()
        _record(store, notice("m_1", at(60)), nudge("n_1"), alert("a_1", at(1)))
        assert _keys(store, at(0.5)) == []
        assert sorted(_keys(store, at(1))) == ["a_1", "n_1"]
        assert _keys(store, at(60))[2:] == ["m_1"]

    def test_what_is_done_is_offered_no_more(self) -> None:
        """Done once; done again or deferred late, it stays done."""
        store = self.make()
        _record(store, nudge("n_1"), nudge("n_2"))
        late = store.undone(at(1), 1)[0]
        store.done("n_1", at(2), "done")
        assert _keys(store, at(9999)) == ["n_2"]
        store.done("n_1", at(3), "again")
        store.defer(late, at(4), "late")
        assert store.claim(late, at(4)) is None
        assert _keys(store, at(9999)) == ["n_2"]

    def test_a_deferred_effect_waits_and_counts_its_tries(self) -> None:
        """It failed twice; it comes back at its new time with two tries."""
        store = self.make()
        _record(store, nudge("n_1"))
        for due, again in ((1, 10), (10, 20)):
            [undone] = store.undone(at(due), 9)
            store.defer(undone, at(again), "no answer")
        assert _keys(store, at(19)) == []
        [undone] = store.undone(at(20), 9)
        assert (undone.tries_count, undone.due_at, undone.note) == (2, at(20), "no answer")

    def test_a_claimed_effect_is_offered_again_when_the_claim_has_passed(self) -> None:
        """Whoever took it died: nobody has it until then, and then it is offered with what the dead one had noted, and without a try more."""
        store = self.make()
        _record(store, nudge("n_1"), nudge("n_2"))
        claimed = store.claim(store.undone(at(1), 9)[0], at(61), "begun")
        assert claimed is not None
        assert (claimed.effect, claimed.due_at, claimed.note) == (nudge("n_1"), at(61), "begun")
        assert _keys(store, at(60)) == ["n_2"]
        assert store.undone(at(61), 9)[-1] == claimed
        assert store.next_due_at() == at(1)

    def test_an_effect_is_claimed_by_one_of_those_who_read_it(self) -> None:
        """The second one is told no; the first goes on holding it, puts it off, and holds it no more."""
        store = self.make()
        _record(store, nudge("n_1"))
        [read] = store.undone(at(1), 9)
        held = store.claim(read, at(61))
        assert held is not None
        assert store.claim(read, at(62)) is None
        longer = store.claim(held, at(90), "sending")
        assert longer is not None
        assert store.claim(held, at(99)) is None
        store.defer(longer, at(70), "no answer")
        assert store.claim(longer, at(99)) is None
        [undone] = store.undone(at(70), 9)
        assert (undone.tries_count, undone.note) == (1, "no answer")

    def test_a_holder_who_comes_late_puts_nothing_off(self) -> None:
        """Its claim has passed and somebody else has the effect: what it says about it counts no more, but for that it is done."""
        store = self.make()
        _record(store, nudge("n_1"))
        late = store.claim(store.undone(at(1), 9)[0], at(61))
        assert late is not None
        held = store.claim(store.undone(at(61), 9)[0], at(121))
        assert held is not None
        store.defer(late, at(62), "no answer")
        assert _keys(store, at(120)) == []
        assert store.undone(at(121), 9) == [held]
        store.done("n_1", at(122), "done")
        assert store.claim(held, at(181)) is None
        assert _keys(store, at(9999)) == []

    def test_a_claim_is_given_back(self) -> None:
        """A process that ends in good order holds it until now: it is due at once, and its note stays."""
        store = self.make()
        _record(store, nudge("n_1"))
        held = store.claim(store.undone(at(1), 9)[0], at(61), "begun")
        assert held is not None
        assert store.claim(held, at(2)) is not None
        assert [(one.due_at, one.note, one.tries_count) for one in store.undone(at(2), 9)] == [(at(2), "begun", 0)]

    def test_what_was_given_up_is_revived_and_nothing_else(self) -> None:
        """With its tries counted anew, and once."""
        store = self.make()
        _record(store, notice("r1", START), notice("r2", START), notice("r3", START))
        lost, sent, waiting = (undone.effect.key for undone in store.undone(START, 9))
        store.done(lost, START, "given up: nobody took it")
        store.done(sent, START, "sent")
        keys = [lost, sent, waiting, "unknown"]
        assert [store.revive(key, "given up: ", at(5)) for key in keys] == [True, False, False, False]
        assert [store.revive(key, "given up: ", at(5)) for key in keys] == [False] * 4
        assert _keys(store, START) == [waiting]
        again = next(one for one in store.undone(at(5), 9) if one.effect.key == lost)
        assert (again.tries_count, again.due_at, again.note) == (0, at(5), "")

    def test_an_unknown_effect_is_left_alone(self) -> None:
        """A key that names nothing: nothing appears."""
        store = self.make()
        store.done("n_9", START, "done")
        unknown = Undone(effect=nudge("n_9"), tries_count=0, due_at=START)
        store.defer(unknown, START, "later")
        assert store.claim(unknown, at(9)) is None
        assert _keys(store, at(9999)) == []

    def test_an_idle_store_has_nothing_coming(self) -> None:
        """No case, no effect, no event: nothing is due, ever."""
        store = self.make()
        assert store.next_due_at() is None
        put(store, decide(case=new_case()))
        assert store.next_due_at() is None

    def test_the_next_instant_is_the_earliest_of_all(self) -> None:
        """A case, an effect and an event; each leaves when it is dealt with, and the next one shows."""
        store = self.make()
        put(store, decide(case=new_case(wake_at=at(30)), effects=(notice("m_1", at(20)),)))
        store.receive([event("evt_1", received_at=at(10))])
        assert store.next_due_at() == at(10)
        store.settle(row_id("evt_1"), settlement(InboundState.WAITING, next_try_at=at(40)))
        assert store.next_due_at() == at(20)
        store.done("m_1", at(20), "sent")
        assert store.next_due_at() == at(30)
        _wake(store, "inv_1", at(50))
        assert store.next_due_at() == at(40)
        store.settle(row_id("evt_1"), settlement(InboundState.APPLIED))
        assert store.next_due_at() == at(50)
        _wake(store, "inv_1", None)
        assert store.next_due_at() is None
