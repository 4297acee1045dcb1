"""The little language of card scripts: text in, one typed outcome out.

``succeed`` · ``succeed_partly:1000`` · ``decline:insufficient_funds[:advice[:network code[:network advice]]]``
· ``requires_action`` · ``pending:settle`` · ``pending:fail[:code]`` · ``not_found``
· ``error:500[:code]``, stored under the key where it is a 5xx · ``refuse:503[:code]``, never
stored · ``hang:45:<outcome>`` · ``lost:<outcome>``, booked but not answered
· ``broken:<outcome>``, booked but answered with a 500 · ``slow:2:<outcome>``, booked at once and
answered after real seconds, so that the webhook wins.
"""

from __future__ import annotations

from dataclasses import dataclass


class BadScript(ValueError):
    """The script names an outcome that we do not know."""


@dataclass(frozen=True)
class Decline:
    """A no, in the processor's words."""

    code: str = "card_declined"
    decline_code: str | None = None
    advice_code: str | None = None
    network_decline_code: str | None = None
    network_advice_code: str | None = None


@dataclass(frozen=True)
class Succeed:
    """Money moves, all of it or a part."""

    amount_minor: int | None = None  # None: all that was asked for


@dataclass(frozen=True)
class RequireAction:
    """The bank wants a word with the customer."""


@dataclass(frozen=True)
class Pend:
    """Neither yes nor no, for days."""

    decline: Decline | None  # None: it will settle


@dataclass(frozen=True)
class Fail:
    """An HTTP error. ``stored`` errors happened after the request began and are replayed."""

    status: int
    code: str
    stored: bool


@dataclass(frozen=True)
class Hang:
    """The answer takes longer than anybody waits; the result comes true all the same."""

    seconds: float
    then: Outcome


@dataclass(frozen=True)
class SlowAnswer:
    """Booked at once, answered later, in real seconds."""

    seconds: float
    then: Outcome


@dataclass(frozen=True)
class LoseAnswer:
    """Booked at once, and the connection dies before the answer."""

    then: Outcome


@dataclass(frozen=True)
class BreakAnswer:
    """Booked at once, and then the processor trips over something else."""

    then: Outcome


Outcome = Succeed | Decline | RequireAction | Pend | Fail | Hang | SlowAnswer | LoseAnswer | BreakAnswer

WHOLE_DIGITS_MAX = 9
AUTHENTICATION_REQUIRED = Decline(code="authentication_required", decline_code="authentication_required")

# For these the processor's own code is the decline code; for all others it is card_declined.
OWN_CODES = frozenset({"expired_card", "incorrect_cvc", "incorrect_number", "processing_error"})

LOWEST_ERROR, LOWEST_SERVER_ERROR, HIGHEST_ERROR = 400, 500, 599

ERROR_CODES = {
    400: "parameter_invalid",
    401: "api_key_revoked",
    404: "not_found",
    409: "idempotency_key_in_use",
    429: "rate_limit",
}


def decline_of(text: str) -> Decline:
    """``insufficient_funds``, ``insufficient_funds:try_again_later``, ``…::51`` or ``…::51:24``."""
    code, advice, network, network_advice = [*text.split(":"), "", "", ""][:4]
    if not code:
        raise BadScript("decline needs a code, for example decline:insufficient_funds")
    own = code if code in OWN_CODES else "card_declined"
    if code in ("authentication_required", "authentication_not_handled"):
        own = "authentication_required"
    return Decline(own, code, advice or None, network or None, network_advice or None)


def parse(text: str) -> Outcome:
    """The outcome that the text names, or ``BadScript`` with what would have been right."""
    word, _, rest = text.partition(":")
    match word:
        case "succeed" if not rest:
            return Succeed()
        case "succeed_partly":
            return Succeed(_whole(rest, text))
        case "decline":
            return decline_of(rest)
        case "requires_action" if not rest:
            return RequireAction()
        case "pending":
            return _pending(rest, text)
        case "not_found" if not rest:
            return Fail(404, "not_found", stored=False)
        case "error" | "refuse":
            return _error(rest, text, refused=word == "refuse")
        case "hang":
            seconds, _, then = rest.partition(":")
            return Hang(_seconds(seconds, text), _inner(then))
        case "slow":
            seconds, _, then = rest.partition(":")
            return SlowAnswer(_seconds(seconds, text), _inner(then))
        case "lost":
            return LoseAnswer(_inner(rest))
        case "broken":
            return BreakAnswer(_inner(rest))
        case _:
            raise BadScript(f"{text!r} is no outcome; write for example succeed, decline:<code>, hang:45:succeed")


def _inner(text: str) -> Outcome:
    then = parse(text)
    if isinstance(then, Hang | SlowAnswer | LoseAnswer | BreakAnswer):
        raise BadScript(f"{text!r} cannot stand inside another hang, slow, lost or broken")
    return then


def _pending(rest: str, text: str) -> Pend:
    way, _, code = rest.partition(":")
    if way == "settle" and not code:
        return Pend(None)
    if way == "fail":
        return Pend(decline_of(code or "insufficient_funds"))
    raise BadScript(f"{text!r}: write pending:settle or pending:fail[:<code>]")


def _error(rest: str, text: str, *, refused: bool) -> Fail:
    number, _, code = rest.partition(":")
    status = _whole(number, text)
    if not LOWEST_ERROR <= status <= HIGHEST_ERROR:
        raise BadScript(f"{text!r}: the status must be between 400 and 599")
    return Fail(
        status, code or ERROR_CODES.get(status, "api_error"), stored=status >= LOWEST_SERVER_ERROR and not refused
    )


def _whole(number: str, text: str) -> int:
    if not number.isdecimal() or len(number) > WHOLE_DIGITS_MAX or int(number) == 0:
        raise BadScript(f"{text!r} needs a whole number above 0")
    return int(number)


def _seconds(number: str, text: str) -> float:
    try:
        seconds = float(number)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 400 * 86_400:
        raise BadScript(f"{text!r} needs a number of seconds, for example hang:45:succeed")
    return seconds
