"""A code that no table knows: it is listed with what it probably means, and a person gives it its meaning, which counts at once."""

import pytest

from dunr.adapters.stores.memory import MemoryStore
from dunr.core.attempt import Attempt
from dunr.core.declines import classify
from dunr.core.snapshot import RawDecline, UnknownCodes
from dunr.core.terms import DeclineReason, Outcome
from dunr.core.value import replace
from dunr.errors import BadRequest
from dunr.facts.load import load_facts
from dunr.mappings import StoredMappings
from dunr.testing.store_rows import at, attempt_on, decide, new_case, put, row_id
from dunr.unknown_declines import unknown_declines

NEW = ("sandbox", "decline_code", "brand_new")
KNOWN = load_facts()


def meaning(mappings: StoredMappings) -> DeclineReason:
    mappings.stored()
    return classify(RawDecline("card_declined", "brand_new"), "sandbox", mappings.over(KNOWN)).reason


def test_a_meaning_counts_at_once_in_every_process_and_can_be_taken_away() -> None:
    store = MemoryStore()
    here, elsewhere = StoredMappings(store, {}), StoredMappings(store, {})
    assert meaning(here) is meaning(elsewhere) is DeclineReason.UNKNOWN
    here.put(NEW, DeclineReason.DO_NOT_HONOR)
    assert meaning(here) is meaning(elsewhere) is DeclineReason.DO_NOT_HONOR
    elsewhere.put(NEW, DeclineReason.EXPIRED_CARD)
    assert meaning(here) is DeclineReason.EXPIRED_CARD
    here.remove(NEW)
    assert meaning(here) is meaning(elsewhere) is DeclineReason.UNKNOWN


def test_the_facts_are_laid_over_once_for_each_change() -> None:
    mappings = StoredMappings(MemoryStore(), {})
    assert mappings.over(KNOWN) is KNOWN
    mappings.put(NEW, DeclineReason.DO_NOT_HONOR)
    mappings.stored()
    assert mappings.over(KNOWN) is mappings.over(KNOWN)


def test_what_the_settings_say_is_changed_in_the_settings() -> None:
    store = MemoryStore()
    StoredMappings(store, {}).put(NEW, DeclineReason.DO_NOT_HONOR)
    given = StoredMappings(store, {NEW: DeclineReason.VELOCITY_LIMIT})
    known = load_facts(merchant_declines=given.given)
    given.stored()
    raw = RawDecline("card_declined", "brand_new")
    assert classify(raw, "sandbox", given.over(known)).reason is DeclineReason.VELOCITY_LIMIT
    in_the_file = r"is in \[declines\] of dunr.toml as velocity_limit: change it there"
    with pytest.raises(BadRequest, match=in_the_file):
        given.put(NEW, DeclineReason.DO_NOT_HONOR)
    with pytest.raises(BadRequest, match=in_the_file):
        given.remove(NEW)


def test_a_key_that_no_decline_has_is_refused_and_so_is_taking_away_what_is_not_there() -> None:
    mappings = StoredMappings(MemoryStore(), {})
    with pytest.raises(BadRequest, match="names no field of a decline"):
        mappings.put(("sandbox", "reason", "x"), DeclineReason.DO_NOT_HONOR)
    with pytest.raises(BadRequest, match="was given no meaning"):
        mappings.remove(NEW)
    with pytest.raises(BadRequest, match="'strip', which is neither a processor in use nor a network: write stripe"):
        mappings.put(("strip", "decline_code", "new"), DeclineReason.DO_NOT_HONOR)


def _declined(number: int, second: int, raw: RawDecline, *keys: tuple[str, str, str]) -> Attempt:
    settled = replace(attempt_on("card_1", number, Outcome.DECLINED), settled_at=at(second))
    return replace(settled, reason=DeclineReason.UNKNOWN, unknown_codes=UnknownCodes(keys, raw) if keys else None)


def test_the_inbox_counts_each_code_and_proposes_a_meaning() -> None:
    store = MemoryStore()
    spelled, number = ("sandbox", "decline_code", "card_has_expired"), ("visa", "network_decline_code", "Q9")
    raw = RawDecline("card_declined", "card_has_expired", network_decline_code="Q9", network="visa")
    first = (_declined(0, 1, raw, spelled, number), _declined(1, 3, RawDecline("x")), _declined(2, 5, raw, spelled))
    put(store, decide(case=replace(new_case("a"), attempts=first)))
    put(store, decide(case=replace(new_case("b"), attempts=(_declined(0, 9, raw, spelled),))))
    often, once = unknown_declines(store, KNOWN, 10)
    assert (often.processor, often.field, often.code) == spelled
    assert (often.count, often.first_at, often.last_at, often.case_id) == (3, at(1), at(9), row_id("b"))
    assert often.sample == {
        "code": "card_declined",
        "decline_code": "card_has_expired",
        "network_decline_code": "Q9",
        "network": "visa",
    }
    assert often.counted_as is DeclineReason.UNKNOWN
    assert often.proposal is not None
    assert often.proposal.reason is DeclineReason.EXPIRED_CARD
    assert (once.code, once.count, once.proposal) == ("Q9", 1, None)
    assert unknown_declines(store, KNOWN, 1) == (often,)
    mapped = load_facts(merchant_declines={spelled: DeclineReason.EXPIRED_CARD})
    assert [row.code for row in unknown_declines(store, mapped, 10)] == ["Q9"]
