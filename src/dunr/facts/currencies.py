"""How each processor counts money: the digits behind the decimal point of its minor units.

They differ from the currency's own: Stripe takes Ugandan shillings and Icelandic krónur in hundredths that do not
exist, and Malagasy ariary without any. An amount is sent back as the integer that came; the exponent is for people's
eyes only.
"""

from decimal import Decimal
from functools import cache

from dunr.facts.tables import rows

USUAL_EXPONENT = 2  # of every currency that the table does not name
COLUMN_OF_PROCESSOR = {"stripe": "stripe", "sandbox": "stripe"}  # all others count as ISO 4217 does


@cache
def _exponents(column: str) -> dict[str, int]:
    return {row["currency"]: int(row[column]) for row in rows("currency_exponents.csv")}


def exponent(processor: str, currency: str) -> int:
    """The decimal digits in the processor's minor units of a currency: 2 for USD, 0 for JPY, 3 for KWD."""
    column = COLUMN_OF_PROCESSOR.get(processor, "iso")
    return _exponents(column).get(currency.upper(), USUAL_EXPONENT)


def units(processor: str, amount_minor: int, currency: str) -> Decimal:
    """The amount in whole units, exactly: 5000 is 50.00 USD, 5000 JPY and 5.000 KWD."""
    return Decimal(amount_minor).scaleb(-exponent(processor, currency))
