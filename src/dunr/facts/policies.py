"""The policies that ship, and a merchant's own from TOML: one policy a file, or several with the segments that choose among them.

A file is read whole or not at all: what is wrong with it is told with the line, and what is in force stays.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path as FilePath

from dunr.core.facts import ProcessorFacts
from dunr.core.policy import Policy
from dunr.core.segments import PolicySet, only
from dunr.core.terms import Rail
from dunr.errors import SettingsError
from dunr.facts.capabilities import lacking, without_brand
from dunr.facts.complaints import Complaint, Level, PolicyRefused, Remark, remarks_on
from dunr.facts.policy_reading import EXAMPLES, instead, read_policy
from dunr.facts.policy_rules import complaints_about
from dunr.facts.segment_reading import SET_KEYS, read_set
from dunr.facts.toml_lines import Path, lines_of

SHIPPED = ("business_days", "by_reason", "fibonacci", "gentle", "direct_debit")
FILE_BYTES_MAX = 262_144
SUFFIX = ".toml"
A_BEGINNING = 'write at least based_on = "business_days"'
NOBODY: Mapping[str, ProcessorFacts] = {}
INSIDE = "#"  # FILE#NAME is one policy of a file with several
PLACE = re.compile(r" \(at line (?P<line>\d+), column \d+\)$")
WRITTEN_TWICE = ("Cannot overwrite a value", "Cannot declare", "Duplicate inline table key", "Cannot mutate immutable")


@dataclass(frozen=True, slots=True)
class PoliciesRead:
    """What a file, or a name, stands for, with the warnings about it. `text` is what was read."""

    policies: PolicySet
    warnings: tuple[Remark, ...]
    text: str


class NamedPolicies:
    """What the setting `policy` names, as something that may change: a file does, what ships does not."""

    def __init__(self, name_or_path: str) -> None:
        """Nothing is read yet."""
        self.origin = name_or_path

    def stamp(self) -> str:
        """Differs when the file was written again, or is gone."""
        if not self.origin.endswith(SUFFIX):
            return ""
        try:
            status = FilePath(self.origin).stat()
        except OSError:
            return "gone"
        return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"

    def read(self) -> PolicySet:
        """The policies, checked. Raises `SettingsError`."""
        return policies_named(self.origin).policies


@cache
def shipped(name: str) -> Policy:
    """A policy that ships with dunr."""
    if name not in SHIPPED:
        raise SettingsError(
            f"No policy {name!r} ships with dunr: {instead(name, SHIPPED)}, or the path of a file that ends in {SUFFIX}"
        )
    return Policy() if name == "business_days" else policy_from_toml(shipped_text(name), name)


def shipped_text(name: str) -> str:
    """The file of a policy that ships, to read or to begin one's own with."""
    return files("dunr.facts").joinpath(f"policies/{name}{SUFFIX}").read_text(encoding="utf-8")


def policy_from_toml(text: str, name: str) -> Policy:
    """The one policy that a text describes, checked. `name` is its name unless the text gives one."""
    return _default_of(policies_from_toml(text, name, name).policies)


def policies_named(name_or_path: str) -> PoliciesRead:
    """What the setting `policy` means: one that ships, or the file at a path that ends in .toml. Raises `SettingsError`, or `PolicyRefused` with every line."""
    if not name_or_path.endswith(SUFFIX):
        policy = shipped(name_or_path)
        return PoliciesRead(only(policy), (), shipped_text(name_or_path))
    return policies_in(FilePath(name_or_path))


def policies_in(
    path: FilePath,
    rails: tuple[Rail, ...] = (),
    processors: Mapping[str, ProcessorFacts] = NOBODY,
    brands: Collection[str] | None = None,
) -> PoliciesRead:
    """The policies of a file, checked for the rails that it is for, the processors that would serve it, and the brands that there are. Raises like `policies_named`."""
    try:
        with path.open("rb") as file:
            body = file.read(FILE_BYTES_MAX + 1)
        text = body.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f'The policy file {path} cannot be read ({error}): write the path of a UTF-8 file in policy, or policy = "business_days"'
        ) from error
    if len(body) > FILE_BYTES_MAX:
        raise SettingsError(
            f"The policy file {path} is longer than {FILE_BYTES_MAX} bytes: write fewer policies into it"
        )
    read = policies_from_toml(text, path.name, path.stem, rails, processors, brands)
    if not lines_of(text):  # a file that was cut off would put the unconfigured policy in force, silently
        raise PolicyRefused((Remark(path.name, 1, Level.ERROR, f"there is no setting in it: {A_BEGINNING}"),))
    return read


def policy_named(name_or_path: str) -> Policy:
    """One policy: one that ships, that of a file, or one of a file with several as FILE#NAME (without NAME: its default)."""
    place, inside, name = name_or_path.partition(INSIDE)
    policies = policies_named(place).policies
    if not inside:
        return _default_of(policies)
    known = {policy.name: policy for policy in policies.policies}
    if name not in known:
        raise SettingsError(f"{place} has no policy {name!r}: {instead(name, known)} behind the {INSIDE}")
    return known[name]


def policies_from_toml(
    text: str,
    file: str,
    name: str,
    rails: tuple[Rail, ...] = (),
    processors: Mapping[str, ProcessorFacts] = NOBODY,
    brands: Collection[str] | None = None,
) -> PoliciesRead:
    """The policies that a text describes, checked. `file` is what complaints call it, `name` the policy's unless the text says otherwise."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyRefused((_not_toml(str(error), file, text),)) from error
    except RecursionError:
        raise PolicyRefused((_not_toml("brackets within brackets without end", file, text),)) from None
    lines = lines_of(text)
    if any(key in table for key in SET_KEYS):
        policies, complaints = read_set(table, BASES)
    else:
        policy, complaints = read_policy(table, (), str(table.get("name", name)), BASES)
        policies = only(policy)
        if not complaints:
            complaints = complaints_about(policy, (), rails)
    if all(one.level is Level.WARNING for one in complaints):
        complaints = [*complaints, *_unserved(policies, lines, processors, brands)]
    remarks = remarks_on(file, complaints, lines)
    if any(remark.level is Level.ERROR for remark in remarks):
        raise PolicyRefused(remarks)
    return PoliciesRead(policies, remarks, text)


def _unserved(
    policies: PolicySet,
    lines: Mapping[Path, int],
    processors: Mapping[str, ProcessorFacts],
    brands: Collection[str] | None,
) -> Iterator[Complaint]:
    """What some processor, or the settings, lack for one of the policies, at the place where the file describes it, else where it chooses it."""
    for policy in policies.policies:
        own: Path = ("policies", policy.name)
        is_set = ("default",) in lines
        place = own if own in lines else (("default",) if is_set else ())
        for one in (*lacking(policy, processors), *without_brand(policy, brands)):
            yield Complaint((*place, *one.path), f"{policy.name}: {one.text}" if is_set else one.text)


def _not_toml(text: str, file: str, source: str) -> Remark:
    """What is wrong with a text that is not TOML, with its line."""
    place = PLACE.search(text)
    line = int(place["line"]) if place is not None else source.count("\n") + 1
    what = PLACE.sub("", text).removesuffix(" (at end of document)")
    if what.startswith(WRITTEN_TWICE):
        return Remark(file, line, Level.ERROR, f"a setting is written twice ({what}): keep one of the two")
    return Remark(
        file, line, Level.ERROR, f"this is not TOML ({what}): write one setting a line, such as {EXAMPLES['steps']}"
    )


def _default_of(policies: PolicySet) -> Policy:
    return policies.named(policies.default)


BASES = {name: partial(shipped, name) for name in SHIPPED}
