"""Idempotency keys: the first answer, whatever it was, given back to the byte for a day.

Kept is what happened after the request began, declines and 5xx included. What
was refused before that (a parameter, the rate limit, a lock) leaves no key.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

import msgspec

from dunr.sandbox.database import Transaction
from dunr.sandbox.records import ChargeRequest

from .calls import StripeCall
from .errors import Wrong
from .rows import StripeKey


def scoped(call: StripeCall) -> str:
    return f"{call.account}|{'live' if call.live else 'test'}|{call.key}"


def fingerprint(call: StripeCall) -> str:
    """The endpoint and every parameter: another order is the same request, another value is not."""
    text = msgspec.json.encode([call.method, call.address, call.parameters], order="deterministic")
    return hashlib.sha256(text).hexdigest()


def remembered(tx: Transaction, call: StripeCall) -> StripeKey | None:
    """The key's first request, if its life is not over. Raises 400 for other parameters, 409 while it is running."""
    found = tx.get(StripeKey, scoped(call))
    if found is None:
        return None
    running = found.answer_status is None and not _booked(tx, found)
    if not running and tx.now >= found.first_at + timedelta(seconds=tx.settings.key_life_seconds):
        tx.remove(StripeKey, found.id)
        return None
    if found.fingerprint != fingerprint(call):
        raise Wrong(
            400,
            "idempotency_error",
            "Keys for idempotent requests can only be used with the same parameters they were first used with. "
            f"Try using a key other than '{call.key}' if you meant to execute a different request.",
        )
    if running:
        raise Wrong(
            409,
            "idempotency_error",
            f"There is currently another in-progress request using this idempotency key: {call.key}. "
            "Please try again later.",
            code="idempotency_key_in_use",
            retry=True,
        )
    return found


def _booked(tx: Transaction, found: StripeKey) -> bool:
    request = tx.get(ChargeRequest, found.charge_request)
    return request is not None and request.answer_status is not None


def forget(tx: Transaction, call: StripeCall) -> None:
    """Nothing began after all: the key is free again."""
    tx.remove(StripeKey, scoped(call))


def remember(
    tx: Transaction,
    call: StripeCall,
    *,
    status: int | None = None,
    body: bytes | None = None,
    charge_request: str | None = None,
) -> None:
    """Keep the answer, or where it is to come from."""
    if call.key is None:
        return
    tx.put(
        StripeKey(
            id=scoped(call),
            fingerprint=fingerprint(call),
            request_id=call.request_id,
            first_at=tx.now,
            charge_request=charge_request,
            api_version=call.api_version,
            answer_status=status,
            answer_body=None if body is None else body.decode(),
        )
    )
