"""Whether this is the database that we were, or a copy of it.

A store records what it and its surroundings look like, as names and words. A copied or restored database carries that
record to a place that looks different, and the differences are the reasons why nothing may be sent until a person has
looked. Only what both sides name is compared: a machine that no longer tells a birth time is no copy.
"""

from collections.abc import Mapping

MARK_MISSING = "missing"

_LABELS = {
    "store": "the kind of store",
    "database": "the id of the database",
    "inode": "the database file",
    "birth": "the birth time of the database file",
    "instance": "the name of this installation (DUNR_INSTANCE)",
    "system": "the system identifier of the database server",
    "timeline": "the timeline of the database server",
    "oid": "the object id of the database",
    "table": "the id of the table",
}


def differences(recorded: Mapping[str, str], present: Mapping[str, str]) -> tuple[str, ...]:
    """What is not as it was recorded, in words; empty where this is the same database, or where nothing was recorded
    yet.
    """
    if not recorded:
        return ()
    changed = tuple(
        f"{label} is {present[name]} and was {recorded[name]}: the database was copied, moved or restored"
        for name, label in _LABELS.items()
        if name in recorded and name in present and recorded[name] != present[name]
    )
    return changed + _mark_differences(present)


def _mark_differences(present: Mapping[str, str]) -> tuple[str, ...]:
    """What the high-water mark says: the file beside the database may lag behind it, and is never ahead."""
    inside, beside = present.get("mark"), present.get("mark_beside")
    if inside is None or beside is None:
        return ()
    if beside == MARK_MISSING:
        return ("the high-water mark beside the database is missing: the database was copied or moved without it",)
    if int(beside) > int(inside):
        return (f"the database is at mark {inside}, the file beside it at {beside}: an older database was put back",)
    return ()
