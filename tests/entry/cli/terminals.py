"""`dunr` as a person would run it, in this process: arguments in, code and words out."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dunr.entry.cli import app
from dunr.entry.cli.terminal import exit_code_of


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.out)
        return told


class Terminal:
    """One working directory, and nothing of the outer environment."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._patch, self._capture = folder, monkeypatch, capsys
        monkeypatch.chdir(folder)

    def set(self, **settings: object) -> None:
        for name, value in settings.items():
            self._patch.setenv(f"DUNR_{name.upper()}", str(value))

    def run(self, *arguments: str) -> Said:
        self._capture.readouterr()
        self._patch.setattr(sys, "argv", ["dunr", *arguments])
        code = exit_code_of(app)
        captured = self._capture.readouterr()
        return Said(code, captured.out, captured.err)

    def done(self, *arguments: str) -> Said:
        said = self.run(*arguments)
        assert said.code == 0, said.err
        return said
