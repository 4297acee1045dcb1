"""Reports that come back about a mail: a bounce (RFC 3464), a complaint (RFC 5965), and the odd ones that follow no standard.

Knows how to find the token of our mail in them, and what a status means. Believes nothing: the token is proved elsewhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import Message
from enum import StrEnum

from flufl.bounce import all_failures

from dunr.mail.return_paths import HEADER

PARTS_MAX = 50
TEXT_SCANNED_MAX = 200_000
_VERP = re.compile(r"\+([A-Za-z2-7]{12,64})@")
_HEADER_LINE = re.compile(rf"^{HEADER}:\s*([A-Za-z2-7]{{12,600}})\s*$", re.MULTILINE | re.IGNORECASE)
_STATUS = re.compile(r"([245])\.\d{1,3}\.\d{1,3}")


class FeedbackKind(StrEnum):
    """What a report says of an address."""

    PERMANENT = "permanent"  # nothing will ever arrive there
    COMPLAINT = "complaint"  # its owner called our mail spam
    TRANSIENT = "transient"  # full, or not to be reached now


@dataclass(frozen=True, slots=True)
class Feedback:
    """One report. `token` is that of our mail, or None where the report does not show it; `why` holds no address."""

    kind: FeedbackKind
    token: str | None
    why: str


def read_report(raw: bytes) -> Feedback | None:
    """What a report says, or None where it is none: a delivery that worked, a delay, or an answer that somebody wrote."""
    message = message_from_bytes(raw, policy=policy.compat32)
    parts = _parts(message)
    token = _token(message, raw)
    for part in parts:
        match part.get_content_type():
            case "message/delivery-status":
                return _of_status(part, token)
            case "message/feedback-report":
                return _of_complaint(part, token)
            case _:
                continue
    temporary, permanent = _odd(message)
    if permanent:
        return Feedback(FeedbackKind.PERMANENT, token, "a report in a form of its own")
    return Feedback(FeedbackKind.TRANSIENT, token, "a report in a form of its own") if temporary else None


def _odd(message: Message) -> tuple[bool, bool]:
    """Whether a report of a form of its own says that a mail did not arrive for now, or for good. A form that breaks whoever reads it says nothing."""
    try:
        temporary, permanent = all_failures(message)
    except (LookupError, ValueError, TypeError, AttributeError):
        return False, False
    return bool(temporary), bool(permanent)


def _parts(message: Message) -> list[Message]:
    return [part for _, part in zip(range(PARTS_MAX), message.walk(), strict=False)]


def _of_status(part: Message, token: str | None) -> Feedback | None:
    """The first recipient's fate; we write to one at a time. Only `failed` is a bounce."""
    for group in _groups(part):
        action = str(group.get("action", "")).strip().lower()
        if not action:
            continue
        status = _STATUS.search(str(group.get("status", "")))
        if action != "failed":
            return None
        is_permanent = status is None or status[1] == "5"
        kind = FeedbackKind.PERMANENT if is_permanent else FeedbackKind.TRANSIENT
        return Feedback(kind, token, f"status {status[0] if status is not None else 'unknown'}")
    return None


def _groups(part: Message) -> Iterator[Message]:
    """The groups of fields of a delivery status, which the parser makes messages of."""
    payload = part.get_payload()
    for one in payload if isinstance(payload, list) else ():
        if isinstance(one, Message):
            yield one


def _of_complaint(part: Message, token: str | None) -> Feedback | None:
    fields = str(next(_groups(part), part).as_string() if part.is_multipart() else part.get_payload())
    told = re.search(r"^Feedback-Type:\s*([\w-]+)", fields, re.MULTILINE | re.IGNORECASE)
    kind = told[1].lower() if told is not None else "abuse"
    return None if kind == "not-spam" else Feedback(FeedbackKind.COMPLAINT, token, f"complaint: {kind}")


def _token(message: Message, raw: bytes) -> str | None:
    """From the address that the report came to, else from the header of our mail, which comes back with it."""
    for name in ("Delivered-To", "X-Original-To", "To"):
        for value in message.get_all(name, []):
            found = _VERP.search(str(value))
            if found is not None:
                return found[1].lower()
    unfolded = re.sub(r"\r?\n[ \t]+", "", raw[:TEXT_SCANNED_MAX].decode("latin-1"))
    header = _HEADER_LINE.search(unfolded)
    return header[1].lower() if header is not None else None
