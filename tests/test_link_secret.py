"""The secret behind the links to customers: one for each data folder, whoever asks first, and nobody else's to read."""

import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from dunr.errors import SettingsError
from dunr.settings import link_secret, load_settings


def test_the_link_secret_is_made_once_for_the_owners_eyes_only(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path)
    with ThreadPoolExecutor(8) as threads:
        secrets = set(threads.map(lambda _: link_secret(settings), range(16)))
    assert len(secrets) == 1
    assert len(secrets.pop()) >= 32
    kept = list(settings.data.iterdir())
    assert [path.name for path in kept] == ["link-secret"]
    assert stat.S_IMODE(kept[0].stat().st_mode) == 0o600
    assert link_secret(replace(settings, port=9000)) == kept[0].read_text().strip()


def test_another_data_folder_has_another_link_secret(tmp_path: Path) -> None:
    one, other = (load_settings({"DUNR_DATA": name}, tmp_path) for name in ("one", "other"))
    assert link_secret(one) != link_secret(other)


def test_a_link_secret_that_others_can_read_is_refused(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path)
    link_secret(settings)
    (settings.data / "link-secret").chmod(0o644)
    with pytest.raises(SettingsError, match=r"write chmod 600 .*link-secret"):
        link_secret(settings)


def test_an_empty_link_secret_is_refused(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path)
    settings.data.mkdir()
    (settings.data / "link-secret").touch(mode=0o600)
    with pytest.raises(SettingsError, match=r"link-secret holds no secret .* put back the file"):
        link_secret(settings)
