"""Keys to our own API: random, kept only as their hash, each with the scopes that it opens.

A token is looked up by its SHA-256, so the store never holds what would let anybody in; 256 random bits need no slow hash. All of them are one document, since
there are few and they are listed and revoked by name.
"""

import hashlib
import re
import secrets
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

import msgspec

from dunr.errors import NoSuchThing, NotPermitted, StoreUnavailable, WishRejected
from dunr.ports import Store

TOKENS = "tokens"
PREFIX = "dunr_"
RANDOM_BYTES = 32
TOKEN_LENGTH_MAX = 200
TOKENS_MAX = 1000
WRITE_TRIES_MAX = 20
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
FORBIDDEN = 403


class Scope(StrEnum):
    """What a token opens. Each opens what the ones before it open."""

    READ = "read"
    ACT = "act"
    ADMIN = "admin"


RANK = {scope: rank for rank, scope in enumerate(Scope)}


class Token(msgspec.Struct, frozen=True):
    """One token as it is kept: never the token itself."""

    name: str
    sha256: str
    scope: Scope
    created_at: datetime


def create(store: Store, name: str, scope: Scope, now: datetime) -> str:
    """A new token, shown this once."""
    if NAME.fullmatch(name) is None:
        raise WishRejected("A token's name has up to 64 letters, digits, dots, dashes and underscores.", 422)
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    made = Token(name, _sha256(token), scope, now)

    def add(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        if any(one.name == name for one in tokens):
            raise WishRejected(f"There is a token {name!r} already; revoke it first, or choose another name.", 409)
        if len(tokens) >= TOKENS_MAX:
            raise WishRejected(f"There are {TOKENS_MAX} tokens already; revoke those that nobody uses.", 409)
        return (*tokens, made)

    _rewrite(store, add)
    return token


def listed(store: Store) -> tuple[Token, ...]:
    """All tokens, oldest first, without their secrets."""
    return _read(store)[0]


def revoke(store: Store, name: str) -> None:
    """Take a token back; it opens nothing from now on."""

    def take(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        kept = tuple(one for one in tokens if one.name != name)
        if len(kept) == len(tokens):
            raise NoSuchThing(f"There is no token {name!r}.")
        return kept

    _rewrite(store, take)


def verify(store: Store, token: str | None, scope: Scope) -> Token:
    """The token, where it opens the scope. Raises `NotPermitted`: 401 where it is none of ours, 403 where it opens less."""
    if not token or len(token) > TOKEN_LENGTH_MAX:
        raise NotPermitted("Send a token: Authorization: Bearer dunr_…; `dunr token create` makes one.")
    wanted = _sha256(token)
    known = next((one for one in listed(store) if secrets.compare_digest(one.sha256, wanted)), None)
    if known is None:
        raise NotPermitted("This token is unknown or was revoked; `dunr token create` makes one.")
    if RANK[known.scope] < RANK[scope]:
        raise NotPermitted(f"This token may {known.scope}; this needs one that may {scope}.", FORBIDDEN)
    return known


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _read(store: Store) -> tuple[tuple[Token, ...], int]:
    document = store.document(TOKENS)
    if document is None:
        return (), 0
    return msgspec.json.decode(document.body, type=tuple[Token, ...]), document.version


def _rewrite(store: Store, change: Callable[[tuple[Token, ...]], tuple[Token, ...]]) -> None:
    """Change the document on condition of its version."""
    for _ in range(WRITE_TRIES_MAX):
        tokens, version = _read(store)
        if store.put_document(TOKENS, msgspec.json.encode(change(tokens)), version):
            return
    raise StoreUnavailable("The tokens changed again and again while they were written; try again.")
