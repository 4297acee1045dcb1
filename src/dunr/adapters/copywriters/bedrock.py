"""A copywriter on Amazon Bedrock. Knows the Converse API, and says how many tokens an answer took."""

import structlog
from boto3.session import Session  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

from dunr.core.prose import Prose
from dunr.mail.asking import SYSTEM, WORDS_MAX, question

MODEL = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
TEMPERATURE = 0.4
_log = structlog.get_logger()


class BedrockCopywriter:
    """Asks one model. Threads may share it, as they may share a client of boto3."""

    def __init__(self, model: str = MODEL, region: str | None = None, timeout_seconds: float = 5.0) -> None:
        """`region`: of the endpoint; None: the machine's own. Credentials are found as boto3 finds them."""
        config = Config(
            connect_timeout=timeout_seconds, read_timeout=timeout_seconds, retries={"total_max_attempts": 1}
        )
        self.client = Session().client("bedrock-runtime", region_name=region, config=config)
        self._model = model

    def prose(self, kind: str, locale: str, sentence: str, tone: str = "") -> Prose | None:
        """A paragraph as the model wrote it; None where it did not answer."""
        try:
            answer = self.client.converse(
                modelId=self._model,
                system=[{"text": SYSTEM}],
                messages=[{"role": "user", "content": [{"text": question(kind, locale, sentence, tone)}]}],
                inferenceConfig={"maxTokens": WORDS_MAX, "temperature": TEMPERATURE},
            )
        except (BotoCoreError, ClientError) as error:
            _log.warning("prose_not_written", model=self._model, why=type(error).__name__)
            return None
        usage = answer.get("usage", {})
        parts = answer.get("output", {}).get("message", {}).get("content", [])
        text = "".join(part.get("text", "") for part in parts) or None
        return Prose(text, self._model, usage.get("inputTokens", 0), usage.get("outputTokens", 0))
