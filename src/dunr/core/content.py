"""The name that a value has by its content.

The rule: a value is written as JSON with its fields in alphabetical order and without white space; a field that has its default is left out, at every depth, and so
is nothing else. The name is the first 16 hexadecimal digits of the SHA-256 of that text. A release that adds a field with a default that means "as before"
therefore changes no name, and a default that was released once is never changed: it is part of every name that leaves it out.
"""

import hashlib

import msgspec

from dunr.core.value import Value

DIGITS = 16


def content_hash(value: Value) -> str:
    """16 hexadecimal digits over the content of a value, the same on every machine and in every release that knows its fields."""
    return hashlib.sha256(canonical(value)).hexdigest()[:DIGITS]


def canonical(value: Value) -> bytes:
    """The text that the hash is taken over."""
    return msgspec.json.encode(_said(value), order="sorted")


def _said(value: object) -> object:
    """A value without what goes without saying."""
    if isinstance(value, tuple):
        return [_said(one) for one in value]
    if not isinstance(value, Value):
        return value
    names, defaults = value.__struct_fields__, value.__struct_defaults__
    known = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    return {
        name: _said(getattr(value, name)) for name in names if name not in known or getattr(value, name) != known[name]
    }
