"""The log: one JSON object a line on stderr, or text for a person, and never a secret, a card number or an address.

Whoever logs need not think of it: the last step before the line is written looks at the name of each field and at the text in it, the text of exceptions included.
"""

import re
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import ExitStack
from typing import Literal

import structlog

from dunr.happenings import hear
from dunr.redaction import clean_text, is_card

HIDDEN = "[hidden]"
SECRET_NAMES = re.compile(
    r"secret|passw|token|authori[sz]ation|api_?key|cookie|signature|credential|e?mail|recipient|address|iban|\bpan\b|card_?number|\bcvc\b|\bcvv\b",
    re.IGNORECASE,
)
DEPTH_MAX = 6
_let_go = ExitStack()  # of what hears for the log: a process has one log, however often it is set up


def redact(_: object, __: str, fields: MutableMapping[str, object]) -> MutableMapping[str, object]:
    """The step of the chain: what must not be read is not written."""
    return {name: HIDDEN if SECRET_NAMES.search(name) else _clean(value, DEPTH_MAX) for name, value in fields.items()}


def _clean(value: object, depth: int) -> object:
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return "[card]" if is_card(str(value)) else value
    if depth == 0:
        return HIDDEN
    if isinstance(value, Mapping):
        return {
            str(name): HIDDEN if SECRET_NAMES.search(str(name)) else _clean(inner, depth - 1)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean(inner, depth - 1) for inner in value]
    return clean_text(value.decode(errors="replace") if isinstance(value, bytes) else str(value))


def log_to_stderr(kind: Literal["json", "console"] = "json", *, events: bool = False) -> None:
    """What the log says never mixes with what a command answers. `events`: tell also what happens when all is well, as a process does that goes on for long."""
    shown: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if kind == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,  # without the locals, which hold keys and addresses
            redact,
            shown,
        ],
        logger_factory=lambda *_: Stderr(),
    )
    _let_go.close()
    if events:
        _let_go.callback(hear(lambda event, **fields: structlog.get_logger().info(event, **fields)))


class Stderr:
    """Writes lines to stderr, whichever that is at the moment. What is done does not stop because it could not be told: a line that cannot be written is lost."""

    def msg(self, line: str) -> None:
        """Write one line."""
        try:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
        except (OSError, ValueError):  # a pipe whose reader has gone, or a stream that was closed
            return

    debug = info = warning = error = critical = exception = msg
