"""What a copywriter's paragraph must pass before a customer reads it. Knows that prose may not add facts."""

import re
from collections.abc import Iterable, Mapping

PROSE_LENGTH_MIN = 20
PROSE_LENGTH_MAX = 600

_LIKE_A_LINK = re.compile(r"//|@|\bwww\b|\w\.\w", re.IGNORECASE)


def is_fit(prose: str, facts: Mapping[str, str], required: Iterable[str]) -> bool:
    """Whether the paragraph states each required fact unchanged, and holds no link and no number beside the facts."""
    if not PROSE_LENGTH_MIN <= len(prose) <= PROSE_LENGTH_MAX:
        return False
    if any(facts[name] not in prose for name in required):
        return False
    rest = prose
    for value in sorted(filter(None, facts.values()), key=len, reverse=True):
        rest = rest.replace(value, " ")
    return rest.isprintable() and not _LIKE_A_LINK.search(rest) and not any(map(str.isnumeric, rest))
