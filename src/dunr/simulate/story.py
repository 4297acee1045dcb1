"""The timeline of one world, for people: when, who, what, and why. Written only when a world is played again for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dunr.simulate.clock import SimClock


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that happened."""

    at: datetime
    who: str
    what: str


class Story:
    """Lines in the order in which things happened."""

    def __init__(self, clock: SimClock) -> None:
        """An empty page."""
        self._clock = clock
        self.lines: list[str] = []
        self.told: list[Told] = []

    def tell(self, who: str, what: str, why: Sequence[str] = ()) -> None:
        """Add a line, and the reasons below it."""
        self.told.append(Told(self._clock.instant, who, what))
        self.lines.append(f"{_since(self._clock.instant)}  {who:<12} {what}")
        self.lines.extend(f"{'':>34}· {reason}" for reason in why)

    def text(self) -> str:
        """All of it."""
        return "\n".join(self.lines)


def _since(instant: datetime) -> str:
    """An instant as a person writes it."""
    return f"{instant:%a %d %b %H:%M:%S}"
