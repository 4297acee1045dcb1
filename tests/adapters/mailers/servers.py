"""SMTP servers for the tests: a real one that answers as it is told, and a bare one that breaks off wherever a test
wants it to.
"""

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.ports import free_port


@dataclass
class Post:
    """A mailbox, and what the server says at each moment."""

    rcpt: str = ""
    data: str = "250 OK"
    drop_after_data: bool = False
    password: bytes = b""
    bodies: list[bytes] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    senders: list[str] = field(default_factory=list)
    logins: list[bytes] = field(default_factory=list)
    protected: list[bool] = field(default_factory=list)

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        del server, session, options
        if self.rcpt:
            return self.rcpt
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - as above
        assert isinstance(envelope.content, bytes)
        self.bodies.append(envelope.content)
        self.recipients += envelope.rcpt_tos
        self.senders.append(str(envelope.mail_from))
        self.protected.append(session.ssl is not None)
        if self.drop_after_data:
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
            raise asyncio.CancelledError
        return self.data

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, credentials: LoginPassword
    ) -> AuthResult:
        del server, session, envelope, mechanism
        self.logins.append(credentials.login)
        return AuthResult(success=credentials.password == self.password, handled=False)


class LettingGo(Controller):
    """A server that closes, before it stops, what its clients still keep open: a pool of connections outlives the mails of a test."""

    def factory(self) -> SMTP:
        """One conversation."""
        conversation: SMTP = super().factory()  # type: ignore[no-untyped-call]  # the library has no types here
        self.conversations = [*getattr(self, "conversations", ()), conversation]
        return conversation

    def let_go(self) -> None:
        """End every conversation, and wait until each has ended."""
        ended = threading.Event()

        def end_all() -> None:
            for conversation in getattr(self, "conversations", ()):
                if conversation.transport is not None:
                    conversation.transport.abort()
            self.loop.call_soon(ended.set)

        self.loop.call_soon_threadsafe(end_all)
        ended.wait(10)


@contextlib.contextmanager
def serving(
    post: Post,
    tls: ssl.SSLContext | None = None,
    *,
    from_the_first_byte: bool = False,
    login: bool = False,
    utf8: bool = True,
) -> Iterator[int]:
    """The port of a real server, until the block ends. TLS is offered by STARTTLS, or used from the first byte."""
    controller = LettingGo(
        post,
        hostname="127.0.0.1",
        port=free_port(),
        enable_SMTPUTF8=utf8,
        ssl_context=tls if from_the_first_byte else None,
        tls_context=None if from_the_first_byte else tls,
        authenticator=post.authenticate if login else None,
        auth_required=login,
    )
    controller.start()
    try:
        yield controller.port
    finally:
        controller.let_go()
        controller.stop()


# What a bare server does instead of answering.
HANG_UP = "hang up"
SILENCE = "silence"


@contextlib.contextmanager
def bare_server(answers: dict[str, str]) -> Iterator[int]:
    """A server of one connection. `answers` are keyed by command word, `greeting` and `.`; the rest gets 250."""
    over = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(10)

    def converse() -> None:
        with contextlib.suppress(OSError), listener.accept()[0] as line, line.makefile("rb") as incoming:
            line.settimeout(10)
            speak(line, incoming)

    def speak(line: socket.socket, incoming: Iterator[bytes]) -> None:
        word, in_body = "greeting", False
        while True:
            answer = answers.get(
                word, "354 go on" if word == "DATA" else "220 hello" if word == "greeting" else "250 OK"
            )
            if answer == SILENCE:
                over.wait(10)
            if answer in {SILENCE, HANG_UP}:
                return
            line.sendall(answer.encode() + b"\r\n")
            in_body = answer.startswith("354")
            heard = next((text for text in incoming if not in_body or text == b".\r\n"), b"")
            if not heard:
                return
            word = heard.split()[0].decode().upper()

    thread = threading.Thread(target=converse)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        over.set()
        listener.close()
        thread.join()
