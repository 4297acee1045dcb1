"""What a strange answer means: from a server that says what the sandbox never would."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from dunr.adapters.processors.sandbox.processor import SandboxProcessor
from dunr.core.answers import CannotSay, NotNow, Refused, RefusedKind, Unanswered
from dunr.ports import SnapshotUnavailable
from tests.adapters.processors.sandboxes import ACCOUNT, adapter, attempt, request

SECRET_IN_BODY = "4242424242424242"
Answer = Callable[[BaseHTTPRequestHandler], None]


class Stranger:
    """A server that does to each request what it was told."""

    def __init__(self) -> None:
        self.answer: Answer = plain(200)
        stranger = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stranger.answer(self)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                stranger.answer(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def plain(status: int, body: bytes = b"", **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def dripping(stop: threading.Event) -> Answer:
    """One byte now and then, for ever: each is in time, the answer is not."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        while not stop.wait(0.05):
            try:
                handler.wfile.write(b" ")
            except OSError:
                return

    return answer


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    server = Stranger()
    yield server
    server.close()


@pytest.fixture
def processor(stranger: Stranger) -> Iterator[SandboxProcessor]:
    made = adapter(stranger.url, timeout_seconds=1.0)
    yield made
    made.close()


@pytest.mark.parametrize(
    "answer",
    [
        plain(200),
        plain(200, b"<html>welcome</html>"),
        plain(200, b"[" * 200_000),
        plain(200, b'{"charge": {"id": "ch_1"}}'),
        plain(402, b'{"error": {"code": "card_declined"}}'),
        plain(302, b"", location="http://127.0.0.1:9/"),
        plain(408),
        plain(500),
        plain(599),
    ],
)
def test_what_cannot_be_read_as_an_answer_is_none(
    stranger: Stranger, processor: SandboxProcessor, answer: Answer
) -> None:
    stranger.answer = answer
    assert isinstance(processor.charge(request()), Unanswered)
    assert isinstance(processor.find_charge(ACCOUNT, "in_1", attempt()), CannotSay)
    with pytest.raises(SnapshotUnavailable):
        processor.snapshot(ACCOUNT, "in_1")


def test_an_answer_that_drips_is_as_silent_as_none(stranger: Stranger, processor: SandboxProcessor) -> None:
    stop = threading.Event()
    stranger.answer = dripping(stop)
    assert isinstance(processor.charge(request()), Unanswered)
    stop.set()


def test_the_wait_that_is_asked_for_is_kept_within_reason(stranger: Stranger, processor: SandboxProcessor) -> None:
    stranger.answer = plain(429, b'{"error": {"code": "rate_limit"}}', retry_after="7")
    assert processor.charge(request()) == NotNow("rate_limit", 7)
    stranger.answer = plain(429, b"", retry_after="999999999")
    assert processor.charge(request()) == NotNow("http_429", 3600)
    stranger.answer = plain(429, b"", retry_after="Fri, 31 Dec 1999 23:59:59 GMT")
    assert processor.charge(request()) == NotNow("http_429")


@pytest.mark.parametrize("status", [400, 401, 404, 418, 500, 200])
def test_no_word_of_a_body_and_no_key_reaches_a_text(
    stranger: Stranger, processor: SandboxProcessor, status: int
) -> None:
    stranger.answer = plain(
        status, f'{{"error": {{"code": "{SECRET_IN_BODY} x", "message": "{SECRET_IN_BODY}"}}}}'.encode()
    )
    told = [repr(processor.charge(request())), repr(processor.find_charge(ACCOUNT, "in_1", attempt()))]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whichever it is, its text is what counts
        processor.snapshot(ACCOUNT, "in_1")
    told.append(f"{caught.value!r} {caught.value.__cause__!r}")
    assert SECRET_IN_BODY not in " ".join(told)
    assert "sk_sandbox" not in " ".join(told)


def test_another_account_is_never_spoken_for(stranger: Stranger, processor: SandboxProcessor) -> None:
    stranger.answer = plain(400)
    foreign = request().__class__("acct_other", "in_1", "k", 4900, "usd", "pm_1")
    assert processor.charge(foreign) == NotNow("not_sent_other_account")
    with pytest.raises(SnapshotUnavailable):
        processor.snapshot("acct_other", "in_1")
    assert processor.charge(request()) == Refused(RefusedKind.BAD_REQUEST, "http_400")
