"""Mails as files in a folder, for rehearsals.

Knows how to make one durable, and that one notice is one file however often it is sent.
"""

import hashlib
import os
import tempfile
from pathlib import Path

import msgspec
import structlog

from dunr.mail.message import OutboxEntry, RenderedMail
from dunr.ports import Delivery

_log = structlog.get_logger()


class LogMailer:
    """Writes each mail as one JSON file under a hash of its key. A file appears whole; only its owner may read it."""

    def __init__(self, folder: Path) -> None:
        """Make the folder if it is not there."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder

    def deliver(self, mail: RenderedMail) -> Delivery:
        """Keep the mail. The first one under a key stays: a repeat changes nothing."""
        path = self._folder / f"{hashlib.sha256(mail.notice_key.encode()).hexdigest()[:40]}.json"
        if path.exists():
            return Delivery.SENT
        entry = OutboxEntry(
            notice_key=mail.notice_key,
            kind=mail.kind,
            to=mail.to,
            subject=mail.subject,
            message_id=mail.message_id,
            at=mail.at,
            locale=mail.locale,
            headers=dict(mail.headers),
            text=mail.text,
            html=mail.html,
        )
        try:
            _write(path, msgspec.json.format(msgspec.json.encode(entry)))
        except OSError as error:
            _log.warning("mail_not_kept", notice=mail.notice_key, errno=error.errno)
            return Delivery.FAILED_FOR_NOW
        return Delivery.SENT


def _write(path: Path, body: bytes) -> None:
    """Write beside, sync, rename, sync the folder: after a crash the file is there whole, or not at all."""
    descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        Path(beside).replace(path)
    except OSError:
        Path(beside).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def list_outbox(folder: Path, limit: int) -> tuple[OutboxEntry, ...]:
    """The newest mails, newest last. Files of another form are passed over."""
    arrived = sorted((path.stat().st_mtime_ns, path.name, path) for path in folder.glob("*.json"))
    entries: list[OutboxEntry] = []
    for _, _, path in arrived[max(0, len(arrived) - limit) :]:
        try:
            entries.append(msgspec.json.decode(path.read_bytes(), type=OutboxEntry))
        except msgspec.DecodeError:
            continue
    # By the time in the mail, which a clock moved by hand decides; in the order of arrival where that is the same.
    return tuple(sorted(entries, key=lambda entry: entry.at))
