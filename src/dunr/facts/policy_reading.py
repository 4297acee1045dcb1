"""One policy out of a table of TOML: its keys are the fields of `Policy`, and what is left out has the value of the unconfigured policy.

With `based_on` it has the value of the policy that ships under that name instead. A key that nobody knows, a value of the wrong kind and a name that means
nothing are complaints; all of them are found in one reading.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, get_type_hints

import msgspec

from dunr.core.policy import Policy, ReasonRule, Step, Strategy, Window
from dunr.core.strategies import LADDERS
from dunr.core.terms import Coexistence, DeclineReason, FinalAction, RestoreOn, StepUnit, WhilePaused
from dunr.core.value import replace
from dunr.facts.complaints import Complaint, shown
from dunr.facts.toml_lines import Path

Bases = Mapping[str, Callable[[], Policy]]  # the policies that ship; each is read when one is based on it

BASED_ON = "based_on"
NAME_LENGTH_MAX = 100
NOT_IN_A_NAME = frozenset("#/\\")
A_LADDER = '[{after = 1, unit = "business_days"}, {after = 3, unit = "business_days"}]'
EXAMPLES = {
    "name": 'name = "gentle_with_us"',
    "timezone": 'timezone = "Europe/London"',
    "at_hour": "at_hour = 9",
    "at_minute": "at_minute = 30",
    "calendar": 'calendar = "DE-BY"',
    "strategy": 'strategy = "standard"',
    "steps": f"steps = {A_LADDER}",
    "window": "window = {from_hour = 9, until_hour = 18, weekdays_only = true}",
    "snap": "snap = true",
    "reasons": "reasons.insufficient_funds = {steps_max = 2}",
    "attempts_max": "attempts_max = 12",
    "floor": f"floor = {A_LADDER}",
    "deadline_days": "deadline_days = 21",
    "final_action": 'final_action = "pause"',
    "restore_on": 'restore_on = "payment"',
    "while_paused": 'while_paused = "first_charge_only"',
    "first_notice_after_first_retry": "first_notice_after_first_retry = true",
    "receipts": "receipts = false",
    "mail_from_hour": "mail_from_hour = 8",
    "mail_until_hour": "mail_until_hour = 20",
    "customer_attempts_max": "customer_attempts_max = 5",
    "card_attempts_24h_max": "card_attempts_24h_max = 10",
    "card_attempts_30d_max": "card_attempts_30d_max = 15",
    "acquirer_allows": 'acquirer_allows = ["visa-20-in-30-days"]',
    "promise_days_max": "promise_days_max = 14",
    "backup_methods": "backup_methods = true",
    "card_expiring_notice_days": "card_expiring_notice_days = 14",
    "coexistence": 'coexistence = "observe"',
    "take_over_percent": "take_over_percent = 10",
    "spread_minutes": "spread_minutes = 180",
    "notices_beside_processor": "notices_beside_processor = true",
    "brand": 'brand = "premium"',
    BASED_ON: 'based_on = "by_reason"',
}
CHOICES: Mapping[str, type[StrEnum]] = {
    "unit": StepUnit,
    "strategy": Strategy,
    "final_action": FinalAction,
    "restore_on": RestoreOn,
    "while_paused": WhilePaused,
    "coexistence": Coexistence,
}
REASONS = tuple(str(reason) for reason in DeclineReason)
PLACE = re.compile(r" - at `\$(?P<place>[^`]*)`$")  # where in the value, as msgspec says it
WRONG_KIND = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<given>[^`]+)`")
MISSING = re.compile(r"Object missing required field `(?P<field>\w+)`")
KINDS = {
    "int": "a whole number",
    "float": "a number with a fraction",
    "bool": "true or false",
    "str": "text in quotes",
    "array": "a list",
    "object": "a table",
    "date": "a date",
    "time": "a time of day",
    "datetime": "an instant",
}


def is_policy_key(key: str) -> bool:
    """Whether a setting belongs to one policy."""
    return key in EXAMPLES


def read_policy(table: Mapping[str, object], path: Path, name: str, bases: Bases) -> tuple[Policy, list[Complaint]]:
    """The policy of a table that stands at `path`, and what is wrong with it; a setting with a complaint has the value of its base. `bases` are those that ship."""
    complaints = list(_unknown_keys(table, path))
    base = replace(_base(table, path, bases, complaints), name=name)
    kinds = get_type_hints(Policy)
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key in kinds and key != "reasons":
            found = _converted(value, kinds[key], (*path, key), complaints)
            if found is not msgspec.UNSET:
                values[key] = found
    if "strategy" in values and "steps" not in table:
        values["steps"] = LADDERS[Strategy(str(values["strategy"]))]
    elif "steps" in values and "strategy" not in table and values["steps"] != base.steps:
        values["strategy"] = Strategy.CUSTOM
    if "reasons" in table:
        values["reasons"] = _rules(table["reasons"], (*path, "reasons"), base, complaints)
    complaints.extend(_bad_name(name, (*path, "name") if "name" in table else path))
    return replace(base, **values), complaints


def _bad_name(name: str, path: Path) -> Iterator[Complaint]:
    """A name is printed in terminals, written into tables of other programs and typed behind a `#`, so it may hold nothing that means something there."""
    is_plain = name.isprintable() and name[:1].isalnum() and not NOT_IN_A_NAME.intersection(name)
    if not is_plain or len(name) > NAME_LENGTH_MAX:
        what = ascii(name if len(name) <= NAME_LENGTH_MAX else f"{name[:NAME_LENGTH_MAX]}…")
        yield Complaint(
            path,
            f"name cannot be {what}: write one that begins with a letter or a digit, with at most {NAME_LENGTH_MAX} "
            f"characters that can be seen, none of them {' '.join(sorted(NOT_IN_A_NAME))}; for example, {EXAMPLES['name']}",
        )


def _base(table: Mapping[str, object], path: Path, bases: Bases, complaints: list[Complaint]) -> Policy:
    """What the policy is based on."""
    wanted = table.get(BASED_ON)
    if wanted is None:
        return Policy()
    if isinstance(wanted, str) and wanted in bases:
        return bases[wanted]()
    complaints.append(
        Complaint(
            (*path, BASED_ON), f"{BASED_ON} = {wanted!r} names no policy that ships: {instead(str(wanted), bases)}"
        )
    )
    return Policy()


def _rules(
    rules: object, path: Path, base: Policy, complaints: list[Complaint]
) -> tuple[tuple[DeclineReason, ReasonRule], ...]:
    """The rows of single reasons over those of the base, in a fixed order, so that the same content has the same hash."""
    found = dict(base.reasons)
    if not isinstance(rules, dict):
        _converted(rules, dict[str, object], path, complaints)
        return base.reasons
    for name, rule in rules.items():
        if name in REASONS:
            row = _converted(rule, ReasonRule, (*path, name), complaints)
            if isinstance(row, ReasonRule):
                found[DeclineReason(name)] = row
    return tuple(sorted(found.items()))


def _converted(value: object, kind: object, path: Path, complaints: list[Complaint]) -> object:
    """One value as its kind, or UNSET with a complaint."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        complaint = _misfit(str(error), path)
        depth = len(complaint.path)
        if all(one.path[:depth] != complaint.path for one in complaints):  # a misspelt key is what a table lacks
            complaints.append(complaint)
        return msgspec.UNSET


