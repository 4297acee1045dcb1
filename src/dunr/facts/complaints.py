"""What is wrong with a policy file: where, what, and what to write instead.

An error refuses the file; a warning names the rule that is broken and lets the merchant decide.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from dunr.errors import SettingsError
from dunr.facts.toml_lines import Path, line_of


class Level(StrEnum):
    """How much a complaint weighs."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong, at the path of a setting. The text says what to write."""

    path: Path
    text: str
    level: Level = Level.ERROR


@dataclass(frozen=True, slots=True)
class Remark:
    """A complaint as people get it: with the file and the line (from 1)."""

    file: str
    line: int
    level: Level
    text: str

    def __str__(self) -> str:
        """`mine.toml:3: …`, which editors can follow."""
        warning = "warning: " if self.level is Level.WARNING else ""
        return f"{self.file}:{self.line}: {warning}{self.text}"


class PolicyRefused(SettingsError):
    """A policy file that cannot be used; `remarks` are all that is wrong with it, in the order of the file."""

    def __init__(self, remarks: tuple[Remark, ...]) -> None:
        """The text names every error; warnings are not what it was refused for."""
        super().__init__("\n".join(str(remark) for remark in remarks if remark.level is Level.ERROR))
        self.remarks = remarks


def remarks_on(file: str, complaints: Iterable[Complaint], lines: Mapping[Path, int]) -> tuple[Remark, ...]:
    """Complaints with their lines, in the order of the file; the same one is said once."""
    found = (Remark(file, _line(one.path, lines), one.level, one.text) for one in complaints)
    return tuple(sorted(dict.fromkeys(found), key=lambda remark: remark.line))


def _line(path: Path, lines: Mapping[Path, int]) -> int:
    """The line of a path; steps that no line gives come from the strategy beside them."""
    if path[-1:] == ("steps",) and path not in lines:
        path = (*path[:-1], "strategy")
    return line_of(path, lines)


def shown(path: Path) -> str:
    """A path as it would be written: `reasons.unknown.steps[0].after`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")
