"""API versions: a date, since 2024 with a name behind it. What an object looks like hangs on the date alone."""

from __future__ import annotations

import re

from .errors import Wrong

NEWEST = "2026-10-28.endive"
OLDEST = "2020-03-02"

SHAPE = re.compile(r"^(\d{4}-\d{2}-\d{2})(?:\.([a-z]+))?$")

# From these dates on, and only where the difference is one that a dunning engine meets.
UPDATER_RENAMED = "2020-08-27"
CHARGES_UNLISTED = "2022-11-15"  # an intent names its last charge and no longer lists them all
REFUND_EVENTS = "2024-10-28"
INVOICE_PAYMENTS = "2025-03-31"  # an invoice names neither subscription, intent nor charge


def checked(version: str) -> str:
    """The version, or a 400 where it has no such form or is older than what is shown here."""
    found = SHAPE.match(version)
    if found is None or found[1] < OLDEST:
        raise Wrong(400, "invalid_request_error", f"Invalid Stripe API version: {version}")
    return version


def since(version: str, date: str) -> bool:
    """Whether the version is that date's or a later one."""
    return version[:10] >= date
