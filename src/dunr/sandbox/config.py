"""What a sandbox is started with; what it can be told later is in ``settings``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

# Keys that open a Stripe face where none are given. Those of the mode that the sandbox is not in see no objects.
STRIPE_KEYS = ("sk_test_sandbox", "rk_test_sandbox", "sk_live_sandbox", "rk_live_sandbox")

ClockMode = Literal["system", "manual"]


@dataclass(frozen=True)
class StripeFace:
    """How the sandbox shows itself as Stripe.

    Keys begin with ``sk_`` or, restricted, ``rk_``; ``_live_`` behind that is
    live mode. With a ``platform`` the books belong to a connected account, and
    a caller must name it.
    """

    api_keys: tuple[str, ...]
    api_version: str
    public_url: str
    platform: str | None = None


@dataclass(frozen=True)
class SandboxConfig:
    """Fixed for the life of the process. Secrets sign webhooks, keys let callers in.

    With ``stripe`` the one receiver is a Stripe webhook endpoint, and gets Stripe's events.
    """

    database: Path
    webhook_url: str | None
    webhook_secrets: tuple[str, ...]
    api_keys: tuple[str, ...]
    account: str = "acct_sandbox"
    clock: ClockMode = "system"
    clock_start: datetime | None = None
    live: bool = False
    stripe: StripeFace | None = None

    def __post_init__(self) -> None:
        if self.clock == "system" and self.clock_start is not None:
            raise ValueError("clock_start needs clock='manual'")
        if self.clock_start is not None and self.clock_start.tzinfo is None:
            raise ValueError("clock_start must carry an offset, for example Z")
