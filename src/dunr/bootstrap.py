"""From settings to one running dunr: the only file that imports adapters, each inside the branch that selects it.

Nothing is decided here but what is put together. A store that turns out to be a copy is put together like any other, with its stops up (see `adoption`).
"""

import dataclasses
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dunr.adoption import Identified, stop_if_copied
from dunr.application import Application, Listen, hears_nothing
from dunr.brake_desk import BrakeDesk
from dunr.braking import AutomaticBrake
from dunr.charge_desk import Account, ChargeDesk
from dunr.core.facts import DeclineKey, Facts, ProcessorFacts, Timing
from dunr.core.terms import DeclineReason
from dunr.core.value import replace
from dunr.engine import Engine, Parts
from dunr.errors import SettingsError
from dunr.facts.capabilities import ServedPolicies
from dunr.facts.load import load_facts
from dunr.facts.mapping import as_keys, of_billing_codes
from dunr.facts.of_processors import FactsOf
from dunr.facts.policies import NamedPolicies
from dunr.first_start import FirstStart
from dunr.holders import own_name
from dunr.inspection import Wiring
from dunr.intake import Intake
from dunr.mailroom import habits_of, mailer_of
from dunr.manual_clock import CLOCK, StoreClock
from dunr.messengers import messengers_of
from dunr.own_systems import billing, preflight_of
from dunr.pacing import pace_of
from dunr.performing import Performer
from dunr.policies_in_force import PoliciesInForce
from dunr.ports import Clock, Processor, Reports, Store
from dunr.renewal_desk import RenewalDesk
from dunr.rulebook import StoredRulebook
from dunr.running import Runner
from dunr.settings import Settings, brake_rule, link_secret, webhook_secrets
from dunr.sweep import Forget, Sweep, forgetting
from dunr.system_clock import SystemClock

if TYPE_CHECKING:
    from dunr.adapters.processors.stripe.processor import StripeProcessor


def build(settings: Settings, *, holder: str | None = None) -> Application:
    """One running dunr, ready and idle. `holder` names it in leases."""
    with ExitStack() as opened:
        kept = _store(settings, opened)
        store, reports, identified = kept.store, kept.reports, kept.identified
        settings = _by_the_clock_of(settings, store)
        clock = _clock(settings, store)
        processors = _processors(settings, store, clock, opened)
        served = ServedPolicies(NamedPolicies(settings.policy), {name: one.facts for name, one in processors.items()})
        in_force = PoliciesInForce(store, clock, served)
        rulebook = StoredRulebook(store, in_force, _own_meanings(settings))
        brake = (
            AutomaticBrake(store, clock, brake_rule(settings))
            if settings.automatic_brake and not settings.billing_decision_only
            else None
        )
        facts = _facts(settings, processors)
        preflight = preflight_of(settings, clock, opened)
        engine = Engine(Parts(store, processors, rulebook, facts, clock, holder or own_name(), brake, preflight))
        desk = _desk(settings, store, clock)
        renewals = RenewalDesk(desk, store, clock) if desk is not None else None
        accounts = ((settings.processor, settings.account),)
        first_start = FirstStart(store, reports, rulebook, clock, processors, accounts)
        intake = Intake(engine, renewals, first_start.meet)
        mailer, habits = (
            mailer_of(settings, store, clock, opened, intake.alert),
            habits_of(settings),
        )
        publisher, ways = messengers_of(settings, clock, opened)
        performer = Performer(engine, mailer, publisher, habits, ways)
        forget = forgetting(kept.forget, timedelta(days=settings.events_kept_days))
        hands_count = 1 if settings.clock == "manual" else settings.worker_threads
        if identified is not None:
            stop_if_copied(identified, rulebook, intake)
        return Application(
            settings=settings,
            clock=clock,
            store=store,
            reports=reports,
            processors=processors,
            rulebook=rulebook,
            brakes=BrakeDesk(store, clock, rulebook, accounts),
            policies=in_force,
            engine=engine,
            intake=intake,
            performer=performer,
            runner=Runner(engine, intake, performer),
            sweep=Sweep(engine, reports, intake.alert, accounts, forget, hands_count, first_start.meet),
            listen=kept.listen,
            desk=desk,
            renewals=renewals,
            give_words=kept.give_words,
            finish_migration=kept.finish_migration,
            close=opened.pop_all().close,
        )


def _facts(settings: Settings, processors: Mapping[str, Processor]) -> Facts:
    timing = Timing(
        lease_seconds=settings.lease_seconds,
        look_max_age_seconds=settings.look_max_age_seconds,
        processor_timeout_seconds=settings.processor_timeout_seconds,
    )
    known = load_facts(
        merchant_declines=_own_meanings(settings),
        processors={name: one.facts for name, one in processors.items()},
        timing=timing,
    )
    return replace(known, processors=FactsOf(processors))


def _desk(settings: Settings, store: Store, clock: Clock) -> ChargeDesk | None:
    """Where charges are left to us: only where no processor makes the first one by itself."""
    if settings.processor != "billing_http":
        return None
    return ChargeDesk(Account(settings.processor, settings.account, settings.live), store, clock)


