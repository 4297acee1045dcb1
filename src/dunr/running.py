"""Work until nothing is due: the one loop behind the worker, the manual clock, the simulator and the tests.

News first, then cases, then effects; again, until a round finds nothing to do at this instant.
"""

from dunr.engine import Engine
from dunr.intake import Intake
from dunr.performing import Performer

BATCH_MAX = 100
ROUNDS_MAX = 10_000


class Runner:
    """Drains what is due, in this thread."""

    def __init__(self, engine: Engine, intake: Intake, performer: Performer) -> None:
        """Keep the three hands."""
        self.engine = engine
        self.intake = intake
        self.performer = performer

    def run_once(self) -> int:
        """One round over what is due now; how many things were looked at."""
        store, now = self.engine.store, self.engine.clock.now()
        inbounds = store.unapplied(now, BATCH_MAX)
        for _, lot in self.intake.together(inbounds):
            self.intake.apply(*lot)
        due = store.due(now, BATCH_MAX)
        for case_id in due:
            self.engine.wake(case_id)
        undone = store.undone(now, BATCH_MAX)
        for one in undone:
            theirs_until_at = self.performer.perform(one)
            if theirs_until_at is not None:
                store.claim(one, theirs_until_at)
        return len(inbounds) + len(due) + len(undone)

    def run_until_quiet(self) -> int:
        """Rounds until nothing is due at this instant; how many things were looked at. A loop that does not end is a fault and raises."""
        total = 0
        for _ in range(ROUNDS_MAX):
            count = self.run_once()
            total += count
            if count == 0:
                return total
        raise RuntimeError(f"still busy after {ROUNDS_MAX} rounds: something is due again and again")
