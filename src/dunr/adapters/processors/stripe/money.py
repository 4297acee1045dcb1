"""What Stripe charges at least, by currency, in its own minor units.

Amounts go through this adapter as the integers that Stripe counts; how many decimals they have is for people's eyes and stands in the facts. The minimum depends on the
currency that the account settles in; these are for an account that settles in the currency it charges. Source: Stripe's documentation, *Supported currencies*.
"""

from collections.abc import Mapping
from types import MappingProxyType

MINIMUM_MINOR: Mapping[str, int] = MappingProxyType(
    {"aed": 200, "aud": 50, "bgn": 100, "brl": 50, "cad": 50, "chf": 50, "czk": 1500, "dkk": 250, "eur": 50}
    | {"gbp": 30, "hkd": 400, "huf": 17500, "inr": 50, "jpy": 50, "mxn": 1000, "myr": 200, "nok": 300, "nzd": 50}
    | {"pln": 200, "ron": 200, "sek": 300, "sgd": 50, "thb": 1000, "usd": 50}
)


def minimum_minor(currency: str) -> int:
    """The least that Stripe charges in a currency; 0 where no minimum is known, so that Stripe itself says."""
    return MINIMUM_MINOR.get(currency.lower(), 0)
