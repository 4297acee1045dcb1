"""Form bodies and queries as Stripe reads them: ``a[b][0]=x`` becomes nested objects and lists."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from .errors import Wrong, bad_parameter

FIELDS_MAX = 1000
KEY = re.compile(r"^([^\[\]]+)((?:\[[^\[\]]*\])*)$")
PART = re.compile(r"\[([^\[\]]*)\]")

Tree = dict[str, object]


def decoded(text: str) -> Tree:
    """The nested parameters; every leaf stays the text that was sent."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=FIELDS_MAX)
    except ValueError as error:
        raise Wrong(400, "invalid_request_error", f"The parameters cannot be read: {error}.") from None
    tree: Tree = {}
    for key, value in pairs:
        found = KEY.match(key)
        if found is None:
            raise bad_parameter("parameter_unknown", f"Received unknown parameter: {key}", key)
        _lay(tree, [found[1], *PART.findall(found[2])], value, key)
    return {name: _listed(value) for name, value in tree.items()}


def _lay(tree: Tree, path: list[str], value: str, key: str) -> None:
    """``[]`` appends: it counts on from what is there."""
    node = tree
    for part in path[:-1]:
        below = node.setdefault(part or str(len(node)), {})
        if not isinstance(below, dict):
            raise bad_parameter("parameter_invalid", f"Invalid nesting in {key}", key)
        node = below
    node[path[-1] or str(len(node))] = value


def _listed(value: object) -> object:
    """An object whose names count from nought was meant as a list."""
    if not isinstance(value, dict):
        return value
    inner = {name: _listed(part) for name, part in value.items()}
    if inner and all(name.isdecimal() for name in inner):
        return [inner[name] for name in sorted(inner, key=int)]
    return inner
