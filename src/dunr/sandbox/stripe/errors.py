"""Stripe's no: an HTTP status and ``{"error": {...}}``, and whether its idempotency key keeps it."""

from __future__ import annotations

from collections.abc import Mapping

DOCS = "https://docs.stripe.com/error-codes"


class Wrong(Exception):
    """An error answer. ``kept`` ones happened after the request began, and are replayed under its key."""

    def __init__(
        self,
        status: int,
        kind: str,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        kept: bool = False,
        retry: bool | None = None,
        more: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message
        self.code, self.param, self.kept, self.retry = code, param, kept, retry
        self.more = more or {}

    def body(self, request_id: str) -> dict[str, object]:
        error: dict[str, object] = {"type": self.kind, "message": self.message}
        if self.code is not None:
            error["code"] = self.code
            error["doc_url"] = f"{DOCS}#{self.code.replace('_', '-')}"
        if self.param is not None:
            error["param"] = self.param
        error.update(self.more)
        error["request_log_url"] = f"https://dashboard.stripe.com/test/logs/{request_id}"
        return {"error": error}


def bad_parameter(code: str, message: str, param: str | None) -> Wrong:
    """The parameters do not fit: nothing has begun, so no key keeps it."""
    return Wrong(400, "invalid_request_error", message, code=code, param=param)


def refused(message: str, *, code: str | None = None, param: str | None = None) -> Wrong:
    """The parameters are well formed and the state of things forbids it."""
    return Wrong(400, "invalid_request_error", message, code=code, param=param, kept=True)


def missing(what: str, record_id: str, param: str = "id", *, status: int = 404) -> Wrong:
    """404 for what the address names, 400 for what a parameter names."""
    return Wrong(
        status,
        "invalid_request_error",
        f"No such {what}: '{record_id}'",
        code="resource_missing",
        param=param,
        kept=True,
    )


def busy(message: str, code: str) -> Wrong:
    """429: nothing has begun; the same request under the same key may come again."""
    return Wrong(429, "invalid_request_error", message, code=code, retry=True)


def broken(status: int, message: str = "An unknown error occurred.") -> Wrong:
    return Wrong(status, "api_error", message, kept=True)
