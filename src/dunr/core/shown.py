"""How a case is shown: *attempting* and *held* are no states of their own, and are computed here for everybody who shows one."""

from dunr.core.model import Case


def shown_state(case: Case) -> str:
    """The state as people see it: an attempt under way and a hold are shown in its place."""
    if case.in_flight is not None:
        return "attempting"
    if case.holds and case.is_open:
        return "held"
    return case.state.value
