"""What may be used of a payer's own words. Knows that a name and an address are hostile until they are cleaned."""

import re
import unicodedata

from dunr.errors import DunrError
from dunr.mail.brand import is_plain_address

NAME_LENGTH_MAX = 60

# Letters and digits on both sides of a dot, or a scheme, or an @: mail programs turn these into links by themselves,
# and a name must not be able to put a link into our letter.
_LIKE_A_LINK = re.compile(r"\w\.\w|//|@|\bwww\b", re.IGNORECASE)


def greeting_name(name: str | None) -> str | None:
    """The name as it may stand in a greeting, or None where it is missing or looks like something else."""
    if name is None:
        return None
    visible = "".join(" " if character.isspace() else character for character in name)
    # Control characters and the invisible ones that reorder text are in the categories C…
    visible = "".join(character for character in visible if unicodedata.category(character)[0] != "C")
    visible = " ".join(visible.split())
    if not visible or len(visible) > NAME_LENGTH_MAX or _LIKE_A_LINK.search(visible):
        return None
    return visible


class NoUsableAddress(DunrError):
    """There is no address to write to, or what is there is not one plain address. The text does not repeat it."""


def usable_address(email: str | None) -> str:
    """The address to write to, with its domain in ASCII. Raises `NoUsableAddress`."""
    if email is None or not is_plain_address(email):
        raise NoUsableAddress("The payer has no usable mail address.")
    local, _, domain = email.rpartition("@")
    try:
        address = f"{local}@{domain.encode('idna').decode('ascii')}"
    except UnicodeError:
        # The codec's own text holds the address; it must not reach a log.
        raise NoUsableAddress("The domain of the payer's mail address cannot be written in ASCII.") from None
    if not is_plain_address(address):  # a wide comma or @ becomes a plain one on the way to ASCII
        raise NoUsableAddress("The payer has no usable mail address.")
    return address
