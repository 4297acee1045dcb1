"""SNS, as far as a test needs it: a topic with a key and a certificate of its own, and the posts that it signs."""

import base64
from datetime import UTC, datetime, timedelta
from functools import cache

import httpx
import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

TOPIC = "arn:aws:sns:eu-west-2:123456789012:dunr-feedback"
HOST = "https://sns.eu-west-2.amazonaws.com"
CERTIFICATE_URL = f"{HOST}/SimpleNotificationService-0123456789abcdef.pem"
NOW = datetime(2026, 6, 23, 10, tzinfo=UTC)


@cache
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@cache
def certificate() -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.amazonaws.com")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key().public_key())
    made = made.serial_number(1).not_valid_before(NOW - timedelta(days=400)).not_valid_after(NOW + timedelta(days=4000))
    return made.sign(key(), hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def post(message: object, *, version: str = "2", kind: str = "Notification", **changes: str) -> bytes:
    """A post of the topic, signed; `changes` are made before the signature, those that begin with `after_` behind it."""
    fields = {
        "Type": kind,
        "MessageId": "m-1",
        "TopicArn": TOPIC,
        "Message": message if isinstance(message, str) else msgspec.json.encode(message).decode(),
        "Timestamp": NOW.isoformat().replace("+00:00", ".000Z"),
        "SignatureVersion": version,
        "SigningCertURL": CERTIFICATE_URL,
    }
    if kind != "Notification":
        fields |= {"Token": "t", "SubscribeURL": f"{HOST}/?Action=ConfirmSubscription&Token=t"}
    fields |= {name: value for name, value in changes.items() if not name.startswith("after_")}
    names = ["Message", "MessageId", "SubscribeURL", "Subject", "Timestamp", "Token", "TopicArn", "Type"]
    signed = "".join(f"{name}\n{fields[name]}\n" for name in names if name in fields).encode()
    algorithm = hashes.SHA1() if version == "1" else hashes.SHA256()
    fields["Signature"] = base64.b64encode(key().sign(signed, padding.PKCS1v15(), algorithm)).decode()
    fields |= {name.removeprefix("after_"): value for name, value in changes.items() if name.startswith("after_")}
    return msgspec.json.encode(fields)


class Amazon:
    """What answers at SNS; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.certificate = certificate()
        self.status = 200

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        if self.status != 200:
            return httpx.Response(self.status, headers={"location": "https://elsewhere.example/x.pem"})
        return httpx.Response(200, content=self.certificate)


def bounce(kind: str = "Permanent", sub_type: str = "General", token: str | None = None, **more: object) -> object:
    tags = {"dunr": [token]} if token is not None else {}
    return {
        "eventType": "Bounce",
        "mail": {"messageId": "0102", "tags": tags, "destination": ["x@example.com"]},
        "bounce": {
            "bounceType": kind,
            "bounceSubType": sub_type,
            "bouncedRecipients": [{"emailAddress": "x@example.com"}],
        },
        **more,
    }


def complaint(token: str, kind: str | None = "abuse") -> object:
    mail = {"messageId": "0102", "headers": [{"name": "X-Dunr-Mail", "value": token}]}
    return {"notificationType": "Complaint", "mail": mail, "complaint": {"complaintFeedbackType": kind}}
