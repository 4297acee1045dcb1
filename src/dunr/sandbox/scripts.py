"""Which outcome a card's next charge has: the script's next line, the last one for ever.

A card without a script succeeds. A card whose first charge failed goes on
failing in the same way until it is told otherwise, as a real one does.
"""

from __future__ import annotations

import msgspec

from . import outcomes
from .database import Transaction
from .outcomes import Decline
from .records import Script

OUTCOMES_MAX = 1000


def next_outcome(tx: Transaction, card: str) -> str:
    script = tx.get(Script, card)
    if script is None:
        return "succeed"
    lines = msgspec.json.decode(script.outcomes, type=list[str])
    line = lines[min(script.position, len(lines) - 1)]
    script.position += 1
    tx.put(script)
    return line


def give(tx: Transaction, card: str, lines: list[str]) -> None:
    """The script that a tester wrote; it starts from its first line."""
    for line in lines:
        outcomes.parse(line)
    tx.put(Script(id=card, outcomes=msgspec.json.encode(lines).decode()))


def assume_declines(tx: Transaction, card: str, decline: Decline) -> None:
    """After a first failure, unless a tester has said what comes next."""
    script = tx.get(Script, card)
    if script is not None and script.given:
        return
    if decline.code == "authentication_required":
        line = "requires_action"
    else:
        parts = (decline.decline_code or decline.code, decline.advice_code or "", decline.network_decline_code or "")
        line = "decline:" + ":".join(parts).rstrip(":")
    tx.put(Script(id=card, outcomes=msgspec.json.encode([line]).decode(), given=False))


def forget_assumed(tx: Transaction, card: str) -> None:
    """A refreshed card is a new card; only a given script outlives it."""
    script = tx.get(Script, card)
    if script is not None and not script.given:
        tx.remove(Script, card)


def known(tx: Transaction, card: str) -> bool:
    """Whether anything says what the card will answer."""
    return tx.get(Script, card) is not None


def remaining(tx: Transaction, card: str) -> dict[str, object]:
    script = tx.get(Script, card)
    lines = ["succeed"] if script is None else msgspec.json.decode(script.outcomes, type=list[str])
    return {"card": card, "outcomes": lines, "position": 0 if script is None else script.position}
