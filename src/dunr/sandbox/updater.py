"""The account updater, and the network behind a token: what a request for fresher details of a card comes to, by its script, and the books of all requests.

A card that was given no script does what the setting ``updater`` says. A
network token always gets a fresh cryptogram, unless its script says otherwise.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from . import billing, scripts
from .answers import Reply, as_json
from .database import Transaction
from .identifiers import new_id
from .instants import on_wire
from .records import Card, RefreshRequest, UpdaterScript
from .refusals import bad_request, invalid, not_found, unavailable
from .snapshots import card_on_wire
from .wire import Call

UpdaterOutcome = Literal["hit", "expiry", "cryptogram", "miss", "closed", "fail"]
OUTCOMES_MAX = 100
LISTED_MAX = 10_000


class RefreshBody(msgspec.Struct, forbid_unknown_fields=True):
    """Whose card it is, where the caller wants that to be checked."""

    customer: str | None = None


class OutcomesBody(msgspec.Struct, forbid_unknown_fields=True):
    """The next answers of the updater for a card, in order; the last one repeats."""

    outcomes: Annotated[list[UpdaterOutcome], msgspec.Meta(min_length=1, max_length=OUTCOMES_MAX)]


def refresh(tx: Transaction, call: Call) -> Reply:
    """One request by an engine. Each is written down; a renewed card stays renewed, whether or not its answer arrives."""
    card = tx.get(Card, call.path["id"])
    try:
        wanted = msgspec.json.decode(call.body or b"{}", type=RefreshBody).customer
    except (msgspec.DecodeError, RecursionError) as error:
        raise bad_request("parameter_invalid", str(error)) from None
    if card is None or card.detached or wanted not in (None, card.customer):
        raise not_found("card", call.path["id"])
    outcome = _next_outcome(tx, card)
    before = (card.fingerprint, card.expires)
    if outcome in ("hit", "expiry"):
        billing.renew(tx, card, new_number=outcome == "hit")
    if outcome == "cryptogram":
        scripts.forget_assumed(tx, card.id)
    _write_down(tx, card, outcome, before)
    if outcome == "fail":
        return as_json(unavailable("The updater cannot be reached; try again later.").body(), 503)
    if outcome == "closed":
        return as_json({"updated": False, "card": None, "why": "the account behind the card is closed"})
    return as_json(
        {
            "updated": outcome in ("hit", "expiry"),
            "fresh_cryptogram": outcome == "cryptogram",
            "card": card_on_wire(card),
            "why": None,
        }
    )


def _next_outcome(tx: Transaction, card: Card) -> UpdaterOutcome:
    script = tx.get(UpdaterScript, card.id)
    if script is not None:
        lines = msgspec.json.decode(script.outcomes, type=list[UpdaterOutcome])
        line = lines[min(script.position, len(lines) - 1)]
        script.position += 1
        tx.put(script)
        return line
    if tx.settings.updater == "hit":
        return "expiry" if card.network_token else "hit"
    return "cryptogram" if card.network_token else "miss"


def _write_down(tx: Transaction, card: Card, outcome: UpdaterOutcome, before: tuple[str | None, str | None]) -> None:
    tx.put(
        RefreshRequest(
            id=new_id("ref"),
            card=card.id,
            customer=card.customer,
            outcome=outcome,
            fingerprint_before=before[0],
            fingerprint_after=card.fingerprint,
            expires_before=before[1],
            expires_after=card.expires,
            at=tx.now,
        )
    )


def put_script(tx: Transaction, call: Call) -> Reply:
    """What the updater answers next about a card, which may come later: a list of outcomes, bare or under ``outcomes``."""
    is_bare = call.body.lstrip().startswith(b"[")
    body = call.read(list[UpdaterOutcome]) if is_bare else call.read(OutcomesBody).outcomes
    if not 1 <= len(body) <= OUTCOMES_MAX:
        raise invalid(f"Give between 1 and {OUTCOMES_MAX} outcomes; the last one repeats.")
    tx.put(UpdaterScript(id=call.path["id"], outcomes=msgspec.json.encode(body).decode()))
    return as_json({"card": call.path["id"], "outcomes": body, "position": 0})


def list_requests(tx: Transaction, call: Call) -> Reply:
    """One row a request for fresher details, oldest first: what it came to, and what the card was and is."""
    found = tx.find(RefreshRequest, "(?1 IS NULL OR card = ?1)", call.query.get("card"), limit=LISTED_MAX)
    return as_json([{**msgspec.structs.asdict(row), "at": on_wire(row.at)} for row in found])
