"""What `bootstrap` puts together and every entry point is handed: the parts of one running dunr, by their ports.

Nothing here is chosen or built; see `bootstrap`. An entry point (web, worker, command line) takes one of these and adds only its own face.
"""

from collections.abc import Callable
from dataclasses import dataclass

from dunr.brake_desk import BrakeDesk
from dunr.charge_desk import ChargeDesk
from dunr.engine import Engine
from dunr.intake import Intake
from dunr.performing import Performer
from dunr.policies_in_force import PoliciesInForce
from dunr.ports import Clock, Processor, Reports, Store
from dunr.renewal_desk import RenewalDesk
from dunr.rulebook import StoredRulebook
from dunr.running import Runner
from dunr.settings import Settings
from dunr.sweep import Sweep

Listen = Callable[[Callable[[], None]], Callable[[], None]]


def hears_nothing(_heard: Callable[[], None]) -> Callable[[], None]:
    """For a store that tells nobody: polling is all there is."""
    return lambda: None


@dataclass(frozen=True, slots=True)
class Application:
    """One running dunr. `close` releases files and connections.

    `listen` calls what it is given, from another thread, when another process left something to do, and answers what stops that; a hint may be lost.
    `desk` takes charges where nobody else makes them, and `renewals` makes them from subscriptions; None where the processor does both.
    `give_words` makes so many cases of an earlier release be found by a text, and answers how many those were; None where a store keeps nothing of one.
    `finish_migration` takes away what only the release before needed; None where a store keeps nothing for one.
    """

    settings: Settings
    clock: Clock
    store: Store
    reports: Reports
    processors: dict[str, Processor]
    rulebook: StoredRulebook
    brakes: BrakeDesk
    policies: PoliciesInForce
    engine: Engine
    intake: Intake
    performer: Performer
    runner: Runner
    sweep: Sweep
    listen: Listen
    desk: ChargeDesk | None
    renewals: RenewalDesk | None
    give_words: Callable[[int], int] | None
    finish_migration: Callable[[], None] | None
    close: Callable[[], None]
