"""From `dunr.toml` and the environment to one `Settings`.

`port` in the file is `DUNR_PORT` in the environment, and so on for each field of `Settings`; the environment wins. The
file lies in the working directory, beside the data folder or in it. Options of a command are laid over the environment
that is handed in here, so that they are checked the same way.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from dunr.errors import SettingsError
from dunr.settings.values import Settings, Text

PREFIX = "DUNR_"
FILE_NAME = "dunr.toml"
KEYS = tuple(field.name for field in fields(Settings))
DEFAULTS: Mapping[str, object] = {
    field.name: field.default for field in fields(Settings) if field.default is not MISSING
}
TABLES: Mapping[str, str] = {  # settings of several lines, which no environment variable can hold
    "declines": '[declines.stripe.decline_code] and below it new_code = "do_not_honor"',
    "brands": '[brands.default] and below it colour = "#2b6cd4"',
}
KINDS: Mapping[str, Any] = get_type_hints(Settings, include_extras=True) | {"data": Text}
LISTS = frozenset(
    {"webhook_secrets", "stripe_connected_accounts", "billing_retryable_codes", "billing_final_codes", "sns_topics"}
    | {"alert_mail_to", "outbound_allowed"}
)  # with commas in the environment
EXAMPLES: Mapping[str, object] = {  # where the default is no good example
    "data": "./dunr-data",
    "store": "sqlite:///path/to/dunr.db",
    "webhook_secrets": ("whsec_one", "whsec_two"),
    "webhook_secrets_file": "/run/secrets/dunr-webhooks",
    "stripe_api_key": "rk_test_…",
    "stripe_connected_accounts": ("acct_one", "acct_two"),
    "stripe_rate_max": 25,
    "sandbox_rate_max": 25,
    "billing_charge_url": "https://billing.example.com/charge",
    "billing_look_up_url": "https://billing.example.com/look-up",
    "billing_update_url": "https://shop.example.com/payment-method",
    "billing_secret": "whsec_<base64 of 32 random bytes>",
    "may_charge_url": "https://shop.example.com/may-charge",
    "may_charge_secret": "whsec_<base64 of 32 random bytes>",
    "billing_retryable_codes": ("NO_CREDIT", "BUSY"),
    "billing_final_codes": ("BARRED",),
    "clock_start": "2026-06-23T10:00:00Z",
    "instance": "eu-1",
    "public_url": "https://billing.example.com",
    "copywriter_model": "global.anthropic.claude-haiku-4-5-20251001-v1:0",
    "copywriter_url": "http://127.0.0.1:11434/v1",
    "copywriter_key": "sk-…",
    "copywriter_price_in": 1.0,
    "copywriter_price_out": 5.0,
    "smtp_host": "smtp.example.com",
    "smtp_user": "dunr",
    "ses_region": "eu-west-2",
    "ses_configuration_set": "dunr",
    "sns_topics": ("arn:aws:sns:eu-west-2:123456789012:dunr-feedback",),
    "bounce_address": "bounces@example.com",
    "smtp_password": "the password",
    "mail_from": "billing@example.com",
    "merchant_name": "Your name",
    "publish_url": "https://app.example.com/hooks/dunr",
    "publish_secret": "whsec_<base64 of 32 random bytes>",
    "alert_url": "https://chat.example.com/hooks/dunr",
    "alert_secret": "whsec_<base64 of 32 random bytes>",
    "alert_mail_to": ("ops@example.com",),
    "outbound_allowed": ("10.1.0.0/16",),
}


def load_settings(environment: Mapping[str, str], working_directory: Path) -> Settings:
    """The settings, checked. Relative paths begin at the working directory."""
    given = _from_environment(environment)
    data = working_directory / str(given.get("data", DEFAULTS["data"]))
    file = _the_only_file(working_directory, data)
    if file is not None:
        written = _from_file(file)
        given = {**written, **given}
        data = working_directory / str(given.get("data", DEFAULTS["data"]))
        _the_only_file(working_directory, data, file)
    given["data"] = data
    policy = given.get("policy")
    if isinstance(policy, str) and policy.endswith(".toml"):
        given["policy"] = str(working_directory / policy)
    if "webhook_secrets_file" in given:
        given["webhook_secrets_file"] = str(working_directory / given["webhook_secrets_file"])
    return Settings(**given)


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    names = {PREFIX + key.upper(): key for key in KEYS}
    given = {}
    for name, text in environment.items():
        if not name.startswith(PREFIX):
            continue
        key = name.removeprefix(PREFIX).lower()
        if names.get(name) != key:
            raise _unknown(name, "environment variable", [PREFIX + close.upper() for close in _close(key)])
        if key in TABLES:
            raise SettingsError(f"{name} cannot hold a table: write {TABLES[key]} in {FILE_NAME}")
        value = tuple(part.strip() for part in text.split(",")) if key in LISTS else text
        if not text.strip():
            raise SettingsError(f"{name} is empty: unset it, or write {name}={_in_environment(key)}")
        given[key] = _converted(key, value, strict=False, source=name, example=f"{name}={_in_environment(key)}")
    return given


def _the_only_file(working_directory: Path, data: Path, read: Path | None = None) -> Path | None:
    """The settings file, or none. Two would leave it open which one counts."""
    places = (working_directory, data.parent, data)
    found = {path.resolve() for place in places if (path := place / FILE_NAME).is_file()} | ({read} if read else set())
    if len(found) > 1:
        raise SettingsError(f"There are several settings files: keep one of {' and '.join(map(str, sorted(found)))}")
    return next(iter(found), None)


def _from_file(file: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{file} cannot be read ({error.strerror}): let the user of dunr read it") from error
    except ValueError as error:  # not UTF-8, or not TOML
        raise SettingsError(f"{file} is not TOML ({error}): write one setting a line, such as port = 8080") from error
    for key in table:
        if key not in KEYS:
            raise _unknown(key, f"setting in {file.name}", _close(key))
    return {
        key: _converted(key, value, strict=True, source=f"{key} in {file.name}", example=_written(key))
        for key, value in table.items()
    }


def _close(key: str) -> list[str]:
    return get_close_matches(key, KEYS, n=1)


def _unknown(name: str, what: str, close: Sequence[str]) -> SettingsError:
    """A misspelt name would leave the default in force, silently."""
    wanted = f"write {close[0]}" if close else f"take it out; the settings are {', '.join(KEYS)}"
    return SettingsError(f"{name} is no {what} of dunr: {wanted}")


def _converted(key: str, value: object, *, strict: bool, source: str, example: str) -> Any:  # noqa: ANN401 - as KINDS says
    try:
        return msgspec.convert(value, KINDS[key], strict=strict)
    except msgspec.ValidationError as error:
        choices = get_args(KINDS[key]) if get_origin(KINDS[key]) is Literal else ()
        wanted = f"one of {', '.join(choices)}, such as {example}" if choices else f"for example {example}"
        raise SettingsError(f"{source} cannot be used ({error}): write {wanted}") from error


def _written(key: str) -> str:
    """A setting as the file has it."""
    return TABLES.get(key) or f"{key} = {_in_file(key)}"


def _example(key: str) -> object:
    return EXAMPLES.get(key, DEFAULTS[key])


def _in_environment(key: str) -> str:
    value = _example(key)
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _in_file(key: str) -> str:
    return json.dumps(_example(key), ensure_ascii=False)
