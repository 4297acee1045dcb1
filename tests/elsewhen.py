"""Another hour than the machine's clock shows, for a story that must begin on a morning of a business day, whenever it is played."""

import importlib
from datetime import datetime, timedelta, tzinfo

CLOCK_AHEAD = "TESTS_CLOCK_AHEAD_SECONDS"  # in the environment of a process
CLOCK_READERS = (
    *("dunr.system_clock", "dunr.pacing", "dunr.sandbox.database"),
    *("dunr.sandbox.machine", "dunr.sandbox.wire"),
)


def set_clock_ahead(seconds: float) -> None:
    """From now on, for this process, whoever reads the clock reads it that much later."""
    ahead = timedelta(seconds=seconds)

    class AsEver(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, datetime)

    class Elsewhen(datetime, metaclass=AsEver):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + ahead

    for name in CLOCK_READERS:
        vars(importlib.import_module(name))["datetime"] = Elsewhen
