"""What `bootstrap` puts together and every entry point is handed: the parts of one running dunr, by their ports.

Nothing here is chosen or built; see `bootstrap`. An entry point (web, worker, command line) takes one of these and adds only its own face.
"""

from collections.abc import Callable
from dataclasses import dataclass

from dunr.engine import Engine
from dunr.intake import Intake
from dunr.performing import Performer
from dunr.policies_in_force import PoliciesInForce
from dunr.ports import Clock, Processor, Reports, Store
from dunr.rulebook import StoredRulebook
from dunr.running import Runner
from dunr.settings import Settings
from dunr.sweep import Sweep


@dataclass(frozen=True, slots=True)
class Application:
    """One running dunr. `close` releases files and connections."""

    settings: Settings
    clock: Clock
    store: Store
    reports: Reports
    processors: dict[str, Processor]
    rulebook: StoredRulebook
    policies: PoliciesInForce
    engine: Engine
    intake: Intake
    performer: Performer
    runner: Runner
    sweep: Sweep
    close: Callable[[], None]
