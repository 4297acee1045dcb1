"""How each processor counts money: the digits behind the decimal point of its minor units.

They differ from the currency's own: Stripe takes Ugandan shillings and Icelandic krónur in hundredths that do not
exist, and Malagasy ariary without any. An amount is sent back as the integer that came; the exponent is for people's
eyes only.
"""

from collections.abc import Mapping
from decimal import Decimal
from functools import cache

from dunr.core.facts import USUAL_EXPONENT
from dunr.facts.tables import rows

COLUMN_OF_PROCESSOR = {"stripe": "stripe", "sandbox": "stripe"}  # all others count as ISO 4217 does


@cache
def _exponents(column: str) -> dict[str, int]:
    return {row["currency"]: int(row[column]) for row in rows("currency_exponents.csv")}


def exponents(processor: str) -> Mapping[str, int]:
    """The digits of every currency that does not have the usual ones, by its code in capitals."""
    return _exponents(COLUMN_OF_PROCESSOR.get(processor, "iso"))


def exponent(processor: str, currency: str) -> int:
    """The decimal digits in the processor's minor units of a currency: 2 for USD, 0 for JPY, 3 for KWD."""
    return exponents(processor).get(currency.upper(), USUAL_EXPONENT)


def units(processor: str, amount_minor: int, currency: str) -> Decimal:
    """The amount in whole units, exactly: 5000 is 50.00 USD, 5000 JPY and 5.000 KWD."""
    return Decimal(amount_minor).scaleb(-exponent(processor, currency))
