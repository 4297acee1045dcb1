"""One sandbox a test, on the manual clock or the real one, and its receiver."""

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
    """On the manual clock, from Tuesday 23 June 2026, 10:00."""
    process = SandboxProcess(tmp_path, receiver.url)
    yield process
    process.close()


@pytest.fixture
def real_time(tmp_path: Path, receiver: Receiver) -> Iterator[SandboxProcess]:
    process = SandboxProcess(tmp_path, receiver.url, clock="system")
    yield process
    process.close()