def _own_meanings(settings: Settings) -> Mapping[DeclineKey, DeclineReason]:
    """What the merchant says that codes mean; a reason that is named counts before a mere retryable or final."""
    codes = of_billing_codes("billing_http", settings.billing_retryable_codes, settings.billing_final_codes)
    return {**codes, **as_keys(settings.declines)}


@dataclass(frozen=True, slots=True)
class _Opened:
    """A store by all of its faces. What only a database has is None for one in memory."""

    store: Store
    reports: Reports
    identified: Identified | None = None
    listen: Listen = hears_nothing
    forget: Forget | None = None
    give_words: Callable[[int], int] | None = None
    finish_migration: Callable[[], None] | None = None


def _store(settings: Settings, opened: ExitStack) -> _Opened:
    """The store that the settings name."""
    if settings.store == "memory:":
        from dunr.adapters.stores.memory import MemoryStore

        memory = MemoryStore()
        return _Opened(memory, memory)
    if settings.store.startswith(("sqlite:///", "postgresql://")):
        from dunr.adapters.stores.sql.store import SqlStore

        if settings.store.startswith("sqlite:///"):
            Path(settings.store.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)
        sql = SqlStore(settings.store, instance=settings.instance, search_key=link_secret(settings))
        opened.callback(sql.close)
        sql.migrate()
        return _Opened(sql, sql, sql, sql.listen, sql.forget, sql.give_words, sql.finish_migration)
    raise SettingsError(
        'store names no store that dunr has: write store = "sqlite:///path/to/dunr.db" or "postgresql://user@host/dunr"'
    )


def _by_the_clock_of(settings: Settings, store: Store) -> Settings:
    """The settings with the clock that is meant: a command beside a server on the manual clock follows it without being told. Live keys never do."""
    if settings.clock != "stored":
        return settings
    is_moved_by_hand = not settings.live and store.document(CLOCK) is not None
    return dataclasses.replace(settings, clock="manual" if is_moved_by_hand else "system")


def _clock(settings: Settings, store: Store) -> Clock:
    if settings.clock == "manual":
        return StoreClock(store, settings.clock_start or datetime.now(UTC).replace(microsecond=0))
    return SystemClock()


def _processors(settings: Settings, store: Store, clock: Clock, opened: ExitStack) -> dict[str, Processor]:
    if settings.processor == "sandbox":
        from dunr.adapters.processors.admission import WebhookAccount
        from dunr.adapters.processors.sandbox.client import SandboxClient
        from dunr.adapters.processors.sandbox.processor import SandboxProcessor

        pace = pace_of(store, f"sandbox:{settings.account}", settings.sandbox_rate_max)
        client = SandboxClient(settings.sandbox_url, settings.sandbox_api_key, settings.processor_timeout_seconds, pace)
        account = WebhookAccount(
            account=settings.account,
            live=settings.live,
            webhook_secrets=webhook_secrets(settings),
            tolerance_seconds=settings.webhook_tolerance_seconds,
        )
        sandbox = SandboxProcessor(account, client, facts_of("sandbox"))
        opened.callback(sandbox.close)
        return {sandbox.name: sandbox}
    if settings.processor == "stripe":
        stripe = _stripe(settings, store)
        opened.callback(stripe.close)
        return {stripe.name: stripe}
    if settings.processor == "billing_http":
        own = billing(settings, store, clock)
        opened.callback(own.close)
        return {own.name: own}
    raise SettingsError(
        'processor names no processor that dunr has: write processor = "sandbox", "stripe" or "billing_http"'
    )


def facts_of(processor: str) -> ProcessorFacts:
    """What the adapter of a processor says of it, with nothing opened; one without an adapter can do nothing but charge."""
    from dunr.adapters.processors.billing_http import facts as billing
    from dunr.adapters.processors.sandbox import facts as sandbox
    from dunr.adapters.processors.stripe import facts as stripe

    known = {"sandbox": sandbox.FACTS, "stripe": stripe.FACTS, "billing_http": billing.FACTS}
    return known.get(processor, ProcessorFacts())


def _stripe(settings: Settings, store: Store) -> "StripeProcessor":
    """Stripe, where its SDK is installed."""
    stripe_wiring()  # says what to do where it is not
    from dunr.adapters.processors.stripe.events import StripeAccount
    from dunr.adapters.processors.stripe.facts import rate_max
    from dunr.adapters.processors.stripe.processor import StripeProcessor

    account = StripeAccount(
        account=settings.account,
        live=settings.live,
        webhook_secrets=webhook_secrets(settings),
        tolerance_seconds=settings.webhook_tolerance_seconds,
        connected=frozenset(settings.stripe_connected_accounts),
    )
    return StripeProcessor.opened(
        account,
        url=settings.stripe_url,
        api_key=settings.stripe_api_key or "",
        timeout_seconds=settings.processor_timeout_seconds,
        pace=pace_of(store, f"stripe:{settings.account}", settings.stripe_rate_max or rate_max(live=settings.live)),
    )


def stripe_wiring() -> Wiring:
    """What Stripe has to know of us, and who makes the endpoint there."""
    if find_spec("stripe") is None:
        raise SettingsError('processor = "stripe" needs the SDK of Stripe: install it with pip install "dunr[stripe]"')
    from dunr.adapters.processors.stripe.inspection import WIRING

    return WIRING
