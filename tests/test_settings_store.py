"""Where the store is, without its password."""

from pathlib import Path

import pytest

from dunr.errors import SettingsError
from dunr.settings import load_settings


def test_a_server_may_keep_the_store_and_its_password_is_never_shown(tmp_path: Path) -> None:
    url = "postgresql://dunr:hunter2@db.example/dunr?sslmode=require&sslpassword=s3cret"
    settings = load_settings({"DUNR_STORE": url}, tmp_path)
    assert "hunter2" not in repr(settings)
    assert "s3cret" not in repr(settings)
    assert settings.store_shown == "postgresql://dunr:***@db.example/dunr?sslmode=require&sslpassword=***"
    assert load_settings({"DUNR_STORE": "postgresql:///dunr"}, tmp_path).store_shown == "postgresql:///dunr"
    with pytest.raises(SettingsError, match="postgresql://user@host/dunr"):
        load_settings({"DUNR_STORE": "postgresql://db.example"}, tmp_path)
