"""What can be checked at Stripe without moving anything: the key's permissions, its mode and account, the endpoint, and Stripe's own retries.

A permission is tried with an id that nothing has: Stripe looks at the permission first, so that "not found" means allowed. What Stripe's API does not tell, such as
which mails Stripe sends by itself, is named with the place where a person sees it.
"""

from collections.abc import Callable, Iterator

import msgspec
from stripe import StripeObject

from dunr.adapters.processors.exchange import NoAnswer
from dunr.adapters.processors.stripe.client import RESOURCE_MISSING, StripeConnection
from dunr.adapters.processors.stripe.endpoint import ENDPOINT_EVENTS, EndpointOnWire, StripeConnector, endpoints
from dunr.adapters.processors.stripe.events import StripeAccount
from dunr.adapters.processors.stripe.wire import API_VERSION, Id, Listed, Seconds
from dunr.inspection import Check, Level, Permission, Wiring
from dunr.ports import KeyRefused, ObjectMissing, SnapshotUnavailable

NOBODY = "dunr_doctor"  # no object has this id
OLDEST_VERSION = "2020-03-02"
SAMPLE = 100
UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 401, 403, 404
PERMISSIONS = (
    Permission("Invoices", "write", "to charge an invoice, and to take it over from Stripe's own retries"),
    Permission("Charges and refunds", "read", "to see what was charged, and why not"),
    Permission("Customers", "read", "to know who is written to"),
    Permission("Payment methods", "read", "to name the card that is charged"),
    Permission("Payment intents", "read", "to see what an invoice is paid through"),
    Permission("Subscriptions", "read", "to know whose access hangs on an invoice"),
    Permission("Disputes", "read", "to hold what a disputed card owes"),
    Permission("Events", "read", "to find out what became of an attempt that nobody answered"),
    Permission("Customer portal", "write", "for the page where a customer puts in a new card"),
    Permission("Webhook endpoints", "read", "for `dunr doctor`; write for `dunr connect stripe --create`"),
)

WIRING = Wiring(ENDPOINT_EVENTS, API_VERSION, PERMISSIONS, StripeConnector.opened)


class AccountOnWire(msgspec.Struct):
    """Whose key it is."""

    id: Id


class Planned(msgspec.Struct):
    """An open invoice, as far as Stripe collects it by itself."""

    id: Id
    livemode: bool
    auto_advance: bool = False
    next_payment_attempt: Seconds | None = None


