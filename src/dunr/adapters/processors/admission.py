"""Who may come in: what an account must prove, and whether a body that arrives proves it.

A signature is checked over the bytes as they came, before anything in them is decoded. Every mark that came along is tried against every configured secret, so that a
secret can be replaced while both ends still know the old one. Where each processor writes its marks, and what it signs besides the body, its own folder knows.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dunr.errors import BadSignature

MARKS_MAX = 16
HEADER_LENGTH_MAX = 4000
TIMESTAMP = re.compile(
    r"[0-9]{1,11}"
)  # of seconds since 1970; one digit more may lie beyond the last year of any calendar
EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookAccount:
    """Which account this is, and what proves that a webhook is from it."""

    account: str
    live: bool
    webhook_secrets: Sequence[str]  # two while one is replaced; may change while we run
    tolerance_seconds: int


@dataclass(frozen=True, slots=True)
class MarkedHeader:
    """The header `t=…,v1=…`, in which some processors sign the time and the body. `where` tells a person which secrets to compare."""

    name: str
    where: str

    def check(self, headers: Mapping[str, str], body: bytes, account: WebhookAccount, now: datetime) -> None:
        """Raise `BadSignature` unless the body was signed with one of the account's secrets, not too long ago and not in the future."""
        header = header_of(headers, self.name.lower())
        if header is None:
            raise BadSignature(f"The {self.name} header is missing.")
        timestamp, marks = self._parts(header)
        signed = f"{timestamp}.".encode() + body
        expected = [hmac.digest(one.encode(), signed, "sha256").hex().encode() for one in account.webhook_secrets]
        refuse_strange(marks, expected, self.where)
        refuse_stale(int(timestamp), account.tolerance_seconds, now)

    def _parts(self, header: str) -> tuple[str, list[bytes]]:
        """The time as it was written, since it was signed so, and the `v1` marks. Other schemes are not trusted, whatever they say."""
        if len(header) > HEADER_LENGTH_MAX:
            raise BadSignature(f"The {self.name} header is too long.")
        pairs = [part.strip().partition("=") for part in header.split(",")]
        times = [value for name, _, value in pairs if name == "t"]
        marks = [value.encode(errors="replace") for name, _, value in pairs if name == "v1" and value]
        if len(times) != 1 or TIMESTAMP.fullmatch(times[0]) is None:
            raise BadSignature(f"The {self.name} header has no single time; it must read t=…,v1=….")
        if not marks or len(marks) > MARKS_MAX:
            raise BadSignature(f"The {self.name} header must carry 1 to {MARKS_MAX} v1 signatures.")
        return times[0], marks


def header_of(headers: Mapping[str, str], name: str) -> str | None:
    """A header by its name in lower case. A web server's mapping knows it in any case; one that does not is gone through."""
    header = headers.get(name)
    if header is not None:
        return header
    return next((value for other, value in headers.items() if other.lower() == name), None)


def refuse_strange(marks: Sequence[bytes], expected: Sequence[bytes], where: str) -> None:
    """Raise `BadSignature` where no mark is the one of any secret. All are compared with all, so that the time taken does not tell which one fitted."""
    if not sum(hmac.compare_digest(ours, mark) for ours in expected for mark in marks):
        raise BadSignature(f"No v1 signature fits any configured secret. {where}")


def refuse_stale(signed_at_seconds: int, tolerance_seconds: int, now: datetime) -> None:
    """Raise `BadSignature` where a signature that is right was made too long ago or in the future.

    The skew is set here and nowhere else: only where the signature itself is right, a clock is off and not the sender.
    """
    skew_seconds = int((now.astimezone(UTC) - EPOCH).total_seconds()) - signed_at_seconds
    if abs(skew_seconds) > tolerance_seconds:
        raise BadSignature(
            f"The signature is genuine, but its time is {abs(skew_seconds)} s "
            f"{'old' if skew_seconds > 0 else 'in the future'}; {tolerance_seconds} s are allowed. Check both clocks.",
            skew_seconds,
        )
