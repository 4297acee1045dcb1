"""A copywriter on any server that answers as OpenAI's chat completions do, such as one on this machine. Knows that it may be slow, large or hostile."""

import time

import httpx
import msgspec
import structlog

from dunr.certificates import trusted
from dunr.core.prose import Prose
from dunr.mail.asking import SYSTEM, WORDS_MAX, question

ANSWER_BYTES_MAX = 65_536
TEMPERATURE = 0.4
_log = structlog.get_logger()


class _Message(msgspec.Struct):
    content: str


class _Choice(msgspec.Struct):
    message: _Message


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Answer(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class OpenAiCompatibleCopywriter:
    """Asks one model at one server. Threads may share it."""

    def __init__(self, url: str, model: str, key: str | None = None, timeout_seconds: float = 5.0) -> None:
        """`url`: where `/chat/completions` is found below, such as `http://127.0.0.1:11434/v1`."""
        self._headers = {"authorization": f"Bearer {key}"} if key else {}
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._model = model
        self._timeout_seconds = timeout_seconds

    def prose(self, kind: str, locale: str, sentence: str, tone: str = "") -> Prose | None:
        """A paragraph as the model wrote it; None where there is no answer in time, or none that can be read."""
        body = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": question(kind, locale, sentence, tone)},
            ],
            "max_tokens": WORDS_MAX,
            "temperature": TEMPERATURE,
        }
        try:
            answer = msgspec.json.decode(self._posted(body), type=_Answer)
        except (httpx.HTTPError, msgspec.DecodeError, UnicodeDecodeError, _TooMuch) as error:
            _log.warning("prose_not_written", model=self._model, why=type(error).__name__)
            return None
        usage = answer.usage or _Usage()
        text = answer.choices[0].message.content if answer.choices else None
        return Prose(text, self._model, usage.prompt_tokens, usage.completion_tokens)

    def _posted(self, body: dict[str, object]) -> bytes:
        """The answer, read no further and no longer than it is worth."""
        until, read = time.monotonic() + self._timeout_seconds, bytearray()
        # A client for each question: they are few, since good answers are kept, and nothing stays open in between.
        client = httpx.Client(headers=self._headers, timeout=self._timeout_seconds, verify=trusted(), trust_env=False)
        with client, client.stream("POST", self._url, json=body) as response:
            response.raise_for_status()
            for part in response.iter_raw():
                read += part
                if len(read) > ANSWER_BYTES_MAX or time.monotonic() > until:
                    raise _TooMuch
        return bytes(read)


class _TooMuch(Exception):
    """The answer is longer, or takes longer, than any paragraph."""
