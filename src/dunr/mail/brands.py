"""The brands of one installation, and which of them a notice has.

Knows the order: the one that the policy names (and a segment chooses its policy), the one named after the processor's account, else the merchant's own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

import structlog

from dunr.core.effects import Notice
from dunr.errors import SettingsError
from dunr.mail.brand import BRAND_FIELDS, Brand

DEFAULT = "default"
BrandTold = Callable[[str, str], None]  # the brand's name, and the text
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Brands:
    """The merchant's own brand and the others, by their names."""

    own: Brand
    named: Mapping[str, Brand] = field(default_factory=dict)
    told: BrandTold | None = None
    _unknown: set[str] = field(default_factory=set)  # that were told of already

    def of(self, notice: Notice) -> Brand:
        """Whose name and look the mail of this notice has."""
        if notice.brand and notice.brand not in self.named and notice.brand != DEFAULT:
            self._tell(notice)  # a policy outlives a setting
        account = notice.case_id.split(":", 2)[1]
        return self.named.get(notice.brand) or self.named.get(account) or self.own

    def _tell(self, notice: Notice) -> None:
        """A person hears of it, once."""
        _log.warning("brand_unknown", brand=notice.brand, notice=notice.key)
        if self.told is None or notice.brand in self._unknown:
            return
        self._unknown.add(notice.brand)
        text = f"A policy names the brand {notice.brand!r}, and the settings have no [brands.{notice.brand}]: its mails have your own name and look until they do."
        self.told(notice.brand, text)

    def all(self) -> Mapping[str, Brand]:
        """Each brand under its name."""
        return {DEFAULT: self.own, **self.named}


def read_brands(
    name: str, from_address: str, tables: Mapping[str, Mapping[str, str]], told: BrandTold | None = None
) -> Brands:
    """The brands of the settings; what `[brands.default]` says counts for the others, too. Raises `SettingsError`."""
    own = {"name": name, "from_address": from_address, **tables.get(DEFAULT, {})}
    return Brands(
        _brand(DEFAULT, own),
        {key: _brand(key, {**own, **table}) for key, table in tables.items() if key != DEFAULT},
        told,
    )


def _brand(name: str, values: Mapping[str, str]) -> Brand:
    for key in values:
        if key not in BRAND_FIELDS:
            close = get_close_matches(key, BRAND_FIELDS, n=1)
            wanted = f"write {close[0]}" if close else f"write one of {', '.join(BRAND_FIELDS)}"
            raise SettingsError(f"[brands.{name}] has no setting {key}: {wanted}")
    try:
        return Brand(**values)
    except SettingsError as error:
        raise SettingsError(f"[brands.{name}] cannot be used. {error}") from error
