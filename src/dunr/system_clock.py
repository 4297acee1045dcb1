"""The clock outside of rehearsals: the machine's own."""

from datetime import UTC, datetime


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """The present instant."""
        return datetime.now(UTC)
