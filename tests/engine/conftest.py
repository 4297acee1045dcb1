"""A sandbox on the manual clock, and the receiver that becomes an application's door."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.processes import Receiver, SandboxProcess


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def sandbox(tmp_path: Path, receiver: Receiver) -> Iterator[SandboxProcess]:
    process = SandboxProcess(tmp_path, receiver.url)
    yield process
    process.close()
