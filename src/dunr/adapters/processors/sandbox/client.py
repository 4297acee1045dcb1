"""HTTP to the sandbox, at its pace. Knows its address, its key and what a refusal of one call too many looks like."""

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import quote

import msgspec

from dunr.adapters.processors.exchange import Answer, BoundedHttp, NoAnswer
from dunr.ports import Pace

BODY_BYTES_MAX = 8 * 1024 * 1024
PACE_WAIT_SECONDS_MAX = 5.0  # a look before a send must not grow old meanwhile
LOCK_TIMEOUT = b"lock_timeout"  # a 429 that says nothing about how often we ask


def path(*parts: str) -> str:
    """An address below the base; an id is quoted, so that it cannot climb out of its place."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


class SandboxClient:
    """One account's connection; threads may share it."""

    def __init__(self, base_url: str, api_key: str, timeout_seconds: float, pace: Pace) -> None:
        """`timeout_seconds` bounds the whole of each exchange."""
        self._timeout_seconds = timeout_seconds
        self._pace = pace
        self._http = BoundedHttp(
            "the processor",
            timeout_seconds=timeout_seconds,
            body_bytes_max=BODY_BYTES_MAX,
            base_url=f"{base_url.rstrip('/')}/processor/v1",
            headers={"authorization": f"Bearer {api_key}", "user-agent": "dunr"},
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def get(self, place: str, query: Mapping[str, str] | None = None) -> Answer:
        """Read something. Raises `NoAnswer`."""
        return self._exchange("GET", place, query=query)

    def post(self, place: str, body: Mapping[str, object], headers: Mapping[str, str] | None = None) -> Answer:
        """Ask for something, exactly once. Raises `NoAnswer`."""
        content = msgspec.json.encode(body)
        kind = {"content-type": "application/json"}
        return self._exchange("POST", place, content=content, headers={**kind, **(headers or {})})

    def _exchange(
        self,
        method: str,
        place: str,
        *,
        query: Mapping[str, str] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        if not self._pace.take(min(self._timeout_seconds, PACE_WAIT_SECONDS_MAX)):
            raise NoAnswer("our own rate limit is used up", sent=False)
        answer = self._http.send(method, place, query=query, content=content, headers=headers)
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS and LOCK_TIMEOUT not in answer.body:
            self._pace.refused()
        return answer
