"""Who a notice is from.

Knows the merchant's name, addresses and colour, and refuses values that would break a header or a page.
"""

import re
from dataclasses import dataclass, fields
from email.header import Header
from email.utils import formataddr

from dunr.errors import SettingsError

# An address that needs no quoting in a header. It leaves out what nobody uses on purpose: quoted local parts, comments.
_ADDRESS = re.compile(r"[^\s@<>()\[\]\\,;:\"\x00-\x1f\x7f]{1,64}@[^\s@<>()\[\]\\,;:\"\x00-\x1f\x7f]{1,255}")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_WEB_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")

# WCAG 2: relative luminance, and the luminance at which black and white text have the same contrast.
_CHANNEL_WEIGHTS = (0.2126, 0.7152, 0.0722)
_EQUAL_CONTRAST_LUMINANCE = 0.179

VISIBLE_CONTRAST = 3.0  # what WCAG 2 asks of the edge of a button
DARK_PAPER = "#161b22"


def is_plain_address(text: str) -> bool:
    """Whether the text is one mail address and nothing else: no line break, no second address, no display name."""
    return len(text) <= 254 and _ADDRESS.fullmatch(text) is not None  # noqa: PLR2004 - RFC 5321's longest path


@dataclass(frozen=True, slots=True)
class Brand:
    """The merchant as the customer knows it. `signature` closes each letter, one line of it under another."""

    name: str
    from_address: str
    reply_to: str | None = None
    support_url: str | None = None
    colour: str = "#2b6cd4"
    signature: str = ""
    logo_url: str | None = None
    postal_address: str = ""
    locale: str = "en"  # for customers whose own language is not known, or not one of ours
    tone: str = ""  # what a copywriter hears, such as "warm and brief"
    templates: str | None = None  # a folder with the merchant's own templates, or parts of them

    def __post_init__(self) -> None:
        """Refuse at start-up what would fail at the first mail. The texts name the setting and never its value."""
        if not self.name.strip() or not self.name.isprintable():
            raise SettingsError("The brand's name must be one line of text.")
        if not is_plain_address(self.from_address):
            raise SettingsError("The brand's from_address must be a plain mail address.")
        if not self.domain.isascii():
            raise SettingsError("The domain of the brand's from_address must be written in ASCII (xn--…).")
        if self.reply_to is not None and not is_plain_address(self.reply_to):
            raise SettingsError("The brand's reply_to must be a plain mail address, or be left out.")
        if self.support_url is not None and not _WEB_ADDRESS.fullmatch(self.support_url):
            raise SettingsError("The brand's support_url must begin with https:// or http://, or be left out.")
        if self.logo_url is not None and not _WEB_ADDRESS.fullmatch(self.logo_url):
            raise SettingsError("The brand's logo_url must begin with https:// or http://, or be left out.")
        if not _COLOUR.fullmatch(self.colour):
            raise SettingsError("The brand's colour must be written as #rrggbb.")

    @property
    def domain(self) -> str:
        """The right-hand side of our Message-IDs."""
        return self.from_address.rpartition("@")[2]

    @property
    def sender(self) -> str:
        """The From header, encoded in full: a name such as `Café, Berlin` half encoded would read as two addresses."""
        if self.name.isascii():
            return formataddr((self.name, self.from_address))
        return f"{Header(self.name, 'utf-8').encode(linesep='')} <{self.from_address}>"

    @property
    def ink(self) -> str:
        """Black or white, whichever is easier to read on the brand's colour."""
        return "#000000" if _luminance(self.colour) > _EQUAL_CONTRAST_LUMINANCE else "#ffffff"

    def warnings(self) -> tuple[str, ...]:
        """What can be read badly in this brand's colours, in light and in dark mode; it is used all the same."""
        against = {"the white of a letter": "#ffffff", "the dark background of a letter at night": DARK_PAPER}
        return tuple(
            f"colour = {self.colour} can hardly be told from {ground} ({contrast(self.colour, paper):.1f}:1): "
            f"write one with a contrast of {VISIBLE_CONTRAST:.0f}:1 or more, since the button is painted in it"
            for ground, paper in against.items()
            if contrast(self.colour, paper) < VISIBLE_CONTRAST
        )


BRAND_FIELDS = tuple(field.name for field in fields(Brand))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 counts it: 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return sum(weight * _linear(channel) for weight, channel in zip(_CHANNEL_WEIGHTS, channels, strict=True))


def _linear(channel: float) -> float:
    """An sRGB channel (0 to 1) as linear light, as WCAG 2 defines it."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - WCAG's constants
