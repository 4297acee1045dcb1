"""From what was sent to typed parameters, or to the 400 that names the one at fault."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from .errors import Wrong, bad_parameter
from .form import Tree
from .parameters import Nothing

P = TypeVar("P", bound=Nothing)

UNKNOWN = re.compile(r"unknown field `([^`]+)`(?: - at `\$?\.?([^`]*)`)?")
MISSING = re.compile(r"missing required field `([^`]+)`")
PLACE = re.compile(r"^(.*) - at `\$\.?([^`]*)`$")


def read(kind: type[P], tree: Tree) -> P:
    """The parameters as the given type. Raises the 400 that names the one at fault."""
    try:
        return msgspec.convert(tree, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _fault(str(error)) from None


def _fault(words: str) -> Wrong:
    if found := UNKNOWN.search(words):
        name = ".".join(part for part in (found[2], found[1]) if part)
        return bad_parameter("parameter_unknown", f"Received unknown parameter: {name}", name)
    if found := MISSING.search(words):
        return bad_parameter("parameter_missing", f"Missing required param: {found[1]}.", found[1])
    found = PLACE.match(words)
    if found is None:
        return bad_parameter("parameter_invalid", words, None)
    code = "parameter_invalid_integer" if "`int`" in found[1] else "parameter_invalid"
    return bad_parameter(code, f"Invalid {found[2]}: {found[1]}", found[2])
