"""One sandbox a test, which tells nobody, and the adapter in front of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dunr.adapters.processors.sandbox.processor import SandboxProcessor
from tests.adapters.processors.sandboxes import adapter_of
from tests.sandbox.processes import Receiver, SandboxProcess


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[SandboxProcess]:
    process = SandboxProcess(tmp_path, None)
    yield process
    process.close()


@pytest.fixture
def processor(sandbox: SandboxProcess) -> Iterator[SandboxProcessor]:
    made = adapter_of(sandbox)
    yield made
    made.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()
