"""Every address that dunr answers, read off the running application, so that one that is added tomorrow is attacked tomorrow."""

import re
from collections.abc import Iterator
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount, Route

from dunr.entry.web.app import OPERATIONS

UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})
PARAMETER = re.compile(r"\{[^}]*\}")


def addresses(app: Starlette, *, filled_with: str = "in_1") -> Iterator[tuple[str, str, str]]:
    """Method, the path as it is declared, and the path as somebody would ask for it."""
    for route in app.routes:
        if isinstance(route, Route):
            for method in sorted((route.methods or set()) - {"HEAD"}):
                yield method, route.path, PARAMETER.sub(filled_with, route.path)
        else:
            assert isinstance(route, Mount), f"an address of a kind that nobody attacks yet: {route}"
    at_the_door: dict[str, dict[str, Any]] = app.state.at_the_door
    for place, answers in at_the_door.items():
        named = "sandbox" if place == "/webhooks/" else filled_with
        for method in sorted(answers.keys() - {"HEAD"}):
            yield method, place, place + named


def operations() -> Iterator[tuple[str, str, Any]]:
    """Those of the API, with what they say of themselves."""
    for operation in OPERATIONS:
        yield operation.method, PARAMETER.sub("in_1", operation.path), operation