def _misfit(text: str, path: Path) -> Complaint:
    """What msgspec says of a value, in words that name the setting and what to write."""
    place = PLACE.search(text)
    if place is not None:
        path = (
            *path,
            *(int(part[1:-1]) if part[0] == "[" else part[1:] for part in re.findall(r"\[\d+\]|\.\w+", place["place"])),
        )
    key = next(part for part in path if part in EXAMPLES)
    write = f"write, for example, {EXAMPLES[str(key)]}"
    wrong, missing = WRONG_KIND.search(text), MISSING.search(text)
    if wrong is not None:
        wanted = " or ".join(
            KINDS.get(kind.strip(), kind.strip()) for kind in wrong["wanted"].split("|") if kind.strip() != "null"
        )
        return Complaint(
            path, f"{shown(path)} must be {wanted}, not {KINDS.get(wrong['given'], wrong['given'])}: {write}"
        )
    if missing is not None:
        return Complaint(path, f"{shown(path)} lacks {missing['field']}: {write}")
    choices = CHOICES[str(path[-1])]
    given = re.search(r"'(.*)'", text)
    return Complaint(
        path,
        f"{shown(path)} cannot be {given[1] if given else text!r}: {instead(given[1] if given else '', list(choices))}",
    )


def instead(given: str, known: Collection[str]) -> str:
    """What to write in place of a name that nobody knows."""
    close = get_close_matches(given, known, n=1)
    return f'write "{close[0]}"' if close else f"write one of {', '.join(known)}"


# --- keys ---------------------------------------------------------------------------------------------------------------------------


def _unknown_keys(table: Mapping[str, object], path: Path) -> Iterator[Complaint]:
    """A misspelt key would leave the default in force, silently."""
    yield from unknown_keys(table, tuple(EXAMPLES), path)
    yield from _in_table(table.get("window"), Window.__struct_fields__, (*path, "window"))
    for ladder in ("steps", "floor"):
        yield from _in_ladder(table.get(ladder), (*path, ladder))
    rules = table.get("reasons")
    if isinstance(rules, dict):
        yield from unknown_keys(rules, REASONS, (*path, "reasons"))
        for reason, rule in rules.items():
            place = (*path, "reasons", reason)
            yield from _in_table(rule, ReasonRule.__struct_fields__, place)
            if isinstance(rule, dict):
                yield from _in_ladder(rule.get("steps"), (*place, "steps"))


def _in_ladder(ladder: object, path: Path) -> Iterator[Complaint]:
    if isinstance(ladder, list):
        for index, step in enumerate(ladder):
            yield from _in_table(step, Step.__struct_fields__, (*path, index))


def _in_table(table: object, known: Sequence[str], path: Path) -> Iterator[Complaint]:
    if isinstance(table, dict):
        yield from unknown_keys(table, known, path)


def unknown_keys(table: Collection[str], known: Sequence[str], path: Path) -> Iterator[Complaint]:
    """A complaint about each key of a table that is none of the known ones."""
    for key in table:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            wanted = shown((*path, close[0])) if close else f"one of {', '.join(known)}"
            yield Complaint((*path, key), f"there is no setting {shown((*path, key))}: write {wanted}")
