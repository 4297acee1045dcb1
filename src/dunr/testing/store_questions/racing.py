"""Questions that many threads ask at once: one writer wins, nothing is lost, and no reader sees half a commit."""

from functools import partial
from threading import Event

from dunr.core.model import Case, Subscription
from dunr.core.value import replace
from dunr.ports import Change, Refs, Store
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
    new_subscription,
    put,
    row_id,
)
from dunr.testing.together import together

THREADS = 8
ROUNDS = 25


def _raise_amount(store: Store, times: int) -> int:
    """Load, add one, commit, again where it was stale; how often it was."""
    stale = 0
    for _ in range(times):
        while True:
            rows = load(store)
            assert rows.case is not None
            case = replace(rows.case, amount_due_minor=rows.case.amount_due_minor + 1)
            if list(store.commit([Change(rows, decide(case=case))])) == [True]:
                break
            stale += 1
    return stale


def _write_pairs(store: Store, done: Event) -> int:
    """Write the same number into a case and its subscription, in one commit each time."""
    for number in range(1, 150):
        rows = load(store)
        assert rows.case is not None
        assert rows.subscription is not None
        case = replace(rows.case, amount_due_minor=number)
        put(store, decide(case=case, subscription=replace(rows.subscription, access_version=number)), rows)
    done.set()
    return 0


def _count_torn_reads(store: Store, done: Event) -> int:
    """How many reads show a case from one commit and a subscription from another."""
    torn = 0
    while not done.is_set():
        rows = store.load(row_id("inv_1"), Refs())
        assert isinstance(rows.case, Case)
        assert isinstance(rows.subscription, Subscription)
        torn += rows.case.amount_due_minor != rows.subscription.access_version
        torn += rows.case.version != rows.subscription.version
    return torn


def _lengthen_chain(store: Store, name: str) -> None:
    """Add entries to the audit chain of a case, each on the head that was read."""
    for _ in range(ROUNDS // 5):
        while True:
            rows = load(store)
            assert rows.case is not None
            number, head = rows.case.audit_count + 1, f"{rows.case.audit_count + 1} by {name}"
            entry = audit_entry(number, fingerprint=head, previous=rows.case.audit_head)
            case = replace(rows.case, audit_count=number, audit_head=head)
            if list(store.commit([Change(rows, decide(case=case, audit=(entry,)))])) == [True]:
                break


class RacingQuestions(Hall):
    """Everything at once."""

    def test_of_eight_that_create_a_case_one_wins(self) -> None:
        """The failure event arrives eight times at once; the case is opened once, by one of them, whole."""
        store = self.make()
        cases = [replace(new_case(), amount_due_minor=number) for number in range(THREADS)]
        answers = together([partial(store.commit, [Change(NOTHING, decide(case=case))]) for case in cases])
        won = [list(answer) == [True] for answer in answers]
        assert won.count(True) == 1
        assert loaded_case(store) == replace(cases[won.index(True)], version=1)

    def test_eight_that_count_lose_nothing(self) -> None:
        """Load, add one, commit, again where stale: two hundred times, and the sum is right."""
        store = self.make()
        put(store, decide(case=replace(new_case(), amount_due_minor=0)))
        together([partial(_raise_amount, store, ROUNDS) for _ in range(THREADS)])
        case = loaded_case(store)
        assert case.amount_due_minor == THREADS * ROUNDS
        assert case.version == THREADS * ROUNDS + 1

    def test_a_reader_never_sees_half_a_commit(self) -> None:
        """One thread writes case and subscription together, seven read both: they always match."""
        store = self.make()
        pair = decide(case=replace(new_case(), amount_due_minor=0), subscription=new_subscription())
        put(store, pair)
        done = Event()
        readers = [partial(_count_torn_reads, store, done) for _ in range(THREADS - 1)]
        assert together([partial(_write_pairs, store, done), *readers]) == [0] * THREADS

    def test_eight_that_write_apart_do_not_disturb_each_other(self) -> None:
        """Different cases share no row: none of them is stale."""
        store = self.make()

        def open_cases(thread: int) -> list[bool]:
            changes = [Change(NOTHING, decide(case=new_case(f"inv_{thread}_{n}", wake_at=START))) for n in range(5)]
            return [answer for change in changes for answer in store.commit([change])]

        answers = together([partial(open_cases, thread) for thread in range(THREADS)])
        assert answers == [[True] * 5] * THREADS
        assert len(store.due(START, 99)) == THREADS * 5

    def test_eight_that_raise_one_alert_raise_it_once(self) -> None:
        """The key of an effect makes a repeat the same effect, even at the same moment."""
        store = self.make()
        changes = [Change(NOTHING, decide(case=new_case(f"inv_{n}"), effects=(alert("a_1"),))) for n in range(THREADS)]
        answers = together([partial(store.commit, [change]) for change in changes])
        assert [list(answer) for answer in answers] == [[True]] * THREADS
        assert [undone.effect for undone in store.undone(START, 99)] == [alert("a_1")]

    def test_of_eight_that_claim_an_effect_one_gets_it(self) -> None:
        """All have read it; again for each of twenty-five effects."""
        store = self.make()
        alerts = tuple(alert(f"a_{number}") for number in range(ROUNDS))
        put(store, decide(effects=alerts))
        read = store.undone(START, ROUNDS)
        assert len(read) == ROUNDS

        def claim(_: int) -> list[bool]:
            return [store.claim(undone, at(60)) is not None for undone in read]

        answers = together([partial(claim, thread) for thread in range(THREADS)])
        assert [sum(got) for got in zip(*answers, strict=True)] == [1] * ROUNDS

    def test_eight_that_write_one_chain_keep_it_whole(self) -> None:
        """Each entry follows the one before it; the head on the case is the last one's hash."""
        store = self.make()
        put(store, decide(case=new_case()))
        together([partial(_lengthen_chain, store, f"thread {thread}") for thread in range(THREADS)])
        case = loaded_case(store)
        assert case.audit_count == THREADS * (ROUNDS // 5)
        assert case.version == case.audit_count + 1
        again = audit_entry(case.audit_count, fingerprint=case.audit_head)
        assert list(store.commit([Change(load(store), decide(case=case, audit=(again,)))])) == [True]
