"""The settings: read once from file and environment, and refused with a text that says what to write."""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dunr.errors import SettingsError
from dunr.settings import Settings, load_settings, webhook_secrets
from dunr.settings.reading import EXAMPLES

PUBLISH_SECRET = "whsec_" + "AbCd" * 8
LIVE = {
    "DUNR_LIVE": "true",
    "DUNR_WEBHOOK_SECRETS": "whsec_our_own",
    "DUNR_API_TOKENS_REQUIRED": "true",
}


def refused(environment: Mapping[str, str], folder: Path) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(environment, folder)
    return str(caught.value)


def write(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dunr.toml").write_text(text, encoding="utf-8")


def test_nothing_set_gives_the_sandbox_in_the_working_directory(tmp_path: Path) -> None:
    settings = load_settings({"PATH": "/bin"}, tmp_path)
    assert settings.data == tmp_path / "dunr-data"
    assert settings.store == f"sqlite:///{tmp_path}/dunr-data/dunr.db"
    assert (settings.processor, settings.account, settings.live) == ("sandbox", "acct_sandbox", False)
    assert (settings.port, settings.links_base) == (8080, "http://localhost:8080")
    assert not (tmp_path / "dunr-data").exists()


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    write(tmp_path, 'port = 9000\ninstance = "eu-1"\nwebhook_secrets = ["whsec_a", "whsec_b"]')
    settings = load_settings({"DUNR_PORT": "9001"}, tmp_path)
    assert (settings.port, settings.instance) == (9001, "eu-1")
    assert settings.webhook_secrets == ("whsec_a", "whsec_b")


def test_each_setting_can_come_from_the_environment(tmp_path: Path) -> None:
    settings = load_settings(
        {
            "DUNR_DATA": "elsewhere",
            "DUNR_STORE": "memory:",
            "DUNR_WEBHOOK_SECRETS": "whsec_a, whsec_b",
            "DUNR_CLOCK": "manual",
            "DUNR_CLOCK_START": "2026-06-23T12:00:00+02:00",
            "DUNR_PUBLIC_URL": "https://billing.example.com/",
            "DUNR_SMTP_SECURITY": "tls",
            "DUNR_WORKER_THREADS": "2",
        },
        tmp_path,
    )
    assert settings.data == tmp_path / "elsewhere"
    assert settings.store == "memory:"
    assert settings.webhook_secrets == ("whsec_a", "whsec_b")
    assert settings.clock_start == datetime(2026, 6, 23, 10, tzinfo=UTC)
    assert str(settings.clock_start) == "2026-06-23 10:00:00+00:00"
    assert settings.links_base == "https://billing.example.com"
    assert settings.smtp_security == "tls"
    assert settings.worker_threads == 2


@pytest.mark.parametrize("place", [".", "var", "var/data"])
def test_the_file_lies_in_the_working_directory_beside_the_data_or_in_it(tmp_path: Path, place: str) -> None:
    write(tmp_path / place, "port = 9000")
    assert load_settings({"DUNR_DATA": "var/data"}, tmp_path).port == 9000


def test_two_files_are_one_too_many(tmp_path: Path) -> None:
    write(tmp_path, 'data = "moved"')
    write(tmp_path / "moved", "port = 9000")
    message = refused({}, tmp_path)
    assert "keep one of" in message
    assert str(tmp_path / "moved" / "dunr.toml") in message


def test_a_clock_start_of_the_file_may_be_a_date_of_toml(tmp_path: Path) -> None:
    write(tmp_path, 'clock = "manual"\nclock_start = 2026-06-23T10:00:00Z')
    assert load_settings({}, tmp_path).clock_start == datetime(2026, 6, 23, 10, tzinfo=UTC)


def test_a_policy_file_is_found_from_the_working_directory(tmp_path: Path) -> None:
    assert load_settings({"DUNR_POLICY": "gentle.toml"}, tmp_path).policy == str(tmp_path / "gentle.toml")
    assert load_settings({}, tmp_path).policy == "business_days"


@pytest.mark.parametrize(
    ("name", "text", "what_to_write"),
    [
        ("DUNR_PROT", "1", "write DUNR_PORT"),
        ("DUNR_WEBHOOK_SECRET", "x", "write DUNR_WEBHOOK_SECRETS"),
        ("DUNR_port", "1", "write DUNR_PORT"),
        ("DUNR_ZEBRA", "1", "take it out; the settings are data, store, port"),
        ("DUNR_PORT", "", "unset it, or write DUNR_PORT=8080"),
        ("DUNR_PORT", "high", "write for example DUNR_PORT=8080"),
        ("DUNR_PORT", "70000", "write for example DUNR_PORT=8080"),
        ("DUNR_LIVE", "maybe", "write for example DUNR_LIVE=false"),
        ("DUNR_CLOCK", "manul", "write one of stored, system, manual, such as DUNR_CLOCK=stored"),
        ("DUNR_CLOCK_START", "2026-06-23T10:00:00", "write for example DUNR_CLOCK_START=2026-06-23T10:00:00Z"),
        ("DUNR_MAILER", "pigeon", "write one of log, smtp"),
        ("DUNR_WORKER_THREADS", "0", "write for example DUNR_WORKER_THREADS=4"),
        ("DUNR_BODY_BYTES_MAX", "10", "write for example DUNR_BODY_BYTES_MAX=1048576"),
    ],
)
def test_a_variable_that_cannot_be_used_is_named(tmp_path: Path, name: str, text: str, what_to_write: str) -> None:
    message = refused({name: text}, tmp_path)
    assert name in message
    assert what_to_write in message


@pytest.mark.parametrize(
    ("text", "named", "what_to_write"),
    [
        ("prot = 1", "prot is no setting in dunr.toml", "write port"),
        ('[smtp]\nhost = "x"', "smtp is no setting", "write smtp_"),
        ('port = "8080"', "port in dunr.toml", "write for example port = 8080"),
        ('live = "true"', "live in dunr.toml", "write for example live = false"),
        ('webhook_secrets = "whsec_a"', "webhook_secrets in dunr.toml", '["whsec_one", "whsec_two"]'),
        ('account = ""', "account in dunr.toml", 'account = "acct_sandbox"'),
        ("port = ", "dunr.toml is not TOML", "such as port = 8080"),
        ("clock = 1", "clock in dunr.toml", "write one of stored, system, manual"),
    ],
)
def test_a_line_of_the_file_that_cannot_be_used_is_named(
    tmp_path: Path, text: str, named: str, what_to_write: str
) -> None:
    write(tmp_path, text)
    message = refused({}, tmp_path)
    assert named in message
    assert what_to_write in message


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "dunr.toml").write_bytes(b"port = 8080 # \xff")
    assert "dunr.toml is not TOML" in refused({}, tmp_path)


