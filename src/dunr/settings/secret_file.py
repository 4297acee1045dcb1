"""The secret that signs links to customers: made once, and kept in the data folder for the owner's eyes only."""

import os
import secrets
import tempfile
from pathlib import Path

from dunr.errors import SettingsError
from dunr.settings.values import Settings

LINK_SECRET_FILE = "link-secret"  # noqa: S105 - the name of a file
LINK_SECRET_LENGTH_MIN = 32
OTHERS_MAY = 0o077  # the permission bits of group and others


def link_secret(settings: Settings) -> str:
    """The secret, made now where there is none.

    Several processes may ask at once for the first time: the file appears complete or not at all, and all read the
    same one.
    """
    path = settings.data / LINK_SECRET_FILE
    if not path.exists():
        _make_link_secret(path)
    if path.stat().st_mode & OTHERS_MAY:
        raise SettingsError(f"Others can read {path}, so they could forge links: write chmod 600 {path}")
    secret = path.read_text(encoding="ascii", errors="replace").strip()
    if len(secret) < LINK_SECRET_LENGTH_MIN:
        raise SettingsError(
            f"{path} holds no secret of {LINK_SECRET_LENGTH_MIN} characters or more: put back the file from a backup, "
            "or delete it; links in mails already sent will then stop working"
        )
    return secret


def _make_link_secret(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(file.fileno())
        path.hardlink_to(draft)
    except FileExistsError:
        return  # another process was first; its secret counts
    finally:
        Path(draft).unlink()
