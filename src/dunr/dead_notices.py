"""Notices that were given up because no mail server took them: which there are, and another chance for one. They are done, with a note that begins as below."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from dunr.core.effects import Notice
from dunr.ports import Reports, Store

GIVEN_UP = "given up: "
LOOKED_AT_MAX = 5000


class DeadNotice(msgspec.Struct, frozen=True):
    """One of them."""

    key: str
    kind: str
    case: str
    given_up_at: datetime | None
    tries_count: int
    note: str


def dead_notices(reports: Reports, limit: int) -> Sequence[DeadNotice]:
    """The newest notices that were given up."""
    found = [
        DeadNotice(one.effect.key, one.effect.kind, one.effect.case_id, one.done_at, one.tries_count, one.note)
        for one in reports.effects(kind=Notice.__name__, case_id=None, limit=LOOKED_AT_MAX)
        if isinstance(one.effect, Notice) and one.note.startswith(GIVEN_UP)
    ]
    return found[:limit]


def redrive(store: Store, key: str, now: datetime) -> bool:
    """Have it tried again; False where it was not given up."""
    return store.revive(key, GIVEN_UP, now)
