"""Several policies out of one file, and the segments that choose among them.

`default` names the policy of cases that no segment takes, `[policies.NAME]` describes the merchant's own, each `[[segments]]` is one rule of choice, in order.
Policies that ship are named without being described.
"""

import re
from collections.abc import Iterator, Mapping

import msgspec

from dunr.core.policy import Policy
from dunr.core.segments import PolicySet, Segment
from dunr.core.terms import Rail
from dunr.facts.complaints import Complaint, Level, shown
from dunr.facts.policy_reading import BASED_ON, Bases, instead, is_policy_key, read_policy, unknown_keys
from dunr.facts.policy_rules import complaints_about
from dunr.facts.segment_rules import segment_complaints
from dunr.facts.tables import PROCESSORS_WITH_DECLINES
from dunr.facts.toml_lines import Path

SET_KEYS = ("default", "policies", "segments")
NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")
AN_EXAMPLE = '[[segments]] with name = "debits", policy = "direct_debit" and currencies = ["eur"]'
LISTS = {
    "products": (re.compile(r"\S{1,200}"), 'products = ["prod_team"]'),
    "currencies": (re.compile(r"[A-Za-z]{3}"), 'currencies = ["eur"]'),
    "countries": (re.compile(r"[A-Za-z]{2}"), 'countries = ["DE", "AT"]'),
    "processors": (re.compile("|".join(sorted(PROCESSORS_WITH_DECLINES))), 'processors = ["stripe"]'),
    "rails": (re.compile("|".join(Rail)), 'rails = ["sepa", "bacs"]'),
    "tags": (re.compile(r"\S{1,200}"), 'tags = ["vip"]'),
}
AMOUNTS = ("amount_min_minor", "amount_max_minor")
SEGMENT_KEYS = ("name", "policy", *LISTS, *AMOUNTS)
SEGMENTS_MAX = 100


def read_set(table: Mapping[str, object], bases: Bases) -> tuple[PolicySet, list[Complaint]]:
    """The policy set of a file, and what is wrong with it; where that is an error, the set is not to be used."""
    complaints = list(_strays(table))
    own = _own_policies(table.get("policies", {}), bases, complaints)
    segments = _segments(table.get("segments", []), complaints)
    default = table.get("default")
    if not isinstance(default, str):
        complaints.append(Complaint(("default",), _no_default(default)))
        default = ""
    wanted = ((("default",), default), *((path, segment.policy) for path, segment in segments))
    used = dict(own)
    for path, name in wanted:
        if name in bases:
            used[name] = bases[name]()
        elif name and name not in own:
            known = instead(name, (*own, *bases))
            complaints.append(
                Complaint(path, f"there is no policy {name!r}: {known}, or describe it in [policies.{name}]")
            )
    if not complaints:
        complaints.extend(_about_policies(own, default, segments))
        complaints.extend(segment_complaints(segments))
    return PolicySet(tuple(used[name] for name in sorted(used)), default, tuple(one for _, one in segments)), complaints


def _strays(table: Mapping[str, object]) -> Iterator[Complaint]:
    """A file holds one policy or several; a setting outside [policies.…] would decide nothing."""
    for key in table:
        if is_policy_key(key):
            yield Complaint(
                (key,),
                f"{key} belongs to one policy, and this file holds several: move it into a table such as [policies.mine]",
            )
    yield from unknown_keys([key for key in table if not is_policy_key(key)], SET_KEYS, ())


def _no_default(given: object) -> str:
    if given is None:
        return 'the file says no default, the policy of cases that no segment takes: write default = "by_reason" at its top'
    return 'default must be text in quotes: write default = "by_reason"'


def _own_policies(tables: object, bases: Bases, complaints: list[Complaint]) -> dict[str, Policy]:
    """The policies that the file describes, by name."""
    if not isinstance(tables, dict):
        complaints.append(
            Complaint(("policies",), "policies must be tables: write [policies.mine] and its settings below")
        )
        return {}
    own = {}
    for name, table in tables.items():
        path: Path = ("policies", name)
        if not isinstance(table, dict):
            text = f"policies.{name} must be a table: write [policies.{name}] and its settings below"
            complaints.append(Complaint(path, text))
            continue
        complaints.extend(_about_name(name, table, bases))
        own[name], found = read_policy(table, path, name, bases)
        complaints.extend(found)
    return own


