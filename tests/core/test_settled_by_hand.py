"""A person says what became of an attempt that nobody else could settle."""

from dunr.core.events import AttemptSettledByHand
from dunr.core.gate import is_believed
from dunr.core.snapshot import ChargeSnapshot
from dunr.core.terms import CaseState, ChargeStatus
from dunr.core.value import replace
from tests.core.world import story, utc

UNTIL_ATTEMPT_2 = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-29 09:00  step 2 sent
"""


def test_a_person_settles_with_evidence_and_late_money_is_still_booked() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer
    2026-06-29 09:30  operator settles attempt 1 as captured
                      answered 409
    2026-06-29 09:30  operator settles attempt 2 as not captured
                      attempt 2 withdrawn; call left
    2026-06-29 09:31  no answer
    2026-06-29 09:40  attempt 2 paid
                      attempt 2 succeeded; state recovered; in flight 3 unknown; alert late_money; notice receipt
    2026-06-29 09:50  attempt 3 paid
                      overpaid 4900; alert overpaid; booked opened 4900, recovered 4900, overpaid 4900
    """
    )


def test_nobody_settles_what_is_being_sent_at_this_moment() -> None:
    # With the step given back, the next attempt would leave beside the one that is on its way.
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:02  operator settles attempt 2 as not captured
                      answered 409; in flight 2
    2026-06-29 09:00:20  no answer; look-ups find nothing
    2026-06-29 09:01:20  sent again; operator settles attempt 2 as not captured
                      answered 409; in flight 2 unknown
    2026-06-29 09:01:30  paid
                      attempt 2 succeeded; state recovered; booked opened 4900, recovered 4900; notice receipt
    """
    )


def test_a_person_settles_as_captured() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer
    2026-06-29 09:30  marked as paid (unseen); operator settles attempt 2 as captured
                      attempt 2 succeeded; state recovered; notice receipt
    2026-06-29 09:31  somebody looks
                      state recovered; booked opened 4900, recovered 4900
    """
    )


def test_a_charge_that_the_processor_does_not_show_is_not_taken_for_the_attempt_s() -> None:
    # It would be looked for in every later snapshot, and none would be believed any more.
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer
    2026-06-29 09:30  operator settles attempt 2 as captured by ch_of_another_invoice
                      answered 422; in flight 2 unknown
    """
    )


def test_a_charge_that_is_named_while_nobody_can_look_counts_once_when_it_shows_and_blinds_nobody_until_then() -> None:
    world = story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer
    """
    )
    world.now = utc("2026-06-29 09:30")
    world.decide("in_1", AttemptSettledByHand("alex", 2, True, "the console", "ch_late"), None)
    case, seen = world.case("in_1"), world.snapshot("in_1")
    assert case is not None
    assert (case.state, case.captured_minor, is_believed(case, seen)) == (CaseState.RECOVERED, 4900, True)
    late = ChargeSnapshot("ch_late", None, 4900, ChargeStatus.SUCCEEDED, world.now, card_key="card_1")
    world.read("in_1", replace(seen, charges=(*seen.charges, late)))
    case = world.case("in_1")
    assert case is not None
    assert (case.captured_minor, case.overpaid_minor) == (4900, 0)


def test_a_charge_that_was_taken_for_somebody_else_s_is_named_as_ours_and_counts_once() -> None:
    world = story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer
    """
    )
    world.now = utc("2026-06-29 09:30")
    seen = world.snapshot("in_1")
    nameless = ChargeSnapshot("ch_77", None, 4900, ChargeStatus.SUCCEEDED, world.now, card_key="card_1")
    shown = replace(seen, charges=(*seen.charges, nameless))
    world.read("in_1", shown)
    world.decide("in_1", AttemptSettledByHand("alex", 2, True, "the console", "ch_77"), shown)
    case = world.case("in_1")
    assert case is not None
    assert (case.attempts[-1].processor_charge_id, case.in_flight) == ("ch_77", None)
    assert (case.captured_minor, case.overpaid_minor) == (4900, 0)


def test_a_charge_that_nobody_named_counts_once_when_a_processor_without_our_key_shows_it() -> None:
    """Two payments of the same amount are still two: the oldest is the attempt's, and the other is too much."""
    world = story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer
    """
    )
    world.now = utc("2026-06-29 09:30")
    world.decide("in_1", AttemptSettledByHand("alex", 2, True, "the console", None), world.snapshot("in_1"))
    seen, at = world.snapshot("in_1"), utc("2026-06-29 09:00:05")
    ours = ChargeSnapshot("ch_ours", None, 4900, ChargeStatus.SUCCEEDED, at, card_key="card_1")
    part = replace(ours, processor_charge_id="ch_part", amount_minor=100)
    for shown in (ours, replace(ours, refunded_minor=900)):
        world.read("in_1", replace(seen, charges=(*seen.charges, shown)))
        case = world.case("in_1")
        assert case is not None
        assert (case.captured_minor, case.overpaid_minor) == (4900, 0)
        assert case.refunded == ((("ch_ours", 900),) if shown.refunded_minor else ())
    other = replace(ours, processor_charge_id="ch_other", at=utc("2026-06-29 09:20"))
    world.read("in_1", replace(seen, charges=(*seen.charges, other, part, ours)))
    case = world.case("in_1")
    assert case is not None
    assert case.overpaid_minor == 5000
