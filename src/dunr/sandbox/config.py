"""What a sandbox is started with; what it can be told later is in ``settings``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

ClockMode = Literal["system", "manual"]


@dataclass(frozen=True)
class SandboxConfig:
    """Fixed for the life of the process. Secrets sign webhooks, keys let callers in."""

    database: Path
    webhook_url: str | None
    webhook_secrets: tuple[str, ...]
    api_keys: tuple[str, ...]
    account: str = "acct_sandbox"
    clock: ClockMode = "system"
    clock_start: datetime | None = None
    live: bool = False

    def __post_init__(self) -> None:
        if self.clock == "system" and self.clock_start is not None:
            raise ValueError("clock_start needs clock='manual'")
        if self.clock_start is not None and self.clock_start.tzinfo is None:
            raise ValueError("clock_start must carry an offset, for example Z")
