"""By which words people find cases, whatever store keeps them: the beginnings of an invoice's, a subscription's and a customer's id, and a whole mail address.

An id is found by its beginning and by what stands behind its prefix (`in_1Nq` and `1Nq`), in whichever case. A mail address is kept by a keyed hash, so that the
words of a store are no list of addresses. Words are plain text with one owner each, so that any store that can read a range of keys can hold them.
"""

import hashlib
import hmac
from collections.abc import Iterator

from dunr.core.model import Case, Customer

FOUND_MAX = 1_000  # cases that begin alike; with more, the newest are walked through
WALKED_MAX = 2_000
LAST_SIGN = "\U0010ffff"
MARK = "@"
DIGITS = 32


def words_of(case: Case) -> Iterator[str]:
    """The words of a case."""
    for row_id in (case.id, case.subscription_id, case.customer_id):
        if row_id is not None:
            name = _own(row_id)
            yield name
            _, separator, rest = name.partition("_")
            if separator and rest:
                yield rest


def wanted(text: str) -> str:
    """What the words of a case that is looked for begin with. An id may be given as we write it, with its processor and account before it."""
    return _own(text.strip())


def is_mentioned(case: Case, beginning: str) -> bool:
    """Whether a word of a case begins so."""
    return any(word.startswith(beginning) for word in words_of(case))


def is_address(text: str) -> bool:
    """Whether somebody looks for a mail address."""
    return MARK in text


def address_word(email: str, key: str) -> str:
    """The word of a mail address, whose owner is a customer."""
    digest = hmac.new(key.encode(), email.strip().lower().encode(), hashlib.sha256).hexdigest()
    return f"{MARK}{digest[:DIGITS]}"


def customer_words(customer: Customer, key: str) -> tuple[str, ...]:
    """The words of a customer; none without a key."""
    email = customer.payer.email
    return (address_word(email, key),) if email and key else ()


def _own(row_id: str) -> str:
    """The id that the processor gave, in small letters."""
    parts = row_id.split(":", 2)
    return parts[-1].lower() if len(parts) == 3 else row_id.lower()  # noqa: PLR2004 - processor, account and id
