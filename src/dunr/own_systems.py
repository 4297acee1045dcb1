"""The parts of one running dunr that speak to systems of the merchant's own: their billing system, and whoever is asked before a charge.

A part of `bootstrap`, which puts them together with the rest.
"""

from contextlib import ExitStack
from typing import TYPE_CHECKING

from dunr.ports import Clock, Store
from dunr.preflight import Preflight
from dunr.settings import Settings, webhook_secrets

if TYPE_CHECKING:
    from dunr.adapters.processors.billing_http.conformance import Conformance
    from dunr.adapters.processors.billing_http.processor import BillingProcessor


def billing(settings: Settings, store: Store, clock: Clock) -> "BillingProcessor":
    """The merchant's own billing system, as a processor."""
    from dunr.adapters.processors.admission import WebhookAccount
    from dunr.adapters.processors.billing_http.processor import Addresses, BillingProcessor
    from dunr.adapters.processors.signed_calls import SignedCalls

    account = WebhookAccount(
        account=settings.account,
        live=settings.live,
        webhook_secrets=webhook_secrets(settings),
        tolerance_seconds=settings.webhook_tolerance_seconds,
    )
    if settings.billing_decision_only:
        from dunr.adapters.processors.billing_http.advising import AdvisingProcessor

        return AdvisingProcessor(account, settings.billing_update_url, store, clock)
    addresses = Addresses(
        settings.billing_charge_url or "", settings.billing_look_up_url or "", settings.billing_update_url
    )
    client = SignedCalls(
        "the billing system", settings.billing_secret or "", settings.processor_timeout_seconds, clock.now
    )
    return BillingProcessor(account, client, addresses, store, clock)


def conformance(
    settings: Settings, charge_url: str, look_up_url: str, *, secret: str, timeout_seconds: float, name: str
) -> "Conformance":
    """The questions that tell whether a billing system keeps the contract."""
    from dunr.adapters.processors.billing_http.conformance import Conformance
    from dunr.adapters.processors.billing_http.processor import Addresses

    codes = frozenset((*settings.billing_retryable_codes, *settings.billing_final_codes))
    return Conformance(Addresses(charge_url, look_up_url, None), secret, timeout_seconds, name, codes)


def preflight_of(settings: Settings, clock: Clock, opened: ExitStack) -> Preflight | None:
    """Who is asked before each charge, where the merchant wants to be."""
    if settings.may_charge_url is None or settings.may_charge_secret is None:
        return None
    from dunr.adapters.processors.preflight import WebhookPreflight
    from dunr.adapters.processors.signed_calls import SignedCalls
    from dunr.messengers import allowed_for
    from dunr.outbound import GuardedTransport, networks_of

    guarded = GuardedTransport(networks_of(allowed_for(settings)))
    whom, secret = "the system at may_charge_url", settings.may_charge_secret
    calls = SignedCalls(whom, secret, settings.may_charge_seconds, clock.now, guarded)
    preflight = WebhookPreflight(settings.may_charge_url, calls, clock)
    opened.callback(preflight.close)
    return preflight