class Inspector:
    """Looks at one account with our own key."""

    def __init__(self, connection: StripeConnection, settings: StripeAccount, account: str) -> None:
        """Keep the connection; nothing is asked yet."""
        self._connection = connection
        self._settings = settings
        self._account = account
        self._v1 = connection.v1
        self._options = connection.options(account)

    def checks(self, webhook_url: str) -> Iterator[Check]:
        """Every check; where the key itself is refused, no other."""
        first = self._whose()
        yield first
        if first.level is Level.FAILED:
            return
        yield from self._permissions()
        yield from self._endpoint(webhook_url)
        yield from self._own_retries()
        yield Check(
            "stripe: its own mails",
            Level.WARNING,
            "whether Stripe writes to customers about failed payments cannot be seen by its API",
            "look at Settings, Billing, Subscriptions and emails, and switch off there what dunr writes, or "
            "write notices_beside_processor = false in the policy",
        )

    def _whose(self) -> Check:
        """Whether the key is one of the account that is set."""
        about, accounts, options = "stripe: key", self._v1.accounts, self._options
        try:
            told = self._connection.read(lambda: accounts.retrieve_current(options=options), AccountOnWire)
        except KeyRefused as refused:
            if f"HTTP {UNAUTHORIZED}" in str(refused):
                return Check(about, Level.FAILED, str(refused), "make a restricted key and write it as stripe_api_key")
            return Check(
                about,
                Level.WARNING,
                "it may not read its own account, so whose it is cannot be seen",
                "compare account with the page where the key was made",
            )
        except (SnapshotUnavailable, ObjectMissing) as failure:
            return Check(
                about, Level.FAILED, f"Stripe cannot be asked: {failure}", "look at stripe_url and the network"
            )
        if told.id != self._account:
            return Check(
                about,
                Level.FAILED,
                f"it belongs to {told.id}, and account is {self._account}",
                f'write account = "{told.id}", or use the other key',
            )
        return Check(about, Level.OK, f"it belongs to {told.id}")

    def _permissions(self) -> Iterator[Check]:
        """One try for each permission."""
        for permission, ask in zip(PERMISSIONS, self._tries(), strict=False):
            yield self._permission(permission, ask)

    def _tries(self) -> tuple[Callable[[], StripeObject], ...]:
        """A harmless question for each permission, in the order of the table; the endpoints are listed anyway."""
        v1, options = self._v1, self._options
        return (
            lambda: v1.invoices.pay(f"in_{NOBODY}", {"off_session": True}, options),
            lambda: v1.charges.retrieve(f"ch_{NOBODY}", options=options),
            lambda: v1.customers.retrieve(f"cus_{NOBODY}", options=options),
            lambda: v1.payment_methods.retrieve(f"pm_{NOBODY}", options=options),
            lambda: v1.payment_intents.retrieve(f"pi_{NOBODY}", options=options),
            lambda: v1.subscriptions.retrieve(f"sub_{NOBODY}", options=options),
            lambda: v1.disputes.retrieve(f"dp_{NOBODY}", options=options),
            lambda: v1.events.list({"limit": 1}, options),
            lambda: v1.billing_portal.sessions.create({"customer": f"cus_{NOBODY}"}, options),
        )

    def _permission(self, permission: Permission, ask: Callable[[], StripeObject]) -> Check:
        about = f"stripe: permission {permission.resource} ({permission.level})"
        try:
            answer = self._connection.once(ask)
        except NoAnswer as nothing:
            return Check(about, Level.WARNING, f"cannot be tried: {nothing}", "run `dunr doctor` again")
        if answer.status in (UNAUTHORIZED, FORBIDDEN):
            return Check(
                about,
                Level.FAILED,
                "the key lacks it",
                f"tick {permission.level} for {permission.resource}: it is needed {permission.why}",
            )
        if answer.is_ok or answer.status == NOT_FOUND or answer.error().code == RESOURCE_MISSING:
            return Check(about, Level.OK, "the key has it")
        return Check(
            about, Level.WARNING, f"Stripe answers otherwise than expected: {answer.told()}", "run `dunr doctor` again"
        )

    def _endpoint(self, webhook_url: str) -> Iterator[Check]:
        """Whether Stripe tells us what we need, in which version."""
        about, make = (
            "stripe: webhook endpoint",
            f"run `dunr connect stripe --url {webhook_url.removesuffix('/webhooks/stripe')} --create`",
        )
        try:
            found = next((one for one in endpoints(self._connection, self._account) if one.url == webhook_url), None)
        except KeyRefused:
            yield Check(
                about,
                Level.WARNING,
                "the key may not list endpoints, so nothing can be seen",
                "tick read for Webhook endpoints, or compare with `dunr connect stripe`",
            )
            return
        except (SnapshotUnavailable, ObjectMissing) as failure:
            yield Check(about, Level.WARNING, f"cannot be read: {failure}", "run `dunr doctor` again")
            return
        if found is None:
            yield Check(
                about,
                Level.FAILED,
                f"none has the address {webhook_url}",
                f"{make}, or set public_url to what Stripe reaches",
            )
            return
        if found.status != "enabled":
            yield Check(about, Level.FAILED, f"{found.id} is {found.status}", "enable it on Stripe's page of webhooks")
        yield _told_events(found, make)
        yield _version(found)

    def _own_retries(self) -> Iterator[Check]:
        """What Stripe plans by itself, in the newest open invoices: whether retries are on cannot be asked for."""
        about, invoices, options = "stripe: own retries", self._v1.invoices, self._options
        try:
            sample = self._connection.read(
                lambda: invoices.list({"status": "open", "limit": SAMPLE}, options), Listed[Planned]
            ).data
        except (SnapshotUnavailable, ObjectMissing) as failure:
            yield Check(about, Level.WARNING, f"open invoices cannot be read: {failure}", "run `dunr doctor` again")
            return
        if any(one.livemode != self._settings.live for one in sample):
            yield Check(
                "stripe: mode",
                Level.FAILED,
                "the key is of the other mode than the settings",
                "correct live or stripe_api_key",
            )
        planned_count = sum(one.next_payment_attempt is not None for one in sample)
        if planned_count:
            found = f"{planned_count} of the {len(sample)} newest open invoices have a next try of Stripe's own"
            yield Check(
                about, Level.WARNING, found, "the policy's coexistence decides: observe, advise, take_over or refuse"
            )
        else:
            where = "Settings, Billing, Subscriptions and emails, Manage failed payments; automations are under Billing, Automations"
            yield Check(
                about,
                Level.OK,
                f"none of the {len(sample)} newest open invoices has a next try of Stripe's own; whether retries are on is shown at {where}",
            )


def _told_events(found: EndpointOnWire, make: str) -> Check:
    about, lacked, besides = "stripe: events", found.lacks, found.tells_besides
    if lacked:
        return Check(about, Level.FAILED, f"{found.id} does not tell {', '.join(lacked)}", make)
    if besides:
        return Check(
            about,
            Level.WARNING,
            f"{found.id} also tells {', '.join(besides)}, which is recorded and not used",
            "take it off, to save work",
        )
    return Check(about, Level.OK, f"{found.id} tells exactly what is needed")


def _version(found: EndpointOnWire) -> Check:
    about, version = "stripe: API version", found.api_version or "the account's default"
    if found.api_version is not None and found.api_version < OLDEST_VERSION:
        return Check(
            about,
            Level.WARNING,
            f"events come in {version}, which is older than any that was tried",
            f"make a new endpoint with {API_VERSION}",
        )
    return Check(about, Level.OK, f"events come in {version}; dunr itself asks in {API_VERSION}")
