"""Posts of SNS: believed where the signature, the host of the certificate, the topic and the time are right, and only there."""

import httpx
import pytest

from dunr.adapters.mailers.sns import SnsDoor
from dunr.errors import BadRequest, BadSignature, NotPermitted
from dunr.mail.reports import Feedback, FeedbackKind
from tests.adapters.mailers.topics import CERTIFICATE_URL, HOST, NOW, TOPIC, Amazon, bounce, complaint, post


def door(amazon: Amazon) -> SnsDoor:
    return SnsDoor((TOPIC,), amazon.client(), lambda: NOW)


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_bounce_is_believed_and_the_certificate_is_asked_for_once(version: str) -> None:
    amazon = Amazon()
    opened = door(amazon)
    for subject in ({}, {"Subject": "Amazon SES Email Event Notification"}):
        told = opened.read(post(bounce(token="ABCDEFGHIJKLM"), version=version, **subject))
        assert told == Feedback(FeedbackKind.PERMANENT, "abcdefghijklm", "Permanent/General")
    assert amazon.asked == [CERTIFICATE_URL]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (bounce("Transient", "MailboxFull", "t" * 12), FeedbackKind.TRANSIENT),
        (bounce("Undetermined", "Undetermined", "t" * 12), FeedbackKind.TRANSIENT),
        (complaint("t" * 12), FeedbackKind.COMPLAINT),
        (complaint("t" * 12, None), FeedbackKind.COMPLAINT),
        (complaint("t" * 12, "not-spam"), None),
        ({"eventType": "Delivery", "mail": {}}, None),
        ("Successfully validated SNS topic for Amazon SES event publishing.", None),
    ],
)
def test_what_a_notification_says(message: object, expected: FeedbackKind | None) -> None:
    told = door(Amazon()).read(post(message))
    assert (told.kind if told is not None else None) is expected


@pytest.mark.parametrize(
    "changes",
    [
        {"after_Message": "{}"},
        {"after_Signature": "AAAA"},
        {"after_Signature": "%"},
        {"after_SignatureVersion": "3"},
        {"after_Timestamp": "2026-06-23T10:00:01.000Z"},
        {"Timestamp": "2026-06-22T09:00:00.000Z"},
        {"Timestamp": "2026-06-23T10:06:00.000Z"},
        {"Timestamp": "yesterday"},
        {"after_Type": "SubscriptionConfirmation"},
    ],
)
def test_a_post_that_was_changed_or_is_old_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(BadSignature):
        door(Amazon()).read(post(bounce(), **changes))


@pytest.mark.parametrize(
    "url",
    [
        "http://sns.eu-west-2.amazonaws.com/SimpleNotificationService-0.pem",
        "https://sns.eu-west-2.amazonaws.com.evil.example/SimpleNotificationService-0.pem",
        "https://evil.example/sns.eu-west-2.amazonaws.com/SimpleNotificationService-0.pem",
        "https://sns.eu-west-2.amazonaws.com@evil.example/SimpleNotificationService-0.pem",
        "https://bucket.s3.amazonaws.com/SimpleNotificationService-0.pem",
        "https://sns.eu-west-2.amazonaws.com:8443/SimpleNotificationService-0.pem",
        "https://sns.eu-west-2.amazonaws.com/other.pem",
        "https://sns.eu-west-2.amazonaws.com/SimpleNotificationService-0.pem?x=1",
        "https://snsxeu-west-2.amazonaws.com/SimpleNotificationService-0.pem",
        "https://[/",
        "",
    ],
)
def test_no_one_but_sns_is_asked_for_a_certificate(url: str) -> None:
    amazon = Amazon()
    with pytest.raises(BadSignature):
        door(amazon).read(post(bounce(), SigningCertURL=url))
    assert amazon.asked == []


def test_a_redirect_is_not_followed_and_what_is_no_certificate_is_refused() -> None:
    amazon = Amazon()
    amazon.status = 302
    with pytest.raises(BadSignature):
        door(amazon).read(post(bounce()))
    assert amazon.asked == [CERTIFICATE_URL]
    for content in (b"", b"<html>", b"x" * 30_000):
        amazon = Amazon()
        amazon.certificate = content
        with pytest.raises(BadSignature):
            door(amazon).read(post(bounce()))


def test_only_a_topic_of_ours_is_confirmed() -> None:
    amazon = Amazon()
    assert door(amazon).read(post("hello", kind="SubscriptionConfirmation")) is None
    assert amazon.asked == [CERTIFICATE_URL, f"{HOST}/?Action=ConfirmSubscription&Token=t"]
    amazon = Amazon()
    with pytest.raises(NotPermitted):
        door(amazon).read(post("hello", kind="SubscriptionConfirmation", TopicArn=f"{TOPIC}-x"))
    with pytest.raises(BadSignature):
        door(amazon).read(post("hello", kind="SubscriptionConfirmation", SubscribeURL="https://evil.example/"))
    assert amazon.asked == [CERTIFICATE_URL]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'{"TopicArn":7}'])
def test_what_is_no_post_is_refused(body: bytes) -> None:
    with pytest.raises((BadRequest, NotPermitted)):
        door(Amazon()).read(body)


def test_a_network_that_is_down_is_said() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no", request=request)

    with pytest.raises(BadSignature, match="ConnectError"):
        SnsDoor((TOPIC,), httpx.Client(transport=httpx.MockTransport(fail)), lambda: NOW).read(post(bounce()))
