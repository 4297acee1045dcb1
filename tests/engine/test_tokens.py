"""Tokens of the API: random, kept as a hash, each opening its scope and those below."""

from datetime import UTC, datetime

import pytest

from dunr.adapters.stores.memory import MemoryStore
from dunr.errors import NoSuchThing, NotPermitted, WishRejected
from dunr.tokens import TOKENS, Scope, create, listed, revoke, verify

NOW = datetime(2026, 6, 23, 10, tzinfo=UTC)


def test_a_token_opens_its_scope_and_those_below() -> None:
    store = MemoryStore()
    token = create(store, "app", Scope.ACT, NOW)
    assert verify(store, token, Scope.READ).name == "app"
    assert verify(store, token, Scope.ACT).scope is Scope.ACT
    with pytest.raises(NotPermitted) as caught:
        verify(store, token, Scope.ADMIN)
    assert caught.value.http_status == 403


@pytest.mark.parametrize("token", [None, "", "dunr_wrong", "é" * 50, "d" * 10_000])
def test_what_is_no_token_opens_nothing(token: str | None) -> None:
    store = MemoryStore()
    create(store, "app", Scope.ADMIN, NOW)
    with pytest.raises(NotPermitted) as caught:
        verify(store, token, Scope.READ)
    assert caught.value.http_status == 401


def test_only_the_hash_is_kept_and_two_tokens_differ() -> None:
    store = MemoryStore()
    one, two = create(store, "one", Scope.READ, NOW), create(store, "two", Scope.READ, NOW)
    document = store.document(TOKENS)
    assert document is not None
    assert one != two
    assert len(one) > 40
    assert one.encode() not in document.body


def test_a_revoked_token_opens_nothing_and_the_others_go_on() -> None:
    store = MemoryStore()
    one, two = create(store, "one", Scope.READ, NOW), create(store, "two", Scope.READ, NOW)
    revoke(store, "one")
    with pytest.raises(NotPermitted):
        verify(store, one, Scope.READ)
    assert verify(store, two, Scope.READ).name == "two"
    assert [token.name for token in listed(store)] == ["two"]
    with pytest.raises(NoSuchThing):
        revoke(store, "one")


@pytest.mark.parametrize("name", ["", "a b", "-x", "x" * 65, "\n", "naïve"])
def test_a_name_can_be_typed_again(name: str) -> None:
    with pytest.raises(WishRejected):
        create(MemoryStore(), name, Scope.READ, NOW)


def test_a_name_is_used_once() -> None:
    store = MemoryStore()
    create(store, "app", Scope.READ, NOW)
    with pytest.raises(WishRejected):
        create(store, "app", Scope.READ, NOW)
