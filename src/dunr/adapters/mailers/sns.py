"""Bounces and complaints of Amazon SES, as SNS posts them.

Knows how SNS signs (versions 1 and 2), and whom to ask for the certificate: hosts of SNS by their exact form, over https, never by a redirect. A topic that the
settings do not name is neither confirmed nor believed.
"""

import base64
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from threading import Lock
from urllib.parse import urlsplit

import httpx
import msgspec
import structlog
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from dunr.errors import BadRequest, BadSignature, NotPermitted
from dunr.mail.reports import Feedback, FeedbackKind
from dunr.mail.return_paths import HEADER, TAG

_log = structlog.get_logger()

HOST = re.compile(r"sns\.[a-z]{2}(?:-[a-z]+)+-\d\.amazonaws\.com(?:\.cn)?")
CERTIFICATE_PATH = re.compile(r"/SimpleNotificationService-[0-9a-f]{1,64}\.pem")
CERTIFICATE_BYTES_MAX = 20_000
CERTIFICATES_KEPT_MAX = 20
TIMEOUT_SECONDS = 10.0
AGE_MAX, AHEAD_MAX = timedelta(hours=24), timedelta(minutes=5)
FORBIDDEN = 403
_SIGNED = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
    "UnsubscribeConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}


class _Header(msgspec.Struct):
    name: str = ""
    value: str = ""


class _Mail(msgspec.Struct):
    tags: dict[str, list[str]] = {}
    headers: list[_Header] = []


class _Bounce(msgspec.Struct, rename="camel"):
    bounce_type: str = ""
    bounce_sub_type: str = ""


class _Complaint(msgspec.Struct, rename="camel"):
    complaint_feedback_type: str | None = None


class _Report(msgspec.Struct, rename="camel"):
    """What SES says of one mail: as a notification of an identity, or as an event of a configuration set."""

    notification_type: str = ""
    event_type: str = ""
    mail: _Mail = msgspec.field(default_factory=_Mail)
    bounce: _Bounce | None = None
    complaint: _Complaint | None = None


