"""`dunr notices preview` and the page of the same: a mail is looked at before a customer sees it."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dunr.entry.cli import app


def run(folder: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["--data", str(folder), "notices", "preview", *words])
    return result.exit_code, result.output + str(result.exception or "")


def test_a_notice_is_shown_in_a_language(tmp_path: Path) -> None:
    code, said = run(tmp_path, "--kind", "final_warning", "--locale", "de-AT")
    assert code == 0
    assert "Letzte Erinnerung: Ihr Zugang zu Example Shop pausiert ab" in said


def test_a_kind_that_does_not_exist_is_told(tmp_path: Path) -> None:
    code, said = run(tmp_path, "--kind", "invoice")
    assert code != 0
    assert "There is no notice invoice: write one of first," in said


@pytest.mark.browser
@pytest.mark.endurance
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium here: apt-get install chromium")
@pytest.mark.parametrize("kind", ["first", "final_warning", "paused", "receipt"])
@pytest.mark.parametrize("width", [360, 800])
def test_a_picture_is_painted(tmp_path: Path, kind: str, width: int) -> None:
    picture = tmp_path / "notice.png"
    code, said = run(tmp_path, "--kind", kind, "--png", str(picture), "--width", str(width))
    assert code == 0, said
    head = picture.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    # The page is never wider than the window: no sideways scrolling on a phone.
    assert int.from_bytes(head[16:20], "big") == width
