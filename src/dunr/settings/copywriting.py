"""What may not be set together for the copywriter."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dunr.settings.values import Settings


def copywriter_contradictions(settings: "Settings") -> Iterator[str]:
    """Everything that is wrong, each with what to write instead."""
    if settings.copywriter == "bedrock" and find_spec("boto3") is None:
        yield 'copywriter = "bedrock" needs boto3: install it with pip install "dunr[aws]"'
    local = settings.copywriter == "openai_compatible"
    if local and (settings.copywriter_url is None or settings.copywriter_model is None):
        yield (
            'copywriter = "openai_compatible" needs a server and a model: write copywriter_url = '
            '"http://127.0.0.1:11434/v1" and copywriter_model = "…"'
        )
    if local and not (settings.copywriter_url or "http://").startswith(("http://", "https://")):
        yield 'copywriter_url is no http address: write copywriter_url = "http://127.0.0.1:11434/v1"'
    if (settings.copywriter_price_in is None) != (settings.copywriter_price_out is None):
        yield "copywriter_price_in and copywriter_price_out belong together: write both, in dollars for a million tokens, or neither"
    if not local and settings.copywriter_url is not None:
        yield 'copywriter_url is for copywriter = "openai_compatible" alone: leave it out'
