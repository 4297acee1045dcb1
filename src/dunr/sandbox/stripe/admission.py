"""Who may ask, for which account, in which mode and version; what a restricted key may not do."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from dunr.sandbox.config import SandboxConfig
from dunr.sandbox.database import Transaction
from dunr.sandbox.identifiers import new_id

from . import versions
from .calls import StripeCall
from .errors import Wrong, bad_parameter
from .form import decoded
from .rows import Permissions

KEY_LENGTH_MAX = 255
SHOWN_CHARS = 4
MODE = re.compile(r"^(?:sk|rk)_(test|live)_")
LEVELS = {"none": 0, "read": 1, "write": 2}

Level = Literal["none", "read", "write"]


def api_key_of(headers: Mapping[str, str]) -> str:
    """The key from Bearer or from Basic, where it is the user name. Raises the 401 of a request without one."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and given:
        return given.strip()
    if scheme.lower() == "basic" and given:
        try:
            return base64.b64decode(given, validate=True).decode().partition(":")[0]
        except (binascii.Error, UnicodeDecodeError):
            raise _unauthorized("Invalid API Key provided.") from None
    raise _unauthorized("You did not provide an API key. Send it as Authorization: Bearer YOUR_SECRET_KEY.")


def _unauthorized(message: str, code: str | None = None) -> Wrong:
    return Wrong(401, "invalid_request_error", message, code=code)


def masked(api_key: str) -> str:
    found = MODE.match(api_key)
    head = found[0] if found else ""
    return f"{head}{'*' * max(0, len(api_key) - len(head) - SHOWN_CHARS)}{api_key[-SHOWN_CHARS:]}"


def admitted(
    config: SandboxConfig,
    tx: Transaction,
    method: str,
    address: str,
    path: Mapping[str, str],
    headers: Mapping[str, str],
    text: str,
) -> StripeCall:
    """The call, read and let in. Raises 401, 403 and the 400s of a request that nobody can read."""
    face = config.stripe
    assert face is not None, "these routes are there only with a Stripe face"
    api_key = api_key_of(headers)
    if not any([hmac.compare_digest(api_key.encode(), ours.encode()) for ours in face.api_keys]):  # noqa: C419 - every key is compared, so that time tells nothing
        raise _unauthorized(f"Invalid API Key provided: {masked(api_key)}")
    if tx.settings.api_key_revoked:
        raise _unauthorized(f"Expired API Key provided: {masked(api_key)}", "api_key_expired")
    account_header = headers.get("stripe-account")
    account = account_header or face.platform or config.account
    if account not in (config.account, face.platform):
        raise Wrong(
            403,
            "invalid_request_error",
            f"The provided key '{masked(api_key)}' does not have access to account '{account}' "
            "(or that account does not exist). Application access may have been revoked.",
            code="account_invalid",
        )
    found = MODE.match(api_key)
    live = found is not None and found[1] == "live"
    return StripeCall(
        method=method,
        address=address,
        path=path,
        parameters=decoded(text),
        api_key=api_key,
        api_version=versions.checked(headers.get("stripe-version") or face.api_version),
        account=account,
        account_header=account_header,
        key=_idempotency_key(method, headers),
        request_id=new_id("req"),
        live=live,
        here=live == config.live and account == config.account,
        books_account=config.account,
        public_url=face.public_url,
    )


def _idempotency_key(method: str, headers: Mapping[str, str]) -> str | None:
    key = headers.get("idempotency-key")
    if method == "GET" or key is None:
        return None
    if not 0 < len(key) <= KEY_LENGTH_MAX:
        raise bad_parameter("parameter_invalid", f"Idempotency-Key must have 1 to {KEY_LENGTH_MAX} characters.", None)
    return key


def permit(tx: Transaction, call: StripeCall, resource: str, level: Level) -> None:
    """A restricted key needs the resource's permission; one that nobody restricted further has them all."""
    granted = tx.get(Permissions, call.api_key)
    if not call.api_key.startswith("rk_") or granted is None:
        return
    allowed = msgspec.json.decode(granted.allowed, type=dict[str, Level])
    if LEVELS[allowed.get(resource, "none")] < LEVELS[level]:
        permission = f"rak_{resource}_{level}"
        raise Wrong(
            403,
            "invalid_request_error",
            f"The provided key '{masked(call.api_key)}' does not have the required permissions for this endpoint on "
            f"account '{call.account}'. Having the '{permission}' permission would allow this request to continue.",
        )
