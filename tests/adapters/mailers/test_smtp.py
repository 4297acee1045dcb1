"""Mail over SMTP against real servers: what each answer, and each silence, comes to."""

import email
import email.policy
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from dunr.adapters.mailers.smtp import Security, SmtpMailer, SmtpSettings
from dunr.core import value
from dunr.core.terms import NoticeKind
from dunr.errors import SettingsError
from dunr.ports import Delivery
from tests.adapters.mailers.servers import HANG_UP, SILENCE, Post, bare_server, serving
from tests.mail.notices import PAYER, mail
from tests.ports import free_port

ADDRESS = "ada@example.com"
MADE: list[SmtpMailer] = []


def mailer(port: int, tls: ssl.SSLContext | None = None, **changes: object) -> SmtpMailer:
    values: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": port,
        "sender": "billing@nordwind.example",
        "security": Security.NONE,
        "timeout_seconds": 5.0,
        "greeting_name": "tests.example",
    }
    values.update(changes)
    made = SmtpMailer(SmtpSettings(**values), tls)
    MADE.append(made)
    return made


@pytest.fixture(autouse=True)
def _let_connections_go() -> Iterator[None]:
    yield
    while MADE:
        MADE.pop().close()


@pytest.mark.parametrize("kind", NoticeKind)
def test_a_mail_arrives_as_it_was_written(kind: NoticeKind) -> None:
    post, sent = Post(), mail(kind)
    with serving(post) as port:
        assert mailer(port).deliver(sent) is Delivery.SENT
    assert post.recipients == [ADDRESS]
    assert post.senders == ["billing@nordwind.example"]
    message = email.message_from_bytes(post.bodies[0], policy=email.policy.default)
    assert message["Subject"] == sent.subject
    assert message["Message-ID"] == sent.message_id
    body = message.get_body(("plain",))
    assert body is not None
    assert body.get_content().replace("\r\n", "\n").strip() == sent.text.strip()


def test_a_line_that_is_a_dot_does_not_end_the_mail() -> None:
    post, sent = Post(), replace(mail(), text="before\n.\n..and\n.after\n")
    with serving(post) as port:
        assert mailer(port).deliver(sent) is Delivery.SENT
    body = email.message_from_bytes(post.bodies[0], policy=email.policy.default).get_body(("plain",))
    assert body is not None
    assert body.get_content().splitlines() == ["before", ".", "..and", ".after"]


@pytest.mark.parametrize(
    ("answers", "delivery"),
    [
        ({"rcpt": "450 4.2.1 busy"}, Delivery.FAILED_FOR_NOW),
        ({"rcpt": "452 4.2.2 full"}, Delivery.FAILED_FOR_NOW),
        ({"rcpt": "550 5.1.1 no such user"}, Delivery.UNDELIVERABLE),
        ({"rcpt": "553 5.1.3 not allowed"}, Delivery.UNDELIVERABLE),
        ({"rcpt": "530 5.7.0 authentication required"}, Delivery.FAILED_FOR_NOW),
        ({"data": "451 4.3.0 later"}, Delivery.FAILED_FOR_NOW),
        ({"data": "554 5.7.1 not wanted"}, Delivery.UNDELIVERABLE),
        ({"data": "250 2.0.0 queued"}, Delivery.SENT),
    ],
)
def test_the_server_s_answer_is_the_delivery(answers: dict[str, str], delivery: Delivery) -> None:
    with (
        serving(Post(rcpt=answers.get("rcpt", ""), data=answers.get("data", "250 OK"))) as port,
        capture_logs() as logs,
    ):
        assert mailer(port).deliver(mail()) is delivery
    assert len(logs) == (0 if delivery is Delivery.SENT else 1)
    assert "@" not in str(logs)


def test_a_connection_lost_after_the_body_leaves_it_open() -> None:
    post = Post(drop_after_data=True)
    with serving(post) as port:
        assert mailer(port).deliver(mail()) is Delivery.MAYBE_SENT
    assert len(post.bodies) == 1


@pytest.mark.parametrize(
    ("answers", "delivery"),
    [
        ({"greeting": HANG_UP}, Delivery.FAILED_FOR_NOW),
        ({"greeting": SILENCE}, Delivery.FAILED_FOR_NOW),
        ({"greeting": "554 go away"}, Delivery.FAILED_FOR_NOW),
        ({"greeting": "421 too many"}, Delivery.FAILED_FOR_NOW),
        ({"EHLO": HANG_UP}, Delivery.FAILED_FOR_NOW),
        ({"MAIL": "451 later"}, Delivery.FAILED_FOR_NOW),
        ({"MAIL": "550 sender refused"}, Delivery.FAILED_FOR_NOW),
        ({"RCPT": HANG_UP}, Delivery.FAILED_FOR_NOW),
        ({"RCPT": SILENCE}, Delivery.FAILED_FOR_NOW),
        ({"RCPT": "251 will forward"}, Delivery.SENT),
        ({"DATA": HANG_UP}, Delivery.FAILED_FOR_NOW),
        ({"DATA": SILENCE}, Delivery.FAILED_FOR_NOW),
        ({"DATA": "554 no valid recipients"}, Delivery.UNDELIVERABLE),
        ({"DATA": "451 later"}, Delivery.FAILED_FOR_NOW),
        ({".": HANG_UP}, Delivery.MAYBE_SENT),
        ({".": SILENCE}, Delivery.MAYBE_SENT),
        ({".": "what"}, Delivery.MAYBE_SENT),
        ({".": "421 shutting down"}, Delivery.FAILED_FOR_NOW),
        ({"QUIT": HANG_UP}, Delivery.SENT),
        ({"QUIT": SILENCE}, Delivery.SENT),
    ],
)
def test_only_from_the_last_dot_on_may_it_have_gone(answers: dict[str, str], delivery: Delivery) -> None:
    with bare_server(answers) as port:
        assert mailer(port, timeout_seconds=0.5).deliver(mail()) is delivery


