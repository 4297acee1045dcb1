"""What must not be read in a log, in an alert, or anywhere else that people pass on: secrets, card numbers, account numbers and addresses.

Whoever writes a text need not think of it: it is cleaned on its way out.
"""

import re

DIGITS_MIN, DIGITS_MAX = 13, 19  # of a card number
NINE = 9
CARD = re.compile(r"(?<![\w.])(?:\d[ -]?){12,18}\d(?!\w|\.\d)")
# Whoever can have a text logged could keep us busy with an expression that begins anew at each of its signs: each part has a bound or gives nothing back.
PATTERNS = (
    (re.compile(r"\b(Bearer|Basic)\s+[\w.~+/=-]+", re.IGNORECASE), r"\1 [hidden]"),
    (re.compile(r"\bwhsec_[\w+/=-]+"), "whsec_[hidden]"),
    (re.compile(r"\b([srp]k)_(live|test|sandbox)_\w+"), r"\1_\2_[hidden]"),
    (re.compile(r"\bdunr_[A-Za-z0-9_-]{16,}"), "dunr_[hidden]"),
    (re.compile(r"(://[^\s:/@]*):[^\s@/]+@"), r"\1:[hidden]@"),
    (re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,10}"), "[mail]"),
    (re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b"), "[iban]"),
    (re.compile(r"(?<![\w-])[\w-]{16,}+\.[\w-]{4,}+\.[\w-]{16,}"), "[signed]"),
)


def clean_text(text: str) -> str:
    """A text without what must not be read."""
    for pattern, shown in PATTERNS:
        text = pattern.sub(shown, text)
    return CARD.sub(lambda found: "[card]" if is_card(found.group()) else found.group(), text)


def is_card(text: str) -> bool:
    """Whether the last digit is the one that the others ask for, as it is in each card number."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    doubled = (2 * digit if place % 2 else digit for place, digit in enumerate(reversed(digits)))
    return (
        DIGITS_MIN <= len(digits) <= DIGITS_MAX
        and sum(digit - NINE if digit > NINE else digit for digit in doubled) % 10 == 0
    )
