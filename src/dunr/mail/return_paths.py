"""Where a bounce of one mail comes back to, so that it says for itself which mail it is about, and nobody can make one up.

A token names the case and proves, by a signature over case and address, that we wrote to that address about it. It stands in the envelope sender (VERP), where
it fits there, and in a header. An address that the customer has changed since proves nothing any more: it was not the one that bounced.
"""

import base64
import binascii
import hashlib
import hmac
import re

SIGNATURE_BYTES = 6
LOCAL_PART_LENGTH_MAX = 64
TOKEN_LENGTH_MAX = 600
HEADER = "X-Dunr-Mail"
TAG = "dunr"  # under which a mail service that has tags of its own keeps the token
_PURPOSE = b"dunr.return-path.1"
_SHORT, _WHOLE = b"\x00", b"\x01"  # whether the case is one of the account that is served
_TOKEN = re.compile(r"[a-z2-7]{12,600}")


class ReturnPaths:
    """Makes and reads tokens for one account. Threads may share it."""

    def __init__(self, secret: str, account_prefix: str, bounce_address: str | None) -> None:
        """`account_prefix` is `processor:account:`, which every id begins with; without a `bounce_address` there are no return paths, and the header alone tells."""
        self._key = hmac.digest(secret.encode(), _PURPOSE, "sha256")
        self._prefix = account_prefix
        self._bounce_address = bounce_address

    def token(self, about: str, address: str) -> str:
        """For a mail about a case, or a customer's card, to an address."""
        short = about.startswith(self._prefix)
        named = _SHORT + about.removeprefix(self._prefix).encode() if short else _WHOLE + about.encode()
        return base64.b32encode(self._signature(about, address) + named).decode().rstrip("=").lower()

    def return_path(self, token: str) -> str | None:
        """The envelope sender for a token: bounces+token@example.com; None where there is none, or it would be too long."""
        if self._bounce_address is None:
            return None
        local, _, domain = self._bounce_address.rpartition("@")
        verp = f"{local}+{token}"
        return f"{verp}@{domain}" if len(verp) <= LOCAL_PART_LENGTH_MAX else None

    def about(self, token: str) -> str | None:
        """The case that a token names, whether or not it is proved; None where it is no token."""
        decoded = _decoded(token)
        if decoded is None:
            return None
        flag, named = decoded[SIGNATURE_BYTES : SIGNATURE_BYTES + 1], decoded[SIGNATURE_BYTES + 1 :]
        try:
            text = named.decode()
        except UnicodeDecodeError:
            return None
        if not text or "\0" in text or flag not in (_SHORT, _WHOLE):
            return None
        return self._prefix + text if flag == _SHORT else text

    def proves(self, token: str, about: str, address: str) -> bool:
        """Whether the token was made here for this address."""
        decoded = _decoded(token)
        return decoded is not None and hmac.compare_digest(decoded[:SIGNATURE_BYTES], self._signature(about, address))

    def _signature(self, about: str, address: str) -> bytes:
        signed = f"{about}\0{address.lower()}".encode()
        return hmac.new(self._key, signed, hashlib.sha256).digest()[:SIGNATURE_BYTES]


def _decoded(token: str) -> bytes | None:
    """The bytes of a token; mail servers change the case of letters, so that does not count."""
    plain = token.lower()
    if not _TOKEN.fullmatch(plain):
        return None
    try:
        return base64.b32decode(plain.upper() + "=" * (-len(plain) % 8))
    except binascii.Error:
        return None
