"""Questions that people ask: searches, the ledger, the chain, and what became of each effect and event."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import get_args

from dunr.core.attempt import Attempt
from dunr.core.decision import AuditEntry, Posting
from dunr.core.effects import RecordedEffect
from dunr.core.model import Case, Payer
from dunr.core.snapshot import RawDecline, UnknownCodes
from dunr.core.terms import CaseState, DeclineReason, Outcome
from dunr.core.value import replace
from dunr.metering import AttemptKind, EffectKind, Levels, Metered
from dunr.ports import EffectRecord, InboundState, Refs
from dunr.testing.filled import filled, hollow
from dunr.testing.store_questions.hall import ReportingStore
from dunr.testing.store_rows import (
    alert,
    at,
    attempt_on,
    audit_entry,
    decide,
    event,
    load,
    loaded_case,
    new_case,
    new_customer,
    nudge,
    posting,
    put,
    row_id,
    settlement,
)


def _names(cases: Sequence[Case]) -> list[str]:
    return [case.processor_invoice_id for case in cases]


class ReportingQuestions(ABC):
    """`Reports`: asked of stores that answer people."""

    @abstractmethod
    def make(self) -> ReportingStore:
        """A fresh, empty store."""

    def _make_with_cases(self, *names: str) -> ReportingStore:
        store = self.make()
        for second, name in enumerate(names):
            put(store, decide(case=new_case(name, opened_at=at(second))))
        return store

    def test_cases_come_newest_first_by_pages(self) -> None:
        """Two cases opened at the same instant keep one order, and no case is shown twice or left out."""
        store = self._make_with_cases("b", "a", "c")
        put(store, decide(case=new_case("d", opened_at=at(2))))
        assert _names(store.cases(state=None, text=None, limit=99, after=None)) == ["d", "c", "a", "b"]
        assert _names(store.cases(state=None, text=None, limit=2, after=None)) == ["d", "c"]
        assert _names(store.cases(state=None, text=None, limit=2, after=row_id("d"))) == ["c", "a"]
        assert _names(store.cases(state=None, text=None, limit=2, after=row_id("a"))) == ["b"]
        assert _names(store.cases(state=None, text=None, limit=2, after=row_id("b"))) == []

    def test_cases_are_found_by_state(self) -> None:
        """The state is the one of now, not the one that the case opened with."""
        store = self._make_with_cases("a", "b")
        rows = load(store, "a")
        put(store, decide(case=replace(loaded_case(store, "a"), state=CaseState.RECOVERED)), rows)
        assert _names(store.cases(state="recovered", text=None, limit=9, after=None)) == ["a"]
        assert _names(store.cases(state="scheduled", text=None, limit=9, after=None)) == ["b"]
        assert _names(store.cases(state="closed", text=None, limit=9, after=None)) == []

    def test_cases_are_found_by_their_ids(self) -> None:
        """The beginning of an invoice, subscription or customer id, with or without its prefix, in whichever case; signs stand for themselves."""
        store = self._make_with_cases("inv_A", "invXA")
        put(store, decide(case=replace(new_case("other"), customer_id=row_id("cus_special"))))
        assert _names(store.cases(state=None, text="INV_a", limit=9, after=None)) == ["inv_A"]
        assert _names(store.cases(state=None, text="cus_spec", limit=9, after=None)) == ["other"]
        assert _names(store.cases(state=None, text="SUB_1", limit=9, after=None)) == ["invXA", "other", "inv_A"]
        assert _names(store.cases(state=None, text="special", limit=9, after=None)) == ["other"]
        assert _names(store.cases(state=None, text=row_id("inv_A"), limit=9, after=None)) == ["inv_A"]
        assert _names(store.cases(state="closed", text="SUB_1", limit=9, after=None)) == []
        assert _names(store.cases(state=None, text="SUB_1", limit=1, after=row_id("other"))) == ["inv_A"]
        for nothing in ("%", "_", "ecial", "inv_A_", " "):
            assert _names(store.cases(state=None, text=nothing, limit=9, after=None)) == [], nothing

    def test_cases_are_found_by_the_address_of_their_customer(self) -> None:
        """All of it, in whichever case; also the one that the customer has now. Another address finds nothing."""
        store = self._make_with_cases("a")
        customer = replace(new_customer("cus_ada"), payer=Payer(email="Ada@Example.com"))
        case = replace(new_case("b"), customer_id=customer.id)
        put(store, decide(case=case, customer=customer))
        assert _names(store.cases(state=None, text="ada@example.COM", limit=9, after=None)) == ["b"]
        assert _names(store.cases(state=None, text="da@example.com", limit=9, after=None)) == []
        read = store.load(case.id, Refs())
        put(store, decide(customer=replace(customer, version=1, payer=Payer(email="ada@new.example"))), read)
        assert _names(store.cases(state=None, text="ada@new.example", limit=9, after=None)) == ["b"]

    def test_the_audit_log_is_read_by_time_across_cases(self) -> None:
        """By case and number, a page at a time; the later bound is not included."""
        store = self.make()
        for name, number in (("b", 1), ("a", 2), ("c", 3)):  # the number is the second, too
            put(store, decide(case=new_case(name), audit=(audit_entry(number, case=name),)))
        found = store.audited(at(1), at(3), 9, None)
        assert [entry.case_id for entry in found] == [row_id("a"), row_id("b")]
        assert [entry.case_id for entry in store.audited(at(1), at(9), 1, None)] == [row_id("a")]
        assert [e.case_id for e in store.audited(at(1), at(9), 9, (row_id("a"), 2))] == [row_id("b"), row_id("c")]
        assert not store.audited(at(1), at(9), 9, (row_id("c"), 3))

    def test_postings_come_in_the_order_of_posting(self) -> None:
        """The ledger is read from its start; a case sees its own lines only."""
        store = self.make()
        put(store, decide(case=new_case("a"), postings=(posting("p_2", "a"), posting("p_1", "a"))))
        put(store, decide(case=new_case("b"), postings=(posting("p_3", "b"),)))
        rows = load(store, "a")
        put(store, decide(case=rows.case, postings=(posting("p_0", "a"),)), rows)
        assert [row.id for row in store.postings(None, 99)] == ["p_2", "p_1", "p_3", "p_0"]
        assert [row.id for row in store.postings(row_id("a"), 99)] == ["p_2", "p_1", "p_0"]
        assert [row.id for row in store.postings(None, 2)] == ["p_2", "p_1"]
        assert [row.id for row in store.postings(None, 2, "p_1")] == ["p_3", "p_0"]
        assert [row.id for row in store.postings(row_id("a"), 9, "p_1")] == ["p_0"]
        assert not store.postings(None, 9, "p_0")

    def test_a_posting_is_posted_once(self) -> None:
        """The same entry is decided again: the first stands."""
        store = self.make()
        put(store, decide(case=new_case(), postings=(posting("p_1"),)))
        rows = load(store)
        again = replace(posting("p_1"), kind="again", lines=(("x", 1), ("y", -1)))
        put(store, decide(case=rows.case, postings=(again, posting("p_2"))), rows)
        assert list(store.postings(None, 99)) == [posting("p_1"), posting("p_2")]

    def test_postings_survive_exactly(self) -> None:
        """Accounts, amounts and their order."""
        store = self.make()
        odd, bare = filled(Posting), hollow(Posting)
        put(store, decide(case=new_case(), postings=(odd, bare)))
        assert list(store.postings(None, 99)) == [odd, bare]

    def test_the_chain_is_read_from_its_start(self) -> None:
        """By number, whichever way they were written, and only the case's own."""
        store = self.make()
        put(store, decide(case=new_case(), audit=(audit_entry(2), audit_entry(1), audit_entry(10))))
        put(store, decide(case=new_case("b"), audit=(audit_entry(1, case="b"),)))
        assert [entry.number for entry in store.audit(row_id("inv_1"), 99)] == [1, 2, 10]
        assert list(store.audit(row_id("inv_1"), 1)) == [audit_entry(1)]
        assert list(store.audit(row_id("b"), 99)) == [audit_entry(1, case="b")]

    def test_audit_entries_survive_exactly(self) -> None:
        """The hash is over these words: not one may change."""
        store = self.make()
        odd, bare = filled(AuditEntry), hollow(AuditEntry)
        put(store, decide(case=new_case(), audit=(odd, bare)))
        assert list(store.audit(odd.case_id, 9)) == [odd]
        assert list(store.audit(bare.case_id, 9)) == [bare]

    def test_each_kind_of_effect_survives_exactly(self) -> None:
        """Whatever its kind, filled or bare, the effect that is offered is the one that was decided."""
        store = self.make()
        kinds: tuple[type[RecordedEffect], ...] = get_args(RecordedEffect)
        effects = [
            replace(make(kind), key=f"{kind.__name__} {make.__name__}") for kind in kinds for make in (filled, hollow)
        ]
        put(store, decide(case=new_case(), effects=tuple(effects)))
        records = store.effects(kind=None, case_id=None, limit=99)
        assert [record.effect for record in reversed(records)] == effects

    def test_effects_show_their_fate_newest_first(self) -> None:
        """Waiting, deferred or done; the instant of the decision is in its audit entry."""
        store = self.make()
        effects = (nudge("n_1"), nudge("n_2"), nudge("n_3"))
        put(store, decide(case=new_case(), audit=(audit_entry(7),), effects=effects))
        store.done("n_1", at(9), "sent")
        store.defer(store.undone(at(9), 1)[0], at(20), "no answer")
        assert list(store.effects(kind=None, case_id=None, limit=99)) == [
            EffectRecord(nudge("n_3"), recorded_at=at(7), done_at=None, tries_count=0, note=""),
            EffectRecord(nudge("n_2"), recorded_at=at(7), done_at=None, tries_count=1, note="no answer"),
            EffectRecord(nudge("n_1"), recorded_at=at(7), done_at=at(9), tries_count=0, note="sent"),
        ]

    def test_an_alert_about_no_case_shows_when_it_was_raised(self) -> None:
        """Nothing else of such a decision says when it was made."""
        store = self.make()
        put(store, decide(effects=(alert("a_1", at(7)),)))
        (record,) = store.effects(kind="RaiseAlert", case_id=None, limit=9)
        assert record.recorded_at == at(7)

    def test_effects_are_found_by_kind_and_case(self) -> None:
        """The kind is the name of its class."""
        store = self.make()
        put(store, decide(case=new_case("a"), effects=(nudge("n_1", "a"), nudge("n_2", "a"))))
        put(store, decide(case=new_case("b"), effects=(nudge("n_3", "b"),)))
        assert [record.effect.key for record in store.effects(kind="Nudge", case_id=None, limit=2)] == ["n_3", "n_2"]
        assert list(store.effects(kind="Notice", case_id=None, limit=9)) == []
        assert [record.effect.key for record in store.effects(kind=None, case_id=row_id("a"), limit=9)] == [
            "n_2",
            "n_1",
        ]

    def test_events_come_newest_first_by_state(self) -> None:
        """What a person sees: all, or those that wait, or the dead letters."""
        store = self.make()
        store.receive([event(f"evt_{number}") for number in range(4)])
        store.settle(row_id("evt_1"), settlement(InboundState.DEAD))
        found = [inbound.key for inbound in store.inbounds(state=InboundState.WAITING, limit=2)]
        assert found == [row_id("evt_3"), row_id("evt_2")]
        assert [inbound.key for inbound in store.inbounds(state=InboundState.DEAD, limit=9)] == [row_id("evt_1")]
        assert [inbound.key[-1] for inbound in store.inbounds(state=None, limit=99)] == list("3210")

    def test_a_conflicting_body_is_kept_once(self) -> None:
        """The same id with another body, delivered three times: both bodies can be read, the second as ignored."""
        store = self.make()
        store.receive([event("evt_1", b"first")])
        for _ in range(3):
            store.receive([event("evt_1", b"second")])
        [kept] = store.inbounds(state=InboundState.IGNORED, limit=9)
        assert kept.body == b"second"
        assert kept.note
        assert [inbound.body for inbound in store.inbounds(state=None, limit=9)] == [b"second", b"first"]

    def test_attempts_with_unknown_codes_come_newest_first(self) -> None:
        """What the inbox of unknown codes is made of: only attempts that have one, each with its case."""
        store = self.make()
        unknown = UnknownCodes((("sandbox", "decline_code", "new"),), RawDecline("card_declined", "new"))

        def declined(number: int, second: int, codes: UnknownCodes | None) -> Attempt:
            settled = replace(attempt_on("card_1", number, Outcome.DECLINED), settled_at=at(second))
            return replace(settled, unknown_codes=codes)

        first = (declined(0, 1, unknown), declined(1, 3, None), declined(2, 5, unknown))
        put(store, decide(case=replace(new_case("a"), attempts=first)))
        put(store, decide(case=replace(new_case("b"), attempts=(declined(0, 4, unknown),))))
        found = store.attempts_with_unknown_codes(9)
        assert [(case_id, attempt.number) for case_id, attempt in found] == [
            (row_id("a"), 2),
            (row_id("b"), 0),
            (row_id("a"), 0),
        ]
        assert found[0][1] == first[2]
        assert store.attempts_with_unknown_codes(1) == found[:1]

    # --- figures ----------------------------------------------------------------------------------------------------

    def test_what_waits_is_counted_with_the_time_of_the_oldest(self) -> None:
        store = self.make()
        assert isinstance(store, Metered)
        assert store.levels(at(0)) == Levels(0, None, 0, 0, None, (), ())
        store.receive([event("evt_1", received_at=at(3)), event("evt_2", received_at=at(1)), event("evt_3")])
        store.settle(row_id("evt_3"), settlement(InboundState.DEAD))
        waiting = attempt_on("card_1", outcome=Outcome.UNKNOWN)
        put(store, decide(case=replace(new_case(wake_at=at(5)), attempts=(waiting,)), effects=(alert("a", at(2)),)))
        put(store, decide(case=new_case("inv_2", wake_at=at(50))))
        levels = store.levels(at(10))
        assert (levels.inbounds_count, levels.inbounds_oldest_at, levels.dead_letters_count) == (2, at(1), 1)
        assert (levels.due_cases_count, levels.due_cases_oldest_at) == (1, at(5))
        assert levels.unsettled == (("unknown", 1, at(1)),)
        assert levels.effects == (("RaiseAlert", 1, at(2)),)

    def test_what_ended_is_counted_by_what_may_be_told_apart(self) -> None:
        store = self.make()
        assert isinstance(store, Metered)
        ended = tuple(
            replace(
                attempt_on("card_1", number, Outcome.DECLINED),
                settled_at=at(number),
                after_reason=DeclineReason.UNKNOWN,
            )
            for number in (1, 10, 11)
        )
        put(store, decide(case=replace(new_case(), attempts=ended), effects=(alert("a"), alert("b"), alert("c"))))
        store.done("a", at(1), "sent")
        store.done("b", at(1), "dropped: it would not be true any more")
        store.done("c", at(9), "sent")
        declined = AttemptKind(1, "unknown", "timer", "declined")
        assert store.ended_attempts(at(1), at(11)) == {declined: 1, replace(declined, number=10): 1}
        assert store.ended_attempts(at(0), at(60))[replace(declined, number=10)] == 2  # noqa: PLR2004
        assert store.done_effects(at(1), at(9)) == {
            EffectKind("RaiseAlert", "sent"): 1,
            EffectKind("RaiseAlert", "dropped"): 1,
        }
