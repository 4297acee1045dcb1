"""What an operator may set, and what may not be set together.

The rules hold for every `Settings`, however it was made, so that `dataclasses.replace` cannot slip past them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec

from dunr.errors import SettingsError
from dunr.facts.mapping import problems_in
from dunr.settings.billing import billing_contradictions
from dunr.settings.copywriting import copywriter_contradictions
from dunr.settings.mail import mail_contradictions
from dunr.settings.may_charge import may_charge_contradictions
from dunr.settings.outbound import outbound_contradictions
from dunr.settings.sending import sending_contradictions
from dunr.settings.stripe import STRIPE_URL, stripe_contradictions

PROCESSORS = ("sandbox", "stripe", "billing_http")
LOCAL_API_KEY = "sk_sandbox_local"
LOCAL_WEBHOOK_SECRET = "whsec_local"  # noqa: S105 - known to everybody, and refused where it would matter
LIVE_KEY_PREFIX = "sk_live_"
OUTBOUND_URLS = ("publish_url", "alert_url", "may_charge_url")
BILLING_URLS = ("billing_charge_url", "billing_look_up_url", "billing_update_url")
PLACEHOLDER_MAIL_FROM = "billing@shop.invalid"
PLACEHOLDER_MERCHANT = "Example Shop"
PLACEHOLDER_ACCOUNT = "acct_sandbox"
SECRET_FIELDS = frozenset(
    {"sandbox_api_key", "stripe_api_key", "webhook_secrets", "smtp_password", "publish_secret", "billing_secret"}
    | {"copywriter_key", "alert_secret", "may_charge_secret"}
)
PASSWORD_OF_USER = re.compile(r"^(\w+://[^:/?#]*):.*@")
PASSWORD_PARAMETER = re.compile(r"([?&](?:ssl)?password=)[^&]*", re.IGNORECASE)

Text = Annotated[str, msgspec.Meta(min_length=1)]
Port = Annotated[int, msgspec.Meta(ge=1, le=65_535)]
Seconds = Annotated[int, msgspec.Meta(ge=1, le=86_400)]
Price = Annotated[float, msgspec.Meta(ge=0)]
Instant = Annotated[datetime, msgspec.Meta(tz=True)]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """What an operator chooses. None means: not chosen, and nothing is done that needs it."""

    data: Path = Path("dunr-data")
    store: Text = ""  # left empty: a SQLite file in the data folder
    port: Port = 8080
    processor: Text = "sandbox"
    account: Text = PLACEHOLDER_ACCOUNT
    sandbox_url: Text = "http://127.0.0.1:8090"
    sandbox_api_key: str = LOCAL_API_KEY
    stripe_api_key: str | None = None
    stripe_url: Text = STRIPE_URL
    stripe_connected_accounts: tuple[str, ...] = ()  # of a platform; "*" means every one
    stripe_rate_max: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = (
        None  # calls a second; left out: what Stripe allows
    )
    sandbox_rate_max: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = (
        None  # the same for the sandbox, which has no limit of its own
    )
    billing_decision_only: bool = False  # you make every call; dunr says when, and is told what came of it
    billing_charge_url: Text | None = None  # of a billing system of your own: where it takes its two calls
    billing_look_up_url: Text | None = None
    billing_update_url: Text | None = None  # your page where a customer changes what they pay by
    billing_secret: str | None = None  # signs our calls
    billing_retryable_codes: tuple[str, ...] = ()  # reason codes that are worth another try
    billing_final_codes: tuple[str, ...] = ()  # those that are not
    may_charge_url: Text | None = None  # of your own, asked before each charge; left out: nobody is
    may_charge_secret: str | None = None  # signs that question
    may_charge_seconds: Annotated[int, msgspec.Meta(ge=1, le=30)] = 3  # how long an answer is waited for
    webhook_secrets: tuple[str, ...] = (LOCAL_WEBHOOK_SECRET,)  # several while one is replaced by another
    webhook_secrets_file: Text | None = None  # instead: one a line, read again when the file changes
    live: bool = False
    clock: Literal["stored", "system", "manual"] = (
        "stored"  # `stored`: manual where the store holds a time that is moved by hand
    )
    clock_start: Instant | None = None  # of the manual clock, where the store does not know its time yet
    events_kept_days: Annotated[int, msgspec.Meta(ge=60, le=3650)] = (
        400  # applied events and done effects; a repeat of a younger event is known
    )
    instance: Text | None = None  # tells a copy of the store from the original
    public_url: Text | None = None  # what links in mails begin with; left out: this machine and port
    mailer: Literal["log", "smtp", "ses"] = "log"
    mail_channel: Literal["dunr", "own", "off"] = "dunr"  # who writes to customers: dunr, your own system, or nobody
    mails_per_day_max: Annotated[int, msgspec.Meta(ge=1, le=100)] = (
        3  # reminders to one address; what must be told is told
    )
    smtp_host: Text | None = None
    smtp_port: Port = 587
    smtp_user: Text | None = None
    smtp_password: str | None = None
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    ses_region: Text | None = None
    ses_configuration_set: Text | None = None  # which publishes bounces and complaints
    sns_topics: tuple[str, ...] = ()  # that are believed
    bounce_address: Text | None = None  # where bounces come back to, with a token: bounces+…@
    mail_from: Text = PLACEHOLDER_MAIL_FROM
    merchant_name: Text = PLACEHOLDER_MERCHANT
    copywriter: Literal["template", "bedrock", "openai_compatible"] = "template"
    copywriter_model: Text | None = None
    copywriter_url: Text | None = None
    copywriter_key: str | None = None
    copywriter_seconds: Seconds = 5  # how long a mail waits for it
    copywriter_price_in: Price | None = None  # dollars for a million tokens
    copywriter_price_out: Price | None = None
    brands: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # names and looks of mails
    publish_url: Text | None = None
    publish_secret: str | None = None
    alert_url: Text | None = None  # an endpoint of people: a chat, a pager
    alert_secret: str | None = None
    alert_mail_to: tuple[str, ...] = ()  # who is told of alerts by mail
    outbound_allowed: tuple[str, ...] | None = (
        None  # private networks that messages may go to; left out: this machine in rehearsals, none with live keys
    )
    declines: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)  # own meanings of codes
    policy: Text = "business_days"  # the name of one that ships, or the path of a TOML file
    processor_timeout_seconds: Seconds = 30
    lease_seconds: Seconds = 300
    look_max_age_seconds: Seconds = 10
    webhook_tolerance_seconds: Seconds = 300
    body_bytes_max: Annotated[int, msgspec.Meta(ge=1024, le=67_108_864)] = 1_048_576
    automatic_brake: bool = True  # sending holds by itself where its answers leave their usual band
    brake_sends_min: Annotated[int, msgspec.Meta(ge=10, le=100_000)] = 30  # within an hour; fewer prove nothing
    brake_decline_percent: Annotated[int, msgspec.Meta(ge=1, le=100)] = 25  # above the usual rate
    brake_unknown_percent: Annotated[int, msgspec.Meta(ge=1, le=100)] = 15
    brake_hold_minutes: Annotated[int, msgspec.Meta(ge=1, le=1440)] = 15
    brake_resume_minutes: Annotated[int, msgspec.Meta(ge=1, le=1440)] = (
        60  # over which sending comes back, case by case
    )
    stop_seconds: Annotated[int, msgspec.Meta(ge=1, le=3600)] = (
        8  # for what is under way when told to stop; containers are killed after ten
    )
    worker_threads: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4
    api_tokens_required: bool = False
    log: Literal["json", "console"] = "json"

    def __post_init__(self) -> None:
        """Fill in what follows from the rest, and refuse what contradicts it."""
        if not self.store:
            object.__setattr__(self, "store", f"sqlite:///{self.data}/dunr.db")
        if self.clock_start is not None and self.clock_start.tzinfo is not None:
            object.__setattr__(self, "clock_start", self.clock_start.astimezone(UTC))
        problems = list(_contradictions(self))
        if problems:
            raise SettingsError("\n".join(problems))

    def __repr__(self) -> str:
        """All of it but the secrets."""
        shown = (
            f"{field.name}={'***' if field.name in SECRET_FIELDS and value else repr(value)}"
            for field in fields(self)
            for value in (self.store_shown if field.name == "store" else getattr(self, field.name),)
        )
        return f"Settings({', '.join(shown)})"

    @property
    def store_shown(self) -> str:
        """The store without a password that may stand in its address or among its parameters."""
        masked = PASSWORD_OF_USER.sub(r"\1:***@", self.store)
        return PASSWORD_PARAMETER.sub(r"\1***", masked)

    @property
    def is_rehearsal(self) -> bool:
        """Whether the processor is the sandbox, under its own face or under the one that answers as Stripe does."""
        as_stripe = self.processor == "stripe" and self.stripe_url.rstrip("/") == self.sandbox_url.rstrip("/")
        return not self.live and (self.processor == "sandbox" or as_stripe)

    @property
    def links_base(self) -> str:
        """The address that links to us begin with."""
        return (self.public_url or f"http://localhost:{self.port}").rstrip("/")


def _contradictions(settings: Settings) -> Iterator[str]:
    yield from _missing_secrets(settings)
    yield from _bad_addresses(settings)
    yield from _live(settings)
    yield from stripe_contradictions(settings, PLACEHOLDER_ACCOUNT)
    yield from billing_contradictions(settings)
    yield from may_charge_contradictions(settings)
    yield from sending_contradictions(settings)
    yield from mail_contradictions(settings, PLACEHOLDER_MAIL_FROM, PLACEHOLDER_MERCHANT)
    yield from outbound_contradictions(settings)
    yield from copywriter_contradictions(settings)
    yield from problems_in(settings.declines, frozenset(PROCESSORS))


def _missing_secrets(settings: Settings) -> Iterator[str]:
    if settings.webhook_secrets_file is not None and settings.webhook_secrets != (LOCAL_WEBHOOK_SECRET,):
        yield "webhook_secrets and webhook_secrets_file are both given: write one of them"
    if not settings.webhook_secrets:
        yield 'webhook_secrets is empty, so no webhook could be trusted: write webhook_secrets = ["whsec_…"]'
    for key in sorted(SECRET_FIELDS):
        value = getattr(settings, key)
        found = value if isinstance(value, tuple) else () if value is None else (value,)
        if any(not secret.strip().removeprefix("whsec_") for secret in found):
            yield f"{key} holds an empty secret, which anybody can forge: write the secret, or leave {key} out"


def _bad_addresses(settings: Settings) -> Iterator[str]:
    if settings.processor not in PROCESSORS:
        known = " or ".join(f'processor = "{name}"' for name in PROCESSORS)
        yield f'processor = "{settings.processor}" does not exist: write {known}'
    if settings.store != "memory:" and not _is_sqlite_file(settings.store) and not _is_server(settings.store):
        yield (
            'store names no store that dunr has: write store = "sqlite:///path/to/dunr.db", '
            'store = "postgresql://user@host/dunr" or store = "memory:"'
        )
    for key in ("sandbox_url", "stripe_url", "public_url", *OUTBOUND_URLS, *BILLING_URLS):
        url = getattr(settings, key)
        if url is not None and not _is_plain_address(url):
            yield f'{key} must be an http address without a password in it: write {key} = "https://shop.example"'


def _is_sqlite_file(store: str) -> bool:
    path = store.removeprefix("sqlite:///")
    return path not in (store, "", "/") and not path.startswith(":")


def _is_server(store: str) -> bool:
    """An address of PostgreSQL that names a database; what else is wrong with it, its driver tells."""
    address = store.removeprefix("postgresql://")
    return address != store and bool(address.partition("?")[0].partition("/")[2])


def _is_plain_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:  # a bracket without its other half
        return False


def _live(settings: Settings) -> Iterator[str]:
    """Real money needs real secrets, real time and a processor that moves it."""
    if settings.sandbox_api_key.startswith(LIVE_KEY_PREFIX):
        yield (
            "sandbox_api_key is a live key, and the sandbox must not see one: "
            f'write sandbox_api_key = "{LOCAL_API_KEY}"'
        )
    known_to_all = settings.webhook_secrets_file is None and LOCAL_WEBHOOK_SECRET in settings.webhook_secrets
    if settings.processor != "sandbox" and known_to_all:
        yield f"webhook_secrets holds the sandbox's own: write the secrets of {settings.processor} in webhook_secrets"
    if not settings.live:
        return
    if known_to_all:
        yield "live = true with the default webhook_secrets, which everybody knows: write your own in webhook_secrets"
    if settings.processor == "sandbox":
        yield 'live = true with processor = "sandbox", which moves no money: write live = false'
    if settings.clock == "manual":
        yield 'live = true with clock = "manual": write clock = "system"'
    if settings.store == "memory:":
        yield 'live = true with store = "memory:", which forgets: write store = "sqlite:///path/to/dunr.db"'
    if not settings.api_tokens_required:
        yield "live = true with an API that asks for no token: write api_tokens_required = true"
