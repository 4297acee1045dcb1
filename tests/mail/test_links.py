"""Card links: what was signed comes back, until it expires, and nothing else does."""

import string
from datetime import UTC, datetime, timedelta

import pytest
from itsdangerous import URLSafeSerializer

from dunr.errors import SettingsError
from dunr.mail.links import CARD_LINK_LIFE, CardLinks, LinkClaims, LinkExpired, LinkForged

MADE_AT = datetime(2026, 6, 23, 10, tzinfo=UTC)
SECRET = "a secret that is long enough"
LINKS = CardLinks(SECRET, "https://pay.nordwind.example/")


def token(case_id: str = "sandbox:acct:in_1", round_number: int = 2) -> str:
    return LINKS.make(case_id, round_number, MADE_AT).removeprefix("https://pay.nordwind.example/pay/")


def test_a_link_opens_its_case_for_sixty_days() -> None:
    assert timedelta(days=60) == CARD_LINK_LIFE
    for now in (MADE_AT, MADE_AT + timedelta(days=30), MADE_AT + CARD_LINK_LIFE - timedelta(seconds=1)):
        assert LINKS.read(token(), now) == LinkClaims("sandbox:acct:in_1", 2)


def test_an_expired_link_still_tells_its_case() -> None:
    with pytest.raises(LinkExpired) as expired:
        LINKS.read(token(), MADE_AT + CARD_LINK_LIFE)
    assert expired.value.claims == LinkClaims("sandbox:acct:in_1", 2)
    assert expired.value.http_status == 410


def test_a_link_is_safe_in_an_address() -> None:
    allowed = set(string.ascii_letters + string.digits + "-_.")
    for case_id in ("sandbox:acct:in_1", "x:y:ü/?#&= +", "x" * 900, "x:y:" + "ab" * 300):
        assert set(token(case_id)) <= allowed
        assert LINKS.read(token(case_id), MADE_AT).case_id == case_id


def test_any_changed_character_is_forged() -> None:
    genuine = token()
    for place in range(len(genuine)):
        for other in "A_":
            changed = genuine[:place] + other + genuine[place + 1 :]
            if changed == genuine:
                continue
            try:
                claims = LINKS.read(changed, MADE_AT)
            except LinkForged:
                continue
            # The last character of base64 carries bits that mean nothing; the claims are the same.
            assert claims == LinkClaims("sandbox:acct:in_1", 2)
            assert place == len(genuine) - 1


@pytest.mark.parametrize("text", ["", ".", "a.b", "a.b.c", "é" * 10, "\x00", "." * 50, "A" * 5000, token() + "x"])
def test_anything_else_is_forged(text: str) -> None:
    with pytest.raises(LinkForged):
        LINKS.read(text, MADE_AT)


def test_another_secret_and_another_purpose_are_forged() -> None:
    other = CardLinks("another secret, also long", "https://pay.nordwind.example").make("c", 1, MADE_AT)
    same_secret = URLSafeSerializer(SECRET, salt="something else").dumps(["c", 1, 0])
    for text in (other.rpartition("/")[2], str(same_secret)):
        with pytest.raises(LinkForged):
            LINKS.read(text, MADE_AT)


def test_what_is_signed_but_no_claim_is_forged() -> None:
    for payload in ({"case": "c"}, ["c"], ["c", "1", 0], [1, 1, 0], "c", None):
        signed = LINKS._serializer.dumps(payload)
        with pytest.raises(LinkForged):
            LINKS.read(str(signed), MADE_AT)


def test_a_short_secret_and_a_strange_address_are_refused_at_start() -> None:
    with pytest.raises(SettingsError):
        CardLinks("short", "https://pay.nordwind.example")
    with pytest.raises(SettingsError):
        CardLinks(SECRET, "pay.nordwind.example")
