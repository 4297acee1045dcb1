"""The automatic brake: counts in, verdict out."""

from datetime import UTC, datetime, timedelta

from dunr.core.brake import (
    GROUPS_MAX,
    USUAL_SENDS_MAX,
    Answer,
    Brake,
    BrakeRule,
    Gauge,
    Group,
    fed,
    held_because,
    lifted,
    tripped,
)
from dunr.core.value import replace

NOW = datetime(2026, 6, 23, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = 60 * MINUTE
RULE = BrakeRule()
GB, DE = Group("visa", "GB"), Group("visa", "DE")
MASTERCARD = Group("mastercard", "GB")
TAKEN, DECLINED, UNKNOWN = Answer.TAKEN, Answer.DECLINED, Answer.UNKNOWN


def after(*told: tuple[Group, Answer, int], gauge: Gauge = Gauge(), at: datetime = NOW) -> Gauge:  # noqa: B008 - a value
    answers = [(group, answer) for group, answer, count in told for _ in range(count)]
    return fed(gauge, answers, RULE, at)


def held(gauge: Gauge, at: datetime = NOW) -> list[Group]:
    return [brake.group for brake in tripped(gauge, RULE, "stripe", at)[1]]


def test_the_usual_day_of_a_dunning_engine_trips_nothing() -> None:
    assert held(after((GB, TAKEN, 40), (GB, DECLINED, 60), (GB, UNKNOWN, 2))) == []


def test_a_few_bad_answers_prove_nothing() -> None:
    assert held(after((GB, UNKNOWN, RULE.sends_min - 1))) == []
    assert held(after((GB, UNKNOWN, RULE.sends_min))) == [GB]


def test_silence_of_the_issuers_of_one_country_holds_them_alone() -> None:
    gauge = after((GB, UNKNOWN, 20), (GB, TAKEN, 20), (DE, TAKEN, 40), (MASTERCARD, TAKEN, 30))
    gauge, [brake] = tripped(gauge, RULE, "stripe", NOW)
    assert brake.group == GB
    assert brake.why == (
        "sending by visa cards issued in GB holds by itself: 20 of 40 charges were unanswered within an hour, where 2% are usual"
    )
    assert (brake.until_at, brake.all_at) == (NOW + 15 * MINUTE, NOW + 75 * MINUTE)
    assert held(gauge) == [], "what a brake explains does not trip a wider one"


def test_declines_far_above_what_is_usual_hold_as_well() -> None:
    assert held(after((GB, DECLINED, 60))) == [GB]
    used_to_it = after((GB, DECLINED, 1500), at=NOW - 3 * HOUR)
    assert held(after((GB, DECLINED, 60), gauge=used_to_it)) == [], "here so many are usual"


def test_two_countries_that_go_wrong_together_are_trouble_of_their_network() -> None:
    gauge = after((GB, UNKNOWN, 30), (DE, UNKNOWN, 30), (MASTERCARD, TAKEN, 50))
    assert held(gauge) == [Group("visa")]


def test_two_networks_that_go_wrong_together_are_trouble_of_the_processor() -> None:
    gauge = after((GB, UNKNOWN, 30), (MASTERCARD, UNKNOWN, 30))
    _, [brake] = tripped(gauge, RULE, "stripe", NOW)
    assert brake.group == Group()
    assert brake.why.startswith("sending by stripe holds by itself: ")


def test_many_small_groups_add_up() -> None:
    countries = [(Group("visa", f"{number:02}"), UNKNOWN, 2) for number in range(20)]
    assert held(after(*countries)) == [Group("visa")]
    networks = [(Group(f"network {number}"), UNKNOWN, 2) for number in range(20)]
    assert held(after(*networks, (Group(), UNKNOWN, 2))) == [Group()]


def test_what_is_older_than_an_hour_is_what_is_usual_and_fades() -> None:
    gauge = after((GB, UNKNOWN, 29))
    assert held(after((GB, UNKNOWN, 1), gauge=gauge, at=NOW + 61 * MINUTE), NOW + 61 * MINUTE) == []
    assert held(after((GB, UNKNOWN, 1), gauge=gauge, at=NOW + 59 * MINUTE), NOW + 59 * MINUTE) == [GB]
    for hours in range(1, 9):
        gauge = after((GB, TAKEN, 500), gauge=gauge, at=NOW + hours * 2 * HOUR)
    [usual] = gauge.usual
    assert usual.counts.sent == USUAL_SENDS_MAX
    assert usual.counts.unknown < 29


def test_what_is_kept_is_bounded() -> None:
    gauge = after(*((Group("visa", f"{number:03}"), TAKEN, number + 1) for number in range(2 * GROUPS_MAX)))
    for minutes in range(0, 300, 5):
        gauge = after((GB, TAKEN, 1), gauge=gauge, at=NOW + minutes * MINUTE)
    assert len(gauge.slots) == RULE.slots
    assert len(gauge.usual) <= GROUPS_MAX + 1
    assert sum(one.counts.sent for one in gauge.usual) > 2000, "the smallest are counted without their names"


def test_what_trips_again_soon_holds_twice_as_long_up_to_a_limit() -> None:
    gauge, at, lengths = Gauge(), NOW, list[timedelta]()
    for _ in range(7):
        gauge, [brake] = tripped(after((GB, UNKNOWN, 30), gauge=gauge, at=at), RULE, "stripe", at)
        lengths.append(brake.until_at - at)
        at = brake.all_at
    assert [length // (15 * MINUTE) for length in lengths] == [1, 2, 4, 8, 16, 16, 16]
    gauge = after((GB, TAKEN, 1), gauge=gauge, at=at + 3 * HOUR)
    assert gauge.brakes == (), "after a good while it is forgotten"


def test_another_brake_leaves_the_first_on() -> None:
    gauge, _ = tripped(after((GB, UNKNOWN, 30)), RULE, "stripe", NOW)
    gauge, _ = tripped(after((MASTERCARD, UNKNOWN, 30), gauge=gauge), RULE, "stripe", NOW)
    assert [brake.group for brake in gauge.brakes] == [GB, MASTERCARD]


def test_a_brake_holds_its_group_and_then_lets_go_case_by_case() -> None:
    brake = Brake(Group("visa"), "held", NOW, NOW + HOUR)
    cases = [f"sandbox:acct:in_{number}" for number in range(400)]

    def free(at: datetime, group: Group | None = GB) -> set[str]:
        return {case for case in cases if not held_because((brake,), group, case, at)}

    assert free(NOW - MINUTE) == set()
    assert free(NOW - MINUTE, MASTERCARD) == set(cases)
    assert free(NOW - MINUTE, None) == set(cases)
    quarter, half = free(NOW + 15 * MINUTE), free(NOW + 30 * MINUTE)
    assert 60 < len(quarter) < 140
    assert 150 < len(half) < 250
    assert quarter < half, "whoever goes on is not stopped again"
    assert free(NOW + HOUR) == set(cases)
    everything = Brake(Group(), "held", NOW, NOW + HOUR)
    assert held_because((everything,), None, cases[0], NOW - MINUTE) == ("held",)


def test_a_person_lifts_one_brake_and_the_next_time_it_still_holds_longer() -> None:
    gauge, [brake] = tripped(after((GB, UNKNOWN, 40)), RULE, "stripe", NOW)
    other = replace(brake, group=MASTERCARD)
    free, held_on = lifted((brake, other), GB, NOW + MINUTE)
    assert held_on == other
    assert held_because((free,), GB, "case", NOW + MINUTE) == ()
    gauge = replace(gauge, brakes=(free,))
    _, [again] = tripped(after((GB, UNKNOWN, 40), gauge=gauge, at=NOW + 2 * MINUTE), RULE, "stripe", NOW + 2 * MINUTE)
    assert again.times == 2
    assert lifted((free,), GB, NOW + HOUR) == (free,), "what has let go stays so"
