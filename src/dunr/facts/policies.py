"""The policies that ship, and a merchant's own from TOML.

The keys of the file are the fields of `Policy`; what is left out has the value of the unconfigured policy. A key that
nobody knows, a value of the wrong kind and a rule that contradicts another are refused when the file is read, and the
text says what to write.
"""

import re
import tomllib
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar, get_type_hints

import msgspec

from dunr.core.policy import Policy, ReasonRule, Step
from dunr.core.terms import DeclineReason
from dunr.errors import SettingsError
from dunr.facts.policy_rules import problems_of

SHIPPED = {"business_days": Policy()}

A_LADDER = '[{after = 1, unit = "business_days"}, {after = 3, unit = "business_days"}]'
EXAMPLES = {
    "name": 'name = "gentle"',
    "timezone": 'timezone = "Europe/London"',
    "at_hour": "at_hour = 9",
    "at_minute": "at_minute = 30",
    "calendar": 'calendar = "DE-BY"',
    "strategy": 'strategy = "fibonacci"',
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
}
STEP_KEYS = Step.__struct_fields__
RULE_KEYS = ReasonRule.__struct_fields__
REASONS = tuple(str(reason) for reason in DeclineReason)
PLACE = re.compile(r" - at `\$(?P<place>[^`]*)`$")  # where in the value, as msgspec says it

T = TypeVar("T")


def shipped(name: str) -> Policy:
    """A policy that ships with dunr."""
    if name not in SHIPPED:
        known = " or ".join(f'"{known}"' for known in SHIPPED)
        raise SettingsError(
            f"No policy {name!r} ships with dunr: write {known}, or the path of a file that ends in .toml"
        )
    return SHIPPED[name]


def policy_named(name_or_path: str) -> Policy:
    """The policy that the setting `policy` means: one that ships, or the file at a path that ends in .toml."""
    if not name_or_path.endswith(".toml"):
        return shipped(name_or_path)
    path = Path(name_or_path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"The policy file {path} cannot be read ({error}): write the path of a UTF-8 file in policy, "
            'or policy = "business_days"'
        ) from error
    return policy_from_toml(text, path.stem)


def policy_from_toml(text: str, name: str) -> Policy:
    """The policy that a file describes, checked. `name` is its name unless the file gives one."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"The policy {name} is not TOML ({error}): write one setting a line, such as {EXAMPLES['steps']}"
        ) from error
    _refuse_unknown_keys(table, name)
    kinds = get_type_hints(Policy)
    values = {key: _value(key, value, kinds[key], name) for key, value in table.items() if key != "reasons"}
    if "reasons" in table:
        values["reasons"] = _rules(table["reasons"], name)
    policy = Policy(**{"name": name, **values})
    problems = problems_of(policy)
    if problems:
        raise SettingsError(
            "\n".join([f"The policy {name} cannot be kept:", *(f"  {problem}" for problem in problems)])
        )
    return policy


def _rules(rules: object, name: str) -> tuple[tuple[DeclineReason, ReasonRule], ...]:
    """The rows of single reasons, in a fixed order, so that the same content has the same hash."""
    table = _value("reasons", rules, dict[DeclineReason, object], name)
    found = ((reason, _value(f"reasons.{reason}", rule, ReasonRule, name)) for reason, rule in table.items())
    return tuple(sorted(found, key=lambda row: row[0]))


def _value(place: str, value: object, kind: type[T], name: str) -> T:
    """One value as its kind."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        text = str(error)
        inner = PLACE.search(text)
        where = place + (inner["place"] if inner else "")
        example = EXAMPLES[place.partition(".")[0]]
        raise SettingsError(
            f"The policy {name}: {where}: {PLACE.sub('', text)}; write, for example, {example}"
        ) from error


def _refuse_unknown_keys(table: Mapping[str, object], name: str) -> None:
    """A misspelt key would leave the default in force, silently."""
    _refuse(table, EXAMPLES, "", name)
    for ladder in ("steps", "floor"):
        _refuse_in_ladder(table.get(ladder), ladder, name)
    rules = table.get("reasons")
    if not isinstance(rules, dict):
        return
    _refuse(rules, REASONS, "reasons.", name)
    for reason, rule in rules.items():
        if isinstance(rule, dict):
            _refuse(rule, RULE_KEYS, f"reasons.{reason}.", name)
            _refuse_in_ladder(rule.get("steps"), f"reasons.{reason}.steps", name)


def _refuse_in_ladder(ladder: object, place: str, name: str) -> None:
    if isinstance(ladder, list):
        for index, step in enumerate(ladder):
            if isinstance(step, dict):
                _refuse(step, STEP_KEYS, f"{place}[{index}].", name)


def _refuse(table: Collection[str], known: Collection[str], place: str, name: str) -> None:
    for key in table:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            wanted = place + close[0] if close else f"one of {', '.join(known)}"
            raise SettingsError(f"The policy {name} has no setting {place}{key}: write {wanted}")
