"""Mail through Amazon SES, by version 2 of its API.

Knows which answers are about this mail and which about us, and that an answer which did not come leaves it open whether the mail went. SES puts its own
Message-ID on what it sends; the token of the mail travels as a tag, and comes back with each bounce.
"""

from typing import Any, Protocol

import structlog
from botocore.exceptions import (  # type: ignore[import-untyped]
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    ReadTimeoutError,
)

from dunr.mail.message import RenderedMail
from dunr.mail.mime import as_email
from dunr.mail.return_paths import TAG
from dunr.ports import Delivery

_log = structlog.get_logger()

CONNECT_SECONDS, READ_SECONDS = 10, 30
SERVER_ERROR = 500
# A firm no to this very mail: its address or its form. Everything else is about our account and is put right there.
_ABOUT_THE_MAIL = frozenset({"BadRequestException"})


class SesClient(Protocol):
    """What is used of boto3's client."""

    def send_email(self, **request: Any) -> Any:  # noqa: ANN401 - boto3 has no types
        """One mail."""
        ...


def ses_client(region: str) -> SesClient:
    """A client that tries once: a second try of an answer that was lost would be a second mail."""
    import boto3  # type: ignore[import-untyped]  # noqa: PLC0415 - takes a while, and is wanted here only
    from botocore.config import Config  # type: ignore[import-untyped]  # noqa: PLC0415 - the same

    once = Config(retries={"total_max_attempts": 1}, connect_timeout=CONNECT_SECONDS, read_timeout=READ_SECONDS)
    client: SesClient = boto3.client("sesv2", region_name=region, config=once)
    return client


class SesMailer:
    """Sends each mail as it was rendered. boto3's client may be shared by threads."""

    def __init__(self, client: SesClient, sender: str, configuration_set: str | None) -> None:
        """`configuration_set` is what publishes bounces and complaints."""
        self._client = client
        self._sender = sender
        self._configuration_set = configuration_set

    def deliver(self, mail: RenderedMail) -> Delivery:
        """Hand over one mail. Never raises for what SES or the network does."""
        try:
            self._client.send_email(**self._request(mail))
        except ClientError as error:
            return _told(mail, _meaning(error), str(error.response.get("Error", {}).get("Code", "")))
        except (ReadTimeoutError, ConnectionClosedError) as error:
            return _told(mail, Delivery.MAYBE_SENT, type(error).__name__)
        except (ConnectTimeoutError, EndpointConnectionError, NoCredentialsError) as error:
            return _told(mail, Delivery.FAILED_FOR_NOW, type(error).__name__)
        except HTTPClientError as error:
            return _told(mail, Delivery.MAYBE_SENT, type(error).__name__)
        return Delivery.SENT

    def _request(self, mail: RenderedMail) -> dict[str, object]:
        request: dict[str, object] = {
            "FromEmailAddress": self._sender,
            "Destination": {"ToAddresses": [mail.to]},
            "Content": {"Raw": {"Data": as_email(mail).as_bytes()}},
        }
        if mail.return_path is not None:
            request["FeedbackForwardingEmailAddress"] = mail.return_path
        if mail.token is not None:
            request["EmailTags"] = [{"Name": TAG, "Value": mail.token}]
        if self._configuration_set is not None:
            request["ConfigurationSetName"] = self._configuration_set
        return request


def _meaning(error: ClientError) -> Delivery:
    """What an answer other than yes comes to."""
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if status >= SERVER_ERROR:
        return Delivery.MAYBE_SENT
    code = error.response.get("Error", {}).get("Code", "")
    return Delivery.UNDELIVERABLE if code in _ABOUT_THE_MAIL else Delivery.FAILED_FOR_NOW


def _told(mail: RenderedMail, delivery: Delivery, why: str) -> Delivery:
    _log.warning("mail_not_sent", notice=mail.notice_key, delivery=delivery.value, at="ses", code=why)
    return delivery
