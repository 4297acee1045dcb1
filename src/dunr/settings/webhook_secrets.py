"""The secrets that prove a webhook, from the settings or from a file that may change while we run.

While a secret is replaced both ends know two. A file that is read again when it changes lets an operator add the new one
and take the old one out without a restart, and so without an event that nobody took.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import overload

import structlog

from dunr.errors import SettingsError
from dunr.settings.values import Settings

_log = structlog.get_logger()


def webhook_secrets(settings: Settings) -> Sequence[str]:
    """The secrets as they are now, whenever they are asked for."""
    if settings.webhook_secrets_file is None:
        return settings.webhook_secrets
    return SecretsOnFile(Path(settings.webhook_secrets_file))


class SecretsOnFile(Sequence[str]):
    """One secret a line. A file that is gone or empty for a moment leaves the last secrets in force."""

    def __init__(self, path: Path) -> None:
        """Read it once; a file without a secret is refused here."""
        self._path = path
        self._read_as: tuple[int, int] | None = None
        self._secrets: tuple[str, ...] = ()
        if not self._now():
            raise SettingsError(
                f"{path} holds no secret: write each webhook secret in a line of its own, or set webhook_secrets"
            )

    def __len__(self) -> int:
        return len(self._now())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self._now()[index]

    def _now(self) -> tuple[str, ...]:
        """Read again where the file has another time or size than it had."""
        try:
            told = self._path.stat()
            if (told.st_mtime_ns, told.st_size) != self._read_as:
                secrets = tuple(
                    line.strip() for line in self._path.read_text(encoding="utf-8").splitlines() if line.strip()
                )
                if secrets:
                    self._read_as, self._secrets = (told.st_mtime_ns, told.st_size), secrets
        except (OSError, UnicodeDecodeError) as error:
            _log.warning("webhook_secrets_not_read", error=type(error).__name__)
        return self._secrets