def test_a_refused_connection_is_for_now() -> None:
    assert mailer(free_port()).deliver(mail()) is Delivery.FAILED_FOR_NOW
    assert mailer(25, host="no-such-host.invalid").deliver(mail()) is Delivery.FAILED_FOR_NOW


def test_the_server_s_words_never_reach_the_log() -> None:
    with serving(Post(rcpt=f"550 5.1.1 <{ADDRESS}> unknown")) as port, capture_logs() as logs:
        mailer(port).deliver(mail())
    assert ADDRESS not in str(logs)
    assert logs[0]["code"] == 550


def test_a_local_part_outside_ascii_needs_a_server_that_takes_it() -> None:
    sent, post = mail(payer=value.replace(PAYER, email="zoë@example.com")), Post()
    with serving(post) as port:
        assert mailer(port).deliver(sent) is Delivery.SENT
    assert post.recipients == ["zoë@example.com"]
    assert "To: zoë@example.com".encode() in post.bodies[0]
    with serving(Post(), utf8=False) as port:
        assert mailer(port).deliver(sent) is Delivery.UNDELIVERABLE


def test_threads_may_share_a_mailer() -> None:
    post = Post()
    with serving(post) as port, ThreadPoolExecutor(4) as threads:
        shared = mailer(port)
        answers = list(threads.map(lambda number: shared.deliver(mail(key=f"n{number}")), range(20)))
    assert set(answers) == {Delivery.SENT}
    ids = {email.message_from_bytes(body)["Message-ID"] for body in post.bodies}
    assert len(ids) == len(post.bodies) == 20


# --- TLS ------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl here to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    files = (folder / "certificate.pem", folder / "key.pem")
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-out", str(files[0]), "-keyout", str(files[1])]
    subprocess.run([*command, *names], check=True, capture_output=True)
    return files


def server_side(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context


def test_starttls_and_login(certificate: tuple[Path, Path]) -> None:
    post, trusted = Post(password=b"correct horse"), ssl.create_default_context(cafile=certificate[0])
    as_us = {"security": Security.STARTTLS, "username": "dunr"}
    with serving(post, server_side(certificate), login=True) as port:
        assert mailer(port, trusted, **as_us, password="correct horse").deliver(mail()) is Delivery.SENT
        assert mailer(port, trusted, **as_us, password="battery").deliver(mail()) is Delivery.FAILED_FOR_NOW
        assert mailer(port, trusted, security=Security.STARTTLS).deliver(mail()) is Delivery.FAILED_FOR_NOW
    assert set(post.logins) == {b"dunr"}
    assert post.protected == [True]


def test_a_certificate_that_nobody_vouches_for_gets_no_mail(certificate: tuple[Path, Path]) -> None:
    post = Post()
    with serving(post, server_side(certificate)) as port:
        assert mailer(port, security=Security.STARTTLS).deliver(mail()) is Delivery.FAILED_FOR_NOW
    assert not post.bodies


def test_without_starttls_nothing_goes_in_the_clear() -> None:
    post = Post()
    with serving(post) as port:
        assert mailer(port, security=Security.STARTTLS).deliver(mail()) is Delivery.FAILED_FOR_NOW
    assert not post.bodies


def test_tls_from_the_first_byte(certificate: tuple[Path, Path]) -> None:
    post = Post()
    with serving(post, server_side(certificate), from_the_first_byte=True) as port:
        trusted = ssl.create_default_context(cafile=certificate[0])
        assert mailer(port, trusted, security=Security.TLS).deliver(mail()) is Delivery.SENT
        assert mailer(port, security=Security.TLS).deliver(mail()) is Delivery.FAILED_FOR_NOW
    assert len(post.bodies) == 1


def test_settings_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(SettingsError):
        mailer(25, username="dunr", security=Security.STARTTLS)
    with pytest.raises(SettingsError):
        mailer(25, username="dunr", password="p", security=Security.NONE)
    shown = repr(SmtpSettings("h", 25, "s@example.com", username="dunr", password="secret-word"))
    assert "secret-word" not in shown
    assert socket.getdefaulttimeout() is None


def test_a_server_is_greeted_without_a_mail_and_what_is_wrong_is_told() -> None:
    post = Post()
    with serving(post) as port:
        assert mailer(port).greet() is None
        assert "SMTPNotSupportedError" in str(mailer(port, security=Security.STARTTLS).greet())
    assert post.bodies == []
    assert mailer(free_port()).greet() == "ConnectionRefusedError"
    with bare_server({"greeting": "554 go away"}) as port:
        assert mailer(port).greet() == "the server answers 554"