@pytest.mark.parametrize(
    ("text", "named", "what_to_write"),
    [
        ("webhook_secrets = []", "webhook_secrets is empty", "write webhook_secrets ="),
        ('webhook_secrets = ["a", " "]', "webhook_secrets holds an empty secret", "write the secret"),
        ('webhook_secrets = ["whsec_"]', "webhook_secrets holds an empty secret", "write the secret"),
        (
            'webhook_secrets = ["a"]\nwebhook_secrets_file = "secrets"',
            "webhook_secrets and webhook_secrets_file",
            "write one of them",
        ),
        ('sandbox_api_key = ""', "sandbox_api_key holds an empty secret", "leave sandbox_api_key out"),
        ('sandbox_api_key = "sk_live_1"', "sandbox_api_key is a live key", "write sandbox_api_key ="),
        ('processor = "square"', 'processor = "square" does not exist', 'or processor = "stripe"'),
        ('processor = "stripe"', 'processor = "stripe" needs a key', "write stripe_api_key ="),
        ('processor = "stripe"', 'account = "acct_sandbox" is no account of Stripe', 'write account = "acct_…"'),
        ('processor = "stripe"\nstripe_api_key = "pk_test_1"', "publishable key", "write stripe_api_key ="),
        ('processor = "stripe"\nstripe_api_key = "rk_live_1"', "is a live key", "write live = true"),
        (
            'processor = "stripe"\nlive = true\nstripe_api_key = "sk_test_1"',
            "live = true with a test key",
            "live = false",
        ),
        ('processor = "stripe"\nlive = true\nstripe_url = "http://a.example"', "can overhear", "write stripe_url ="),
        ('processor = "stripe"\nstripe_connected_accounts = ["x"]', 'holds "x"', "write stripe_connected_accounts ="),
        ('store = "mysql://db/dunr"', "store names no store", 'write store = "sqlite:///path/to/dunr.db"'),
        ('store = "sqlite:///:memory:"', "store names no store", 'store = "memory:"'),
        ('sandbox_url = "localhost:8090"', "sandbox_url must be an http address", "write sandbox_url ="),
        ('public_url = "https://a:b@shop.example"', "public_url must be", "without a password"),
        ('publish_url = "http://[x"', "publish_url must be", "write publish_url ="),
        ("lease_seconds = 70", "lease_seconds = 70", "write lease_seconds = 71 or more"),
        ("look_max_age_seconds = 240", "lease_seconds = 300", "write lease_seconds = 301 or more"),
        ("clock_start = 2026-06-23T10:00:00Z", "clock_start needs the manual clock", 'write clock = "manual"'),
        ('mailer = "smtp"', 'mailer = "smtp" needs a server', "write smtp_host ="),
        ('mailer = "smtp"', "needs a sender", "write mail_from ="),
        ('mailer = "smtp"', "placeholder", "write merchant_name ="),
        ('smtp_user = "me"', "smtp_user and smtp_password", "write both, or neither"),
        ('publish_url = "https://app.example"', "publish_url and publish_secret", "write both, or neither"),
        (
            'publish_url = "https://app.example"\npublish_secret = "hush"',
            "publish_secret is no secret of Standard Webhooks",
            "write publish_secret =",
        ),
    ],
)
def test_what_contradicts_itself_is_named(tmp_path: Path, text: str, named: str, what_to_write: str) -> None:
    write(tmp_path, text)
    message = refused({}, tmp_path)
    assert named in message
    assert what_to_write in message


