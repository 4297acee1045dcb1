"""One stranger or one face of the sandbox a test, and the adapter in front of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dunr.adapters.processors.stripe.processor import StripeProcessor
from tests.adapters.stripe.faces import StripeFace, adapter_of
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


@pytest.fixture
def face(tmp_path: Path) -> Iterator[StripeFace]:
    """A Stripe that tells nobody."""
    process = StripeFace(tmp_path)
    yield process
    process.close()


@pytest.fixture
def at_face(face: StripeFace) -> Iterator[StripeProcessor]:
    made = adapter_of(face)
    yield made
    made.close()
