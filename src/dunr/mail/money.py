"""How an amount reads. Knows that the processor's minor units and the digits that people print are two tables."""

import re
from decimal import Decimal

from babel.core import Locale
from babel.numbers import get_currency_precision, parse_pattern

_NO_BREAK_SPACE = "\u00a0"
# CLDR's currencySpacing, which Babel leaves out: a code made of letters keeps a space to the digits (KWD 5.000).
_TOUCHING = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")


def amount_text(amount_minor: int, currency: str, exponent: int, locale: Locale) -> str:
    """The amount in the customer's notation.

    `exponent` is the processor's: 500 UGX at Stripe are 5 shillings. The digits are CLDR's, unless that would hide
    money: HUF 5000 reads 50 and HUF 5050 reads 50.50.
    """
    code = currency.upper()
    units = Decimal(amount_minor).scaleb(-exponent)
    digits = get_currency_precision(code)
    if units != round(units, digits):
        digits = exponent
    # A copy of the locale's pattern: the locale's own is shared by all threads.
    pattern = parse_pattern(locale.currency_formats["standard"].pattern)
    pattern.frac_prec = (digits, digits)
    text = pattern.apply(units, locale, currency=code, currency_digits=False)
    return _TOUCHING.sub(_NO_BREAK_SPACE, text)
