"""A rendered mail as the bytes that travel. Knows MIME: text first, then HTML, both UTF-8, no line of them too long.

Headers are written here, and not by the library, which cuts a long address or id into encoded words that no mail program reads as one, and loses a space where two
encoded words meet.
"""

import re
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from dunr.mail.message import RenderedMail

# Headers that are encoded already stay as they are.
_PLAIN = SMTP.clone(refold_source="none")
# Lets a local part outside ASCII stand as it is (RFC 6531); only for servers that offer SMTPUTF8.
_UTF8 = _PLAIN.clone(utf8=True)

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def needs_utf8(mail: RenderedMail) -> bool:
    """Whether the recipient can only be reached through a server that offers SMTPUTF8."""
    return not mail.to.isascii()


def as_email(mail: RenderedMail) -> EmailMessage:
    """The mail as multipart/alternative. Raises `ValueError` for a line break in any header."""
    message = EmailMessage(_UTF8 if needs_utf8(mail) else _PLAIN)
    # Quoted-printable: lines of at most 76 bytes whatever is written, and readable by a person.
    message.set_content(mail.text, subtype="plain", charset="utf-8", cte="quoted-printable")
    message.add_alternative(mail.html, subtype="html", charset="utf-8", cte="quoted-printable")
    # After the parts, which would take the Content-… headers for their own.
    local, _, domain = mail.to.rpartition("@")
    message["To"] = Address(username=local, domain=domain)  # not parsed: its complaint would repeat the address
    _set(message, "Subject", mail.subject)
    _set(message, "Message-ID", mail.message_id)
    for name, value in mail.headers.items():
        _set(message, name, value)
    return message


def _set(message: EmailMessage, name: str, value: str) -> None:
    """One header as it is to stand: ASCII on one line, which may be long, and all else encoded as a whole."""
    if _BREAKS.search(value):
        raise ValueError(f"The header {name} would hold a line break, or another sign that controls.")
    encoded = value if value.isascii() else Header(value, "utf-8", header_name=name).encode(linesep="\r\n")
    message.set_raw(name, encoded)
