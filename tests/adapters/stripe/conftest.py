"""One stranger a test, and the adapter in front of it."""

from collections.abc import Iterator

import pytest

from dunr.adapters.processors.stripe.processor import StripeProcessor
from tests.adapters.stripe.strangers import Stranger, adapter


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    server = Stranger()
    yield server
    server.close()


@pytest.fixture
def processor(stranger: Stranger) -> Iterator[StripeProcessor]:
    made = adapter(stranger.url)
    yield made
    made.close()
