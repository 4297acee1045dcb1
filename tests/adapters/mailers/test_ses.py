"""Mail through SES: what each answer comes to, by botocore's own stub and by a real endpoint that breaks off."""

import email
import email.policy
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.stub import ANY, Stubber  # type: ignore[import-untyped]

from dunr.adapters.mailers.ses import SesMailer
from dunr.ports import Delivery
from tests.mail.notices import mail

FROM = "billing@nordwind.example"


def client(endpoint: str | None = None) -> object:
    once = Config(retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=2)
    return boto3.client(
        "sesv2", "eu-west-2", aws_access_key_id="a", aws_secret_access_key="b", endpoint_url=endpoint, config=once
    )


def test_a_mail_goes_whole_with_its_token_and_the_set_that_tells_of_bounces() -> None:
    ses = client()
    sent = replace(mail(), token="abcdefghijklm", return_path="bounces+abcdefghijklm@nordwind.example")
    with Stubber(ses) as stub:
        wanted = {
            "FromEmailAddress": FROM,
            "Destination": {"ToAddresses": ["ada@example.com"]},
            "Content": {"Raw": {"Data": ANY}},
            "ConfigurationSetName": "dunr",
            "EmailTags": [{"Name": "dunr", "Value": "abcdefghijklm"}],
            "FeedbackForwardingEmailAddress": sent.return_path,
        }
        stub.add_response("send_email", {"MessageId": "m1"}, wanted)
        assert SesMailer(ses, FROM, "dunr").deliver(sent) is Delivery.SENT  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "status", "delivery"),
    [
        ("TooManyRequestsException", 429, Delivery.FAILED_FOR_NOW),
        ("LimitExceededException", 400, Delivery.FAILED_FOR_NOW),
        ("SendingPausedException", 400, Delivery.FAILED_FOR_NOW),
        ("AccountSuspendedException", 400, Delivery.FAILED_FOR_NOW),
        ("MessageRejected", 400, Delivery.FAILED_FOR_NOW),
        ("ExpiredTokenException", 403, Delivery.FAILED_FOR_NOW),
        ("BadRequestException", 400, Delivery.UNDELIVERABLE),
        ("InternalServiceErrorException", 500, Delivery.MAYBE_SENT),
    ],
)
def test_an_answer_about_the_mail_is_told_from_one_about_us(code: str, status: int, delivery: Delivery) -> None:
    ses = client()
    with Stubber(ses) as stub:
        stub.add_client_error("send_email", code, "no", status)
        assert SesMailer(ses, FROM, None).deliver(mail()) is delivery  # type: ignore[arg-type]


@contextmanager
def endpoint(answer: bytes | None) -> Iterator[tuple[str, list[bytes]]]:
    """A server of one request that answers these bytes, or closes the connection without a word."""
    bodies: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with closing(listener), listener.accept()[0] as line:
            line.settimeout(5)
            seen = b""
            while b"\r\n\r\n" not in seen:
                seen += line.recv(65536)
            head, _, body = seen.partition(b"\r\n\r\n")
            length = int(next(x.split(b":")[1] for x in head.split(b"\r\n") if x.lower().startswith(b"content-length")))
            while len(body) < length:
                body += line.recv(65536)
            bodies.append(body)
            if answer is not None:
                line.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", bodies
    finally:
        thread.join(10)


def test_a_real_endpoint_gets_the_mail_once() -> None:
    body = b'{"MessageId":"m1"}'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
    with endpoint(head % len(body) + body) as (url, bodies):
        ses = client(url)
        assert SesMailer(ses, FROM, None).deliver(mail()) is Delivery.SENT  # type: ignore[arg-type]
        ses.close()  # type: ignore[attr-defined]
    import base64
    import json

    raw = base64.b64decode(json.loads(bodies[0])["Content"]["Raw"]["Data"])
    assert email.message_from_bytes(raw, policy=email.policy.default)["Subject"] == mail().subject


def test_an_answer_that_never_came_leaves_it_open_and_nothing_is_sent_again() -> None:
    with endpoint(None) as (url, bodies):
        ses = client(url)
        assert SesMailer(ses, FROM, None).deliver(mail()) is Delivery.MAYBE_SENT  # type: ignore[arg-type]
        ses.close()  # type: ignore[attr-defined]
    assert len(bodies) == 1


def test_a_server_that_is_not_there_got_nothing() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    ses = client(f"http://127.0.0.1:{port}")
    assert SesMailer(ses, FROM, None).deliver(mail()) is Delivery.FAILED_FOR_NOW  # type: ignore[arg-type]
    ses.close()  # type: ignore[attr-defined]