def test_the_lease_may_be_as_short_as_the_calls_allow(tmp_path: Path) -> None:
    assert load_settings({"DUNR_LEASE_SECONDS": "71"}, tmp_path).lease_seconds == 71


@pytest.mark.parametrize(
    ("change", "named", "what_to_write"),
    [
        ({}, 'live = true with processor = "sandbox"', "write live = false"),
        ({"DUNR_CLOCK": "manual"}, 'live = true with clock = "manual"', 'write clock = "system"'),
        ({"DUNR_STORE": "memory:"}, 'live = true with store = "memory:"', "write store ="),
        ({"DUNR_WEBHOOK_SECRETS": "whsec_local"}, "default webhook_secrets", "write your own in webhook_secrets"),
        ({"DUNR_API_TOKENS_REQUIRED": "false"}, "an API that asks for no token", "write api_tokens_required = true"),
    ],
)
def test_live_wants_real_things(tmp_path: Path, change: dict[str, str], named: str, what_to_write: str) -> None:
    message = refused(LIVE | change, tmp_path)
    assert named in message
    assert what_to_write in message


def test_the_default_secret_serves_the_sandbox_alone() -> None:
    with pytest.raises(SettingsError, match="write the secrets of another in webhook_secrets"):
        Settings(processor="another")


def test_secrets_in_a_file_are_those_of_now_and_the_last_good_ones_where_it_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "secrets"
    settings = load_settings({"DUNR_WEBHOOK_SECRETS_FILE": "secrets"}, tmp_path)
    with pytest.raises(SettingsError, match="holds no secret"):
        webhook_secrets(settings)
    file.write_text("whsec_old\n")
    secrets = webhook_secrets(settings)
    assert list(secrets) == ["whsec_old"]
    file.write_text("  whsec_old\n\nwhsec_new \n")
    assert list(secrets) == ["whsec_old", "whsec_new"]
    for nothing in (b"", b" \n", b"\xff\xff"):
        file.write_bytes(nothing)
        assert secrets[:] == ("whsec_old", "whsec_new")
    file.unlink()
    assert len(secrets) == 2
    assert webhook_secrets(load_settings({}, tmp_path)) == ("whsec_local",)


def test_a_change_made_later_is_checked_too(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path)
    with pytest.raises(SettingsError, match="lease_seconds = 71 or more"):
        replace(settings, lease_seconds=1)
    with pytest.raises(SettingsError, match="clock_start has no time zone"):
        replace(settings, clock="manual", clock_start=datetime(2026, 6, 23, 10))  # noqa: DTZ001 - that is the point


def test_mail_and_publishing_as_they_should_be(tmp_path: Path) -> None:
    write(
        tmp_path,
        'mailer = "smtp"\nsmtp_host = "smtp.example.com"\nmail_from = "billing@example.com"\nmerchant_name = "Ours"\n'
        f'publish_url = "https://app.example.com/hooks"\npublish_secret = "{PUBLISH_SECRET}"',
    )
    assert load_settings({}, tmp_path).publish_secret == PUBLISH_SECRET


def test_no_secret_is_ever_shown(tmp_path: Path) -> None:
    hidden = {
        "DUNR_SANDBOX_API_KEY": "sk_sandbox_hidden",
        "DUNR_WEBHOOK_SECRETS": "whsec_hidden_1,whsec_hidden_2",
        "DUNR_SMTP_USER": "me",
        "DUNR_SMTP_PASSWORD": "hidden",
        "DUNR_PUBLISH_URL": "https://app.example.com",
        "DUNR_PUBLISH_SECRET": PUBLISH_SECRET,
    }
    settings = load_settings(hidden, tmp_path)
    for shown in (repr(settings), str(settings), f"{settings}"):
        assert "hidden" not in shown
        assert PUBLISH_SECRET not in shown
        assert "smtp_user='me', smtp_password=***" in shown


def test_every_setting_without_a_default_has_an_example() -> None:
    bare = {field.name for field in fields(Settings) if field.default in (None, "")}
    assert bare <= set(EXAMPLES)
