"""A terminal in an empty folder."""

import os
from pathlib import Path

import pytest

from tests.entry.cli.terminals import Terminal


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    for name in [name for name in os.environ if name.startswith("DUNR_")]:
        monkeypatch.delenv(name)
    return Terminal(tmp_path, monkeypatch, capsys)
