"""Mail over SMTP.

Knows from which moment on a failure leaves it open whether the mail went: from the dot that ends its body.

Addresses and the server's own words, which may repeat an address, never reach a log or an exception: codes do.
"""

import re
import smtplib
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import structlog

from dunr.adapters.mailers.smtp.pool import Absence, Pool
from dunr.errors import SettingsError
from dunr.mail.message import RenderedMail
from dunr.mail.mime import as_email, needs_utf8
from dunr.ports import Delivery

_log = structlog.get_logger()

_TIMEOUT_SECONDS = 30.0

# Permanent answers that are about us, not about the recipient: bad sequence, and authentication wanted, failed or too
# weak. Somebody puts the settings right and the mail can go after all.
_OUR_FAULT = frozenset({503, 530, 534, 535, 538})
_DONE, _FIRM_NO = 2, 5  # first digits
_GO_AHEAD = 354
_NO_SUCH_NAME = 553  # what a server says to a name that it does not take


class Security(StrEnum):
    """How the connection is protected."""

    STARTTLS = "starttls"  # a server that does not offer it gets no mail
    TLS = "tls"
    NONE = "none"  # for a relay on the same machine


@dataclass(frozen=True, slots=True)
class SmtpSettings:
    """Where and as whom to send. `sender` is the envelope sender, where bounces go."""

    host: str
    port: int
    sender: str
    security: Security = Security.STARTTLS
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    timeout_seconds: float = _TIMEOUT_SECONDS
    greeting_name: str | None = None  # what we call ourselves; None: the machine's own name

    def __post_init__(self) -> None:
        """Refuse what could only fail later."""
        if (self.username is None) != (self.password is None):
            raise SettingsError("Set both smtp username and password, or neither.")
        if self.username is not None and self.security is Security.NONE:
            raise SettingsError("An SMTP password must not travel in the clear: set security to starttls or tls.")


class _Refused(Exception):
    """The server said no to a command; the code says how firmly."""

    def __init__(self, command: str, code: int) -> None:
        super().__init__(f"{command} {code}")
        self.command = command
        self.code = code


class SmtpMailer:
    """Sends over a few connections that are kept open between mails; threads may share it. A server that cannot be reached is left alone for a while, growing."""

    def __init__(
        self, settings: SmtpSettings, tls: ssl.SSLContext | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`tls`: whom to trust; the machine's own certificates by default."""
        self._settings = settings
        self._pool = Pool(lambda: _connected(settings, tls or ssl.create_default_context()), clock)
        self._absence = Absence(clock)

    def deliver(self, mail: RenderedMail) -> Delivery:
        """Hand over one mail. Never raises for what the server or the network does."""
        if self._absence.lasts():
            return _told(mail, Delivery.FAILED_FOR_NOW, "left alone for a while", None)
        body = _wire(as_email(mail).as_bytes())
        try:
            server = self._pool.take()
        except smtplib.SMTPResponseException as error:
            # Greeting, STARTTLS and login: whatever the code, it is not about this recipient.
            self._absence.begin()
            return _told(mail, Delivery.FAILED_FOR_NOW, "connect", error.smtp_code)
        except (smtplib.SMTPException, OSError) as error:
            self._absence.begin()
            return _told(mail, Delivery.FAILED_FOR_NOW, type(error).__name__, None)
        self._absence.end()
        return self._deliver_by(server, mail, body)

    def _deliver_by(self, server: smtplib.SMTP, mail: RenderedMail, body: bytes) -> Delivery:
        """Over one connection, which is kept only where all went well."""
        try:
            self._announce(server, mail)
            delivery, code = _hand_over(server, body)
        except _Refused as refusal:
            server.close()
            return _told(mail, _meaning(refusal), refusal.command, refusal.code)
        except (smtplib.SMTPException, OSError) as error:
            server.close()
            return _told(mail, Delivery.FAILED_FOR_NOW, type(error).__name__, None)
        if delivery is Delivery.SENT:
            self._pool.give_back(server)
        else:
            server.close()
        return _told(mail, delivery, "body", code)

    def greet(self) -> str | None:
        """Connect, greet and log in, and send nothing; what went wrong, or None."""
        try:
            self._pool.give_back(self._pool.take())
        except smtplib.SMTPResponseException as error:
            return f"the server answers {error.smtp_code}"
        except (smtplib.SMTPException, OSError) as error:
            return type(error).__name__
        return None

    def close(self) -> None:
        """Let the connections go that are kept open."""
        self._pool.close()

    def _announce(self, server: smtplib.SMTP, mail: RenderedMail) -> None:
        """Say from whom and to whom. Raises `_Refused`."""
        utf8 = needs_utf8(mail)
        if utf8 and not server.has_extn("smtputf8"):
            raise _Refused("RCPT", _NO_SUCH_NAME)
        code, _ = server.mail(mail.return_path or self._settings.sender, ("SMTPUTF8",) if utf8 else ())
        if code // 100 != _DONE:
            raise _Refused("MAIL", code)
        code, _ = server.rcpt(mail.to)
        if code // 100 != _DONE:
            raise _Refused("RCPT", code)


def _connected(settings: SmtpSettings, tls: ssl.SSLContext) -> smtplib.SMTP:
    """A connection that may be used: protected and logged in as the settings say."""
    host, port, greeting, timeout = settings.host, settings.port, settings.greeting_name, settings.timeout_seconds
    if settings.security is Security.TLS:
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, greeting, timeout=timeout, context=tls)
    else:
        server = smtplib.SMTP(host, port, greeting, timeout=timeout)
    try:
        if settings.security is Security.STARTTLS:
            server.starttls(context=tls)
        if settings.username is not None and settings.password is not None:
            server.login(settings.username, settings.password)
        server.ehlo_or_helo_if_needed()
    except (smtplib.SMTPException, OSError):
        server.close()
        raise
    return server


def _wire(message: bytes) -> bytes:
    """The message as DATA wants it: a dot at the beginning of a line is doubled, and the last line is ended."""
    return re.sub(rb"(?m)^\.", b"..", message.removesuffix(b"\r\n")) + b"\r\n"


def _hand_over(server: smtplib.SMTP, body: bytes) -> tuple[Delivery, int | None]:
    """Send the body, then the dot that ends it. Until the dot nothing can have gone; from then on it may have."""
    code, _ = server.docmd("DATA")
    if code != _GO_AHEAD:
        raise _Refused("DATA", code)
    server.send(body)
    try:
        server.send(b".\r\n")
        code, _ = server.getreply()
    except (smtplib.SMTPException, OSError):
        return Delivery.MAYBE_SENT, None
    match code // 100:
        case 2:
            return Delivery.SENT, code
        case 4:
            return Delivery.FAILED_FOR_NOW, code
        case 5:
            return Delivery.UNDELIVERABLE, code
        case _:
            return Delivery.MAYBE_SENT, code


def _meaning(refusal: _Refused) -> Delivery:
    """Only a firm no to the recipient makes a mail undeliverable. A firm no to the sender is ours to put right."""
    firm = refusal.code // 100 == _FIRM_NO and refusal.code not in _OUR_FAULT
    return Delivery.UNDELIVERABLE if firm and refusal.command != "MAIL" else Delivery.FAILED_FOR_NOW


def _told(mail: RenderedMail, delivery: Delivery, at: str, code: int | None) -> Delivery:
    """The delivery, with a line in the log where it is not plainly sent."""
    if delivery is not Delivery.SENT:
        _log.warning("mail_not_sent", notice=mail.notice_key, delivery=delivery.value, at=at, code=code)
    return delivery
