"""How the sandbox has been told to misbehave. Kept in its database, changed while it runs."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Seconds = Annotated[int, msgspec.Meta(ge=0, le=400 * 86_400)]
Count = Annotated[int, msgspec.Meta(ge=0, le=100)]

DAY_SECONDS = 86_400


class Settings(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Well-behaved by default. Durations run on the sandbox's clock unless they say otherwise."""

    drop_webhooks: bool = False
    duplicate_webhooks: Count = 0  # further copies of each event
    delay_webhooks_seconds: Seconds = 0
    reorder_webhooks: bool = False
    webhook_timeout_seconds: Annotated[int, msgspec.Meta(ge=1, le=60)] = 10
    webhook_backoff_seconds: tuple[Seconds, ...] = (60, 300, 1800, 7200, 21_600)
    key_life_seconds: Seconds = DAY_SECONDS
    settle_after_seconds: Seconds = 900
    lookups_failing: bool = False
    snapshots_failing: bool = False
    lookups_hang_seconds: Seconds = 0  # real seconds; on the manual clock the connection drops
    snapshots_hang_seconds: Seconds = 0  # the same
    clock_offset_seconds: Annotated[int, msgspec.Meta(ge=-DAY_SECONDS, le=DAY_SECONDS)] = (
        0  # what the clock shows others
    )
    rate_limit_per_second: Annotated[int, msgspec.Meta(ge=1)] | None = None
    retries_by_itself: bool = False
    own_retry_seconds: Seconds = 3 * DAY_SECONDS
    pending_seconds: Seconds = 3 * DAY_SECONDS
    api_key_revoked: bool = False
    minimum_minor: Annotated[int, msgspec.Meta(ge=0)] = 50
    updater: Literal["hit", "miss"] = "miss"


def changed(settings: Settings, patch: bytes) -> Settings:
    """The settings with the patch laid over them; a name we do not know is an error."""
    wanted = msgspec.json.decode(patch, type=dict[str, object])
    return msgspec.convert({**msgspec.to_builtins(settings), **wanted}, Settings)
