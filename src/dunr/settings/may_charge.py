"""What may not be set together where the merchant is asked before each charge."""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from dunr.settings.values import Settings


def may_charge_contradictions(settings: "Settings") -> Iterator[str]:
    """Everything that is wrong, each with what to write instead; that the address and its secret belong together, `outbound` says."""
    url = settings.may_charge_url
    if url is not None and settings.live and urlsplit(url).scheme != "https":
        yield f'live = true with may_charge_url = "{url}", which anybody can overhear and answer: write an https address'