def _about_name(name: str, table: Mapping[str, object], bases: Bases) -> Iterator[Complaint]:
    """A name means one policy, and is said once."""
    path: Path = ("policies", name)
    if name in bases:
        text = (
            f'{name} ships with dunr and means one thing only: write another name, and {BASED_ON} = "{name}" below it'
        )
        yield Complaint(path, text)
    elif not NAME.fullmatch(name):
        yield Complaint(path, f"{name!r} is no name for a policy: write letters, digits, - and _, at most 60")
    if "name" in table:
        yield Complaint((*path, "name"), f"the name of [policies.{name}] is {name}: take the line out")


def _segments(rows: object, complaints: list[Complaint]) -> list[tuple[Path, Segment]]:
    """The segments in their order, each with its place."""
    if not isinstance(rows, list):
        complaints.append(Complaint(("segments",), f"segments must be a list of tables: write {AN_EXAMPLE}"))
        return []
    if len(rows) > SEGMENTS_MAX:
        complaints.append(Complaint(("segments",), f"there are {len(rows)} segments: write at most {SEGMENTS_MAX}"))
    found = []
    for index, row in enumerate(rows):
        path: Path = ("segments", index)
        if not isinstance(row, dict):
            complaints.append(Complaint(path, f"{shown(path)} must be a table: write {AN_EXAMPLE}"))
            continue
        wrong = [*unknown_keys(row, SEGMENT_KEYS, path), *_wrong_values(row, path)]
        complaints.extend(wrong)
        if not wrong:
            found.append((path, _segment(row)))
    return found


def _wrong_values(row: Mapping[str, object], path: Path) -> Iterator[Complaint]:
    """What cannot be a condition."""
    for key in ("name", "policy"):
        if not isinstance(row.get(key), str) or not row[key]:
            yield Complaint((*path, key), f"{shown(path)} needs a {key}: write {AN_EXAMPLE}")
    for key, (pattern, example) in LISTS.items():
        values = row.get(key)
        if values is None:
            continue
        if not isinstance(values, list) or not values:
            yield Complaint(
                (*path, key),
                f"{shown((*path, key))} must be a list with something in it: write {example}, or leave it out",
            )
            continue
        for index, value in enumerate(values):
            if not isinstance(value, str) or not pattern.fullmatch(value):
                yield Complaint((*path, key, index), f"{shown((*path, key))} cannot hold {value!r}: write {example}")
    for key in AMOUNTS:
        amount = row.get(key)
        if amount is not None and (isinstance(amount, bool) or not isinstance(amount, int) or amount < 0):
            yield Complaint(
                (*path, key), f"{shown((*path, key))} must be a whole number of minor units: write {key} = 10000"
            )


def _segment(row: Mapping[str, object]) -> Segment:
    """A row whose values are sound, as the core compares them."""
    values = {**row, "currencies": [str(one).lower() for one in _list(row, "currencies")]}
    return msgspec.convert(values | {"countries": [str(one).upper() for one in _list(row, "countries")]}, Segment)


def _list(row: Mapping[str, object], key: str) -> list[object]:
    values = row.get(key)
    return values if isinstance(values, list) else []


def _about_policies(
    own: Mapping[str, Policy], default: str, segments: list[tuple[Path, Segment]]
) -> Iterator[Complaint]:
    """Each policy of the file against the rules, on the rails that it serves. A policy that ships was checked when it was made; its rails are told anyway."""
    for name, policy in own.items():
        path: Path = ("policies", name)
        leading = [segment for _, segment in segments if segment.policy == name]
        if name != default and not leading:
            yield Complaint(
                path,
                f"no case gets the policy {name}: name it as default or in a segment, or take it out",
                Level.WARNING,
            )
        rails = (
            ()
            if name == default or not all(one.rails for one in leading)
            else tuple({rail for one in leading for rail in one.rails})
        )
        yield from complaints_about(policy, path, rails)
