"""A rendered mail as the bytes that travel. Knows MIME: text first, then HTML, both UTF-8, no line too long."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from dunr.mail.message import RenderedMail

# Headers that are encoded already stay as they are.
_PLAIN = SMTP.clone(refold_source="none")
# Lets a local part outside ASCII stand as it is (RFC 6531); only for servers that offer SMTPUTF8.
_UTF8 = _PLAIN.clone(utf8=True)


def needs_utf8(mail: RenderedMail) -> bool:
    """Whether the recipient can only be reached through a server that offers SMTPUTF8."""
    return not mail.to.isascii()


def as_email(mail: RenderedMail) -> EmailMessage:
    """The mail as multipart/alternative. The library refuses a line break in any header."""
    message = EmailMessage(_UTF8 if needs_utf8(mail) else _PLAIN)
    # Quoted-printable: lines of at most 76 bytes whatever is written, and readable by a person.
    message.set_content(mail.text, subtype="plain", charset="utf-8", cte="quoted-printable")
    message.add_alternative(mail.html, subtype="html", charset="utf-8", cte="quoted-printable")
    # After the parts, which would take the Content-… headers for their own.
    local, _, domain = mail.to.rpartition("@")
    message["To"] = Address(username=local, domain=domain)  # not parsed: its complaint would repeat the address
    message["Subject"] = mail.subject
    message["Message-ID"] = mail.message_id
    for name, value in mail.headers.items():
        if name == "From":
            message.set_raw(name, value)  # parsing it would decode it, and encode it again by halves
        else:
            message[name] = value
    return message
