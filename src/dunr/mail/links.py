"""Signed links: the one thing in a notice that acts. Knows who may fix, or hear no more of, which case, and until when. No state."""

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

from itsdangerous import BadData, URLSafeSerializer

from dunr.errors import CallerError, SettingsError

CARD_LINK_LIFE = timedelta(days=60)
SECRET_LENGTH_MIN = 16
TOKEN_LENGTH_MAX = 2000

# Binds the signature to one purpose and form: a token made for anything else with the same secret is forged here.
_CARD_PURPOSE = "dunr.card-link.1"
_REMINDER_PURPOSE = "dunr.reminder-link.1"


@dataclass(frozen=True, slots=True)
class LinkClaims:
    """What a link entitles its holder to: to see and pay one case, in one of its rounds; in round 0, to put a new card on file as the customer of that row."""

    case_id: str
    round: int
    made_at: datetime | None = field(default=None, compare=False)  # a link that is made from this one expires with it

    @property
    def is_about_a_card(self) -> bool:
        """Whether it belongs to no case, but to a customer whose card expires."""
        return self.round == 0


class LinkForged(CallerError):
    """This link was not made here, or it was changed on its way."""

    http_status = 404
    title = "This link does not work"


class LinkExpired(CallerError):
    """The link was genuine and has expired. Its claims tell for which case a new one may go to the address on file."""

    http_status = 410
    title = "This link has expired"

    def __init__(self, claims: LinkClaims) -> None:
        """Keep the claims; they are proved by the signature, and they no longer entitle to anything."""
        super().__init__("This link has expired; ask for a new one.")
        self.claims = claims


class Links(Protocol):
    """What the renderer needs of links."""

    def make(self, case_id: str, round_number: int, at: datetime) -> str:
        """The address of the page where the customer can fix this case."""
        ...


class _SignedLinks:
    """Makes and reads links of one purpose. Time is an argument: a link made at `at` expires `CARD_LINK_LIFE` later."""

    def __init__(self, secret: str | bytes, base_url: str, purpose: str, folder: str) -> None:
        """`base_url` is where customers reach us; the page is `{base_url}/{folder}/{token}`."""
        if len(secret) < SECRET_LENGTH_MIN:
            raise SettingsError(f"The secret of the card links must have at least {SECRET_LENGTH_MIN} characters.")
        if not base_url.startswith(("https://", "http://")):
            raise SettingsError("The public base URL must begin with https:// or http://.")
        self._begins = f"{base_url.rstrip('/')}/{folder}/"
        self._serializer = URLSafeSerializer(
            secret, salt=purpose, signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256}
        )

    def make(self, case_id: str, round_number: int, at: datetime) -> str:
        """The address of the page where the customer can fix this case."""
        token = self._serializer.dumps([case_id, round_number, int(at.timestamp())])
        return self._begins + token

    def read(self, token: str, now: datetime) -> LinkClaims:
        """The claims of a token. Raises `LinkForged` or `LinkExpired`. The signature is compared in constant time."""
        if len(token) > TOKEN_LENGTH_MAX:
            raise LinkForged("This link is not one of ours.")
        try:
            payload = self._serializer.loads(token)
        except (BadData, ValueError) as error:
            raise LinkForged("This link is not one of ours.") from error
        match payload:
            case [str(case_id), int(round_number), int(made_at)]:
                claims = LinkClaims(case_id, round_number, datetime.fromtimestamp(made_at, UTC))
            case _:
                raise LinkForged("This link is not one of ours.")
        if now >= datetime.fromtimestamp(made_at, UTC) + CARD_LINK_LIFE:
            raise LinkExpired(claims)
        return claims


class CardLinks(_SignedLinks):
    """Links to the page where a case can be fixed."""

    def __init__(self, secret: str | bytes, base_url: str) -> None:
        """The page is `{base_url}/pay/{token}`."""
        super().__init__(secret, base_url, _CARD_PURPOSE, "pay")


class ReminderLinks(_SignedLinks):
    """Links by which reminders about one invoice are stopped, and nothing else: who has one can neither see nor pay anything."""

    def __init__(self, secret: str | bytes, base_url: str) -> None:
        """The page is `{base_url}/reminders/{token}`."""
        super().__init__(secret, base_url, _REMINDER_PURPOSE, "reminders")
