"""The two ways of saying no: to an engine as the processor, to a tester as the tool."""

from __future__ import annotations


class Refusal(Exception):
    """The processor's error: ``{"error": {"type", "code", "message"}}``."""

    def __init__(self, status: int, kind: str, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind, self.code, self.message = status, kind, code, message

    def body(self) -> dict[str, object]:
        return {"error": {"type": self.kind, "code": self.code, "message": self.message}}


class Problem(Exception):
    """The control face's error, as problem+json. The detail says what to do."""

    def __init__(self, status: int, title: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.title, self.detail = status, title, detail

    def body(self) -> dict[str, object]:
        slug = self.title.lower().replace(" ", "-")
        return {"type": f"urn:dunr:sandbox:{slug}", "title": self.title, "status": self.status, "detail": self.detail}


def bad_request(code: str, message: str) -> Refusal:
    return Refusal(400, "invalid_request_error", code, message)


def not_found(what: str, record_id: str) -> Refusal:
    return Refusal(404, "invalid_request_error", "not_found", f"No such {what}: {record_id}")


def unavailable(message: str) -> Refusal:
    return Refusal(503, "api_error", "service_unavailable", message)


def unknown(what: str, record_id: str) -> Problem:
    return Problem(404, "Not found", f"There is no {what} {record_id!r}. Create it with POST /sandbox/failures first.")


def invalid(detail: str) -> Problem:
    return Problem(422, "Invalid request", detail)


def conflict(detail: str) -> Problem:
    return Problem(409, "Conflict", detail)
