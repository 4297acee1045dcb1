"""The automatic brake: when answers of a processor, a network or the issuers of a country leave their usual band, sending there holds, and resumes spread out.

Counts go in, a verdict comes out. They are kept for each network and country of issue: the last hour in slots, and what was usual before in totals that fade. A
network is the sum of its countries, and the processor that of its networks. The smallest group that explains the trouble is held; two that go wrong together
are trouble of what they have in common. What is held is no step spent and nobody's pause.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from math import sqrt

from dunr.core.spreading import share_of
from dunr.core.value import Value, replace

GROUPS_MAX = 60  # beyond so many the rest counts as one without a name
USUAL_SENDS_MAX = 2000  # older answers fade once there are so many newer ones
PRIOR_SENDS = 50  # what is believed of a group before it has answers of its own weighs as much as so many
PRIOR_DECLINED = 0.6  # most retries are declined
PRIOR_UNKNOWN = 0.02
HOLDS_DOUBLE_MAX = 4  # a brake that trips again and again holds sixteen times as long at most


class BrakeRule(Value):
    """When the brake trips, and for how long. Rates are shares of all answers of the last hour."""

    sends_min: int = 30  # fewer answers prove nothing
    decline_above: float = 0.25  # so far above the usual rate
    unknown_above: float = 0.15
    deviations: float = 4.0  # and by so many standard deviations, so that chance alone does not trip it
    slot_minutes: int = 5
    slots: int = 12
    hold_minutes: int = 15
    resume_minutes: int = 60  # over which sending comes back, case by case


class Answer(StrEnum):
    """What a charge came to, as far as the brake cares."""

    TAKEN = "taken"  # paid, or pending
    DECLINED = "declined"
    UNKNOWN = "unknown"


class Group(Value):
    """What is counted, and what may be held. None: all of them."""

    network: str | None = None
    country: str | None = None

    def holds(self, other: "Group") -> bool:
        """Whether the other one is part of this."""
        return self.network in (None, other.network) and self.country in (None, other.country)

    def said(self, processor: str) -> str:
        """Its name for people."""
        if self.network is None:
            return processor
        return self.network if self.country is None else f"{self.network} cards issued in {self.country}"


class Counts(Value):
    """Answers."""

    sent: float = 0
    declined: float = 0
    unknown: float = 0

    def plus(self, other: "Counts", weight: float = 1.0) -> "Counts":
        """Both together."""
        return Counts(
            self.sent + weight * other.sent,
            self.declined + weight * other.declined,
            self.unknown + weight * other.unknown,
        )


ONE = {Answer.TAKEN: Counts(1), Answer.DECLINED: Counts(1, declined=1), Answer.UNKNOWN: Counts(1, unknown=1)}
PRIOR = Counts(PRIOR_SENDS, PRIOR_SENDS * PRIOR_DECLINED, PRIOR_SENDS * PRIOR_UNKNOWN)


class Counted(Value):
    """The answers of one network and country of issue."""

    group: Group
    counts: Counts


class Slot(Value):
    """The answers of a few minutes."""

    begun_at: datetime
    counted: tuple[Counted, ...]


class Brake(Value):
    """One group that is held: nothing until `until_at`, then case by case until `all_at`. `times` counts how often in a row."""

    group: Group
    why: str
    until_at: datetime
    all_at: datetime
    times: int = 1


class Gauge(Value):
    """Everything that is known of one account of a processor. Bounded, however many cases it has."""

    slots: tuple[Slot, ...] = ()
    usual: tuple[Counted, ...] = ()
    brakes: tuple[Brake, ...] = ()


def fed(gauge: Gauge, answers: Sequence[tuple[Group, Answer]], rule: BrakeRule, now: datetime) -> Gauge:
    """The gauge with new answers counted. What is older than the window becomes what is usual."""
    width = timedelta(minutes=rule.slot_minutes)
    oldest = now - rule.slots * width
    passed = [slot for slot in gauge.slots if slot.begun_at <= oldest]
    slots = [slot for slot in gauge.slots if slot.begun_at > oldest]
    if not slots or now - slots[-1].begun_at >= width:
        slots.append(Slot(now, ()))
    new = tuple(Counted(group, ONE[answer]) for group, answer in answers)
    slots[-1] = replace(slots[-1], counted=_summed((*slots[-1].counted, *new)))
    usual = _summed((*gauge.usual, *(one for slot in passed for one in slot.counted)))
    brakes = tuple(brake for brake in gauge.brakes if brake.all_at + rule.slots * width > now)
    return Gauge(tuple(slots), _faded(usual), brakes)


def tripped(gauge: Gauge, rule: BrakeRule, processor: str, now: datetime) -> tuple[Gauge, tuple[Brake, ...]]:
    """The brakes that trip now, and the gauge with them; what they explain is not counted again."""
    recent = _summed(one for slot in gauge.slots for one in slot.counted)
    bad: dict[Group, str] = {}
    for group in sorted((one.group for one in recent if one.group.country is not None), key=_name):
        _judge(bad, gauge, recent, group, rule)
    networks = sorted({Group(one.group.network) for one in recent if one.group.network is not None}, key=_name)
    for group in networks:
        _joined(bad, group)
        _judge(bad, gauge, _without(recent, bad), group, rule)
    _judge(bad, gauge, _without(recent, bad), Group(), rule)
    _joined(bad, Group())
    brakes = tuple(_brake(gauge, group, why, rule, processor, now) for group, why in sorted(bad.items(), key=_key))
    if not brakes:
        return gauge, ()
    slots = tuple(replace(slot, counted=_without(slot.counted, bad)) for slot in gauge.slots)
    older = tuple(one for one in gauge.brakes if one.group not in bad)
    return replace(gauge, slots=slots, brakes=(*older, *brakes)), brakes


def held_because(brakes: Sequence[Brake], group: Group | None, case_id: str, now: datetime) -> tuple[str, ...]:
    """Why nothing is sent for this case now. Without its group only what holds everything counts."""
    reasons = []
    for brake in brakes:
        if not brake.group.holds(group or Group()):
            continue
        if now < brake.until_at:
            reasons.append(brake.why)
        elif now < brake.all_at and share_of(case_id) > (now - brake.until_at) / (brake.all_at - brake.until_at):
            reasons.append(f"{brake.why}; sending resumes spread out, and this case is not yet among those that go on")
    return tuple(reasons)


def lifted(brakes: Sequence[Brake], group: Group, now: datetime) -> tuple[Brake, ...]:
    """The brakes after a person has lifted one: it lets go now, and is still counted where it trips again."""
    return tuple(
        replace(brake, until_at=min(brake.until_at, now), all_at=min(brake.all_at, now))
        if brake.group == group
        else brake
        for brake in brakes
    )


def _judge(bad: dict[Group, str], gauge: Gauge, counted: Iterable[Counted], group: Group, rule: BrakeRule) -> None:
    """Add a group where it is out of its band and not held with a larger one already."""
    why = _out_of_band(gauge, counted, group, rule)
    if why is not None and group not in bad:
        bad[group] = why


def _joined(bad: dict[Group, str], parent: Group) -> None:
    """Two parts that go wrong together are trouble of the whole."""
    parts = sorted((group for group in bad if parent.holds(group)), key=_name)
    if len(parts) > 1:
        bad[parent] = "; ".join([bad.pop(group) for group in parts][:2])


def _out_of_band(gauge: Gauge, recent: Iterable[Counted], group: Group, rule: BrakeRule) -> str | None:
    """What has left its usual band, in words."""
    counts = _total(recent, group)
    if counts.sent < rule.sends_min:
        return None
    usual = _total(gauge.usual, group).plus(PRIOR)
    for word, now_count, usual_count, above in (
        ("unanswered", counts.unknown, usual.unknown, rule.unknown_above),
        ("declined", counts.declined, usual.declined, rule.decline_above),
    ):
        rate, expected = now_count / counts.sent, usual_count / usual.sent
        chance = rule.deviations * sqrt(expected * (1 - expected) / counts.sent)
        if rate >= expected + max(above, chance):
            return f"{now_count:.0f} of {counts.sent:.0f} charges were {word} within an hour, where {expected:.0%} are usual"
    return None


def _brake(gauge: Gauge, group: Group, why: str, rule: BrakeRule, processor: str, now: datetime) -> Brake:
    """Held, and twice as long each time that it happens again soon after."""
    before = next((one for one in gauge.brakes if one.group == group), None)
    times = 1 if before is None else before.times + 1
    until_at = now + timedelta(minutes=rule.hold_minutes) * 2 ** min(times - 1, HOLDS_DOUBLE_MAX)
    text = f"sending by {group.said(processor)} holds by itself: {why}"
    return Brake(group, text, until_at, until_at + timedelta(minutes=rule.resume_minutes), times)


def _total(counted: Iterable[Counted], group: Group) -> Counts:
    total = Counts()
    for one in counted:
        if group.holds(one.group):
            total = total.plus(one.counts)
    return total


def _summed(counted: Iterable[Counted]) -> tuple[Counted, ...]:
    """One entry for each group; the smallest of too many count as one without a name."""
    totals: dict[Group, Counts] = {}
    for one in counted:
        totals[one.group] = totals.get(one.group, Counts()).plus(one.counts)
    for group in sorted(totals, key=lambda name: totals[name].sent)[: max(0, len(totals) - GROUPS_MAX)]:
        totals[Group()] = totals.get(Group(), Counts()).plus(totals.pop(group))
    return tuple(Counted(group, counts) for group, counts in totals.items())


def _faded(usual: Iterable[Counted]) -> tuple[Counted, ...]:
    return tuple(
        replace(one, counts=Counts().plus(one.counts, min(1.0, USUAL_SENDS_MAX / max(one.counts.sent, 1))))
        for one in usual
    )


def _without(counted: Iterable[Counted], bad: Iterable[Group]) -> tuple[Counted, ...]:
    groups = tuple(bad)
    return tuple(one for one in counted if not any(group.holds(one.group) for group in groups))


def _name(group: Group) -> tuple[str, str]:
    return group.network or "", group.country or ""


def _key(entry: tuple[Group, str]) -> tuple[str, str]:
    return _name(entry[0])