class SnsDoor:
    """Believes what SNS posts for the topics that the settings name."""

    def __init__(self, topics: tuple[str, ...], client: httpx.Client, now: Callable[[], datetime]) -> None:
        """`client` asks for certificates and confirms subscriptions; it must follow no redirect."""
        self._topics = topics
        self._client = client
        self._now = now
        self._guard = Lock()
        self._certificates: dict[str, x509.Certificate] = {}

    def read(self, body: bytes) -> Feedback | None:
        """What a post says; None where it says nothing of a mail. Raises `BadRequest`, `BadSignature` or `NotPermitted`."""
        try:
            fields = {
                key: value
                for key, value in msgspec.json.decode(body, type=dict[str, object]).items()
                if isinstance(value, str)
            }
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise BadRequest("The body is not what SNS posts.") from None
        if fields.get("TopicArn") not in self._topics:
            raise NotPermitted("This topic is not among sns_topics.", FORBIDDEN)
        self._verify(fields)
        match fields["Type"]:
            case "SubscriptionConfirmation":
                self._confirm(fields["SubscribeURL"])
                return None
            case "Notification":
                return feedback_of(fields["Message"])
            case _:
                _log.warning("sns_unsubscribed", topic=fields["TopicArn"])
                return None

    def _verify(self, fields: Mapping[str, str]) -> None:
        """The signature, and that the post is young. Raises `BadSignature`."""
        names = _SIGNED.get(fields.get("Type", ""))
        version, url = fields.get("SignatureVersion"), fields.get("SigningCertURL", "")
        if names is None or any(name not in fields for name in names if name != "Subject"):
            raise BadSignature("The post lacks what SNS signs.")
        signed = "".join(f"{name}\n{fields[name]}\n" for name in names if name in fields).encode()
        algorithm = {"1": hashes.SHA1(), "2": hashes.SHA256()}.get(version or "")  # noqa: S303 - SNS's version 1
        if algorithm is None:
            raise BadSignature("The signature is of a version that is not known.")
        key = self._certificate(url).public_key()
        if not isinstance(key, rsa.RSAPublicKey):
            raise BadSignature("The certificate holds no RSA key.")
        try:
            key.verify(
                base64.b64decode(fields.get("Signature", ""), validate=True), signed, padding.PKCS1v15(), algorithm
            )
        except (InvalidSignature, ValueError):
            raise BadSignature("The signature does not fit the post.") from None
        self._refuse_old(fields["Timestamp"])

    def _refuse_old(self, told: str) -> None:
        """A post that was signed long ago may be played again by anybody who saw it."""
        try:
            at = datetime.fromisoformat(told)
        except ValueError:
            raise BadSignature("The post has no time.") from None
        if at.tzinfo is None or not -AHEAD_MAX <= self._now() - at.astimezone(UTC) <= AGE_MAX:
            raise BadSignature("The post is too old, or from the future.")

    def _certificate(self, url: str) -> x509.Certificate:
        """Kept after the first time, as long as it is valid. Raises `BadSignature`."""
        _refuse_stranger(url, CERTIFICATE_PATH)
        with self._guard:
            known = self._certificates.get(url)
        now = self._now()
        if known is None:
            try:
                known = x509.load_pem_x509_certificate(self._fetched(url))
            except ValueError:
                raise BadSignature("What came is no certificate.") from None
        if not known.not_valid_before_utc <= now <= known.not_valid_after_utc:
            raise BadSignature("The certificate is not valid now.")
        with self._guard:
            if len(self._certificates) >= CERTIFICATES_KEPT_MAX:
                self._certificates.clear()
            self._certificates[url] = known
        return known

    def _fetched(self, url: str) -> bytes:
        try:
            with self._client.stream("GET", url, timeout=TIMEOUT_SECONDS, follow_redirects=False) as response:
                if response.status_code != HTTPStatus.OK:
                    raise BadSignature(f"The certificate could not be had: {response.status_code}.")
                body = b""
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > CERTIFICATE_BYTES_MAX:
                        raise BadSignature("What came is too long for a certificate.")
                return body
        except httpx.HTTPError as error:
            raise BadSignature(f"The certificate could not be had: {type(error).__name__}.") from None

    def _confirm(self, url: str) -> None:
        """Say yes to a topic of ours, once its signature is proved."""
        _refuse_stranger(url, None)
        try:
            answer = self._client.get(url, timeout=TIMEOUT_SECONDS, follow_redirects=False)
        except httpx.HTTPError as error:
            raise BadRequest(f"The subscription could not be confirmed: {type(error).__name__}.") from None
        _log.info("sns_confirmed", status=answer.status_code)
        if answer.status_code != HTTPStatus.OK:
            raise BadRequest("The subscription could not be confirmed; let SNS ask again.")


def _refuse_stranger(url: str, path: re.Pattern[str] | None) -> None:
    """Only SNS itself is asked: the whole host, plain https, nothing hidden in the address. Raises `BadSignature`."""
    try:
        parts = urlsplit(url)
        plain = parts.scheme == "https" and parts.netloc == parts.hostname and not parts.fragment
    except ValueError:
        plain = False
    if not plain or HOST.fullmatch(parts.netloc) is None or (path is not None and path.fullmatch(parts.path) is None):
        raise BadSignature("The address is not one of SNS.")
    if path is not None and parts.query:
        raise BadSignature("The address is not one of SNS.")


def feedback_of(message: str) -> Feedback | None:
    """What SES says of one mail, as far as it is of interest."""
    try:
        report = msgspec.json.decode(message, type=_Report)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None  # SNS's own test message, or an event of another form
    token = _token(report.mail)
    match report.notification_type or report.event_type:
        case "Bounce" if report.bounce is not None:
            bounce = report.bounce
            kind = FeedbackKind.PERMANENT if bounce.bounce_type == "Permanent" else FeedbackKind.TRANSIENT
            return Feedback(kind, token, f"{bounce.bounce_type}/{bounce.bounce_sub_type}"[:100])
        case "Complaint" if report.complaint is not None and report.complaint.complaint_feedback_type != "not-spam":
            return Feedback(
                FeedbackKind.COMPLAINT, token, f"complaint: {report.complaint.complaint_feedback_type}"[:100]
            )
        case _:
            return None


def _token(mail: _Mail) -> str | None:
    """By the tag that events carry, else by the header, where SES is set to tell headers."""
    tagged = mail.tags.get(TAG)
    if tagged:
        return tagged[0].lower()
    return next((one.value.strip().lower() for one in mail.headers if one.name.lower() == HEADER.lower()), None)
