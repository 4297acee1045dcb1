"""What an unknown code probably means, from the codes that are known.

A proposal is for a person to accept or not; no decision ever reads one.
"""

import re
from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from dunr.core.declines import in_words
from dunr.core.facts import DeclineKey
from dunr.core.terms import DeclineReason
from dunr.core.value import Value
from dunr.facts.tables import ISO_8583, NETWORKS_WITH_DECLINES, PROCESSORS_WITH_DECLINES, shipped_codes

ALIKE_MIN = 0.8  # how alike two spellings must be, from 0 to 1
ISO_NUMBER = re.compile(r"0*(?P<code>[0-9]{2})")
WORDLESS_LENGTH_MAX = 4  # a shorter code is a number or an abbreviation, and likeness means nothing


class Proposal(Value):
    """A meaning that a person may accept, and what speaks for it."""

    reason: DeclineReason
    why: str


def proposal_for(key: DeclineKey) -> Proposal | None:
    """The nearest meaning: of the same code elsewhere, of the number in ISO 8583, or of a similar spelling. None where nothing is near."""
    _, _, code = key
    by_spelling = _by_spelling()
    spelling = _spelling(code)
    elsewhere = by_spelling.get(spelling) if not _is_number(code) else None
    if elsewhere:
        return _of_most(elsewhere, "the same code elsewhere")
    number = ISO_NUMBER.fullmatch(code)
    if number is not None:
        standard = (ISO_8583, "network_decline_code", number["code"])
        reason = shipped_codes(ISO_8583).declines.get(standard)
        if reason is not None:
            return Proposal(reason, f"the number as ISO 8583 has it ({in_words(standard)})")
    if len(spelling) > WORDLESS_LENGTH_MAX and not _is_number(code):
        close = get_close_matches(spelling, by_spelling, n=1, cutoff=ALIKE_MIN)
        if close:
            return _of_most(by_spelling[close[0]], "a similar spelling")
    return None


def _of_most(meanings: Mapping[DeclineKey, DeclineReason], what: str) -> Proposal:
    """The meaning that most of the known codes have; the first of them speaks for it."""
    [(reason, count)] = Counter(meanings.values()).most_common(1)
    example = next(key for key, meant in meanings.items() if meant is reason)
    others = f", and {count - 1} more" if count > 1 else ""
    return Proposal(reason, f"{what}: {in_words(example)}{others}")


@cache
def _by_spelling() -> Mapping[str, Mapping[DeclineKey, DeclineReason]]:
    """Every shipped code that is a word, by its spelling."""
    found: dict[str, dict[DeclineKey, DeclineReason]] = {}
    for owner in sorted(PROCESSORS_WITH_DECLINES | NETWORKS_WITH_DECLINES):
        for key, reason in shipped_codes(owner).declines.items():
            if not _is_number(key[2]):
                found.setdefault(_spelling(key[2]), {})[key] = reason
    return found


def _spelling(code: str) -> str:
    """The letters and digits of a code, so that `CARD-EXPIRED` and `card_expired` are one."""
    return re.sub(r"[^a-z0-9]", "", code.lower())


def _is_number(code: str) -> bool:
    """Whether a code is a number, which means something else to everybody."""
    return any(sign.isdigit() for sign in code) and sum(sign.isalpha() for sign in code) <= 2  # noqa: PLR2004 - R01, 5C, PP06
