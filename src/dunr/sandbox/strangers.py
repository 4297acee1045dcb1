"""Who may drive the tool: programs of this machine or this network, and our own pages; not every page that a browser here happens to show.

Such a page can send a request to any address, and can point a name of its own at ours; but then the origin that the browser tells,
or the name that it asked for, is not ours. A name without a dot is no name of the open internet, so containers may call each other by theirs.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import Request

from .refusals import Problem

SAFE_METHODS = frozenset({"GET", "HEAD"})
FOREIGN_SITES = frozenset({"cross-site", "same-site"})
LOCAL_SUFFIXES = (".localhost", ".local", ".internal", ".test")


def refuse_strangers(request: Request) -> None:
    """Raises ``Problem`` with 403 where a page of somebody else asks."""
    host = request.headers.get("host", "")
    if not _is_local_name(host):
        raise Problem(403, "Not permitted", f"The sandbox answers to a number or a local name, and not to {host!r}.")
    if request.method in SAFE_METHODS:
        return
    origin = request.headers.get("origin")
    is_foreign = origin is not None and origin.partition("://")[2] != host
    if is_foreign or request.headers.get("sec-fetch-site") in FOREIGN_SITES:
        raise Problem(
            403, "Not permitted", "This was asked by a page of somebody else. Use a program, or our own page."
        )


def _is_local_name(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        if "." not in name and ":" not in name:
            return bool(name)
        if name.endswith(LOCAL_SUFFIXES):
            return True
        ip_address(name)
    except ValueError:
        return False
    return True
