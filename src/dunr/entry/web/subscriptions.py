"""Subscriptions that dunr renews for a billing system of the merchant's own, over the API: begun, changed, paused, resumed and ended."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated

import msgspec

from dunr.core.calendar import is_zone
from dunr.core.model import Payer
from dunr.core.renewals import CatchUp, PeriodUnit, Renewal, next_due_at, paused, resumed
from dunr.core.value import replace
from dunr.entry.web.charges import Currency, CustomerBody, InstrumentBody, PathId, Words, instrument_of
from dunr.entry.web.face import WebFace
from dunr.entry.web.operations import YEAR_MAX, YEAR_MIN, Answer, Call, Operation
from dunr.errors import BadRequest, NoSuchThing
from dunr.renewal_desk import Kept, RenewalDesk, RenewedSubscription
from dunr.tokens import Scope

Price = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
Quantity = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


class PeriodBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a cycle is: 1 months, 14 days."""

    count: Annotated[int, msgspec.Meta(ge=1, le=366)]
    unit: PeriodUnit


class SubscriptionBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A subscription to renew. Cycles are counted from `anchor_on`, whose day they keep; those before `starts_on` (a trial) are free.

    What is in the past when it is begun counts as missed, and `catch_up` says what becomes of it.
    """

    id: PathId
    customer: CustomerBody
    instrument: InstrumentBody
    price_minor: Price
    currency: Currency
    period: PeriodBody
    anchor_on: date
    quantity: Quantity = 1
    timezone: Words = "UTC"
    at_hour: Annotated[int, msgspec.Meta(ge=0, le=23)] = 9
    starts_on: date | None = None
    ends_on: date | None = None
    catch_up: CatchUp = CatchUp.LATEST
    products: tuple[Words, ...] = ()
    tags: tuple[Words, ...] = ()
    facts: Mapping[Words, Words] = {}


class ChangeBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is otherwise from the next cycle on; what is left out stays."""

    price_minor: Price | None = None
    quantity: Quantity | None = None
    instrument: InstrumentBody | None = None
    ends_on: date | None = None
    catch_up: CatchUp | None = None


class NothingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing is to be said."""


class SubscriptionAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A subscription as it stands. `next_charge_at` is null where it is paused or has ended."""

    id: str
    customer: str
    instrument: str
    amount_minor: int
    currency: str
    paused: bool
    ends_on: date | None
    next_charge_at: datetime | None


def begin(face: WebFace, call: Call) -> Answer:
    """Renew a subscription from now on."""
    return _answered(face, _desk(face).begin(subscription_of(call.read(SubscriptionBody))), 201)


def one_subscription(face: WebFace, call: Call) -> Answer:
    """How a subscription stands."""
    return Answer(subscription_answer(_desk(face).find(call.path["id"])))


def change(face: WebFace, call: Call) -> Answer:
    """Change a subscription from its next cycle on."""
    body = call.read(ChangeBody)

    def changed(before: RenewedSubscription, _now: datetime) -> RenewedSubscription:
        renewal = before.renewal
        renewal = replace(
            renewal,
            price_minor=renewal.price_minor if body.price_minor is None else body.price_minor,
            quantity=renewal.quantity if body.quantity is None else body.quantity,
            ends_on=renewal.ends_on if body.ends_on is None else body.ends_on,
            catch_up=renewal.catch_up if body.catch_up is None else body.catch_up,
        )
        instrument = before.instrument if body.instrument is None else instrument_of(body.instrument)
        return replace(before, renewal=renewal, instrument=instrument)

    return _answered(face, _desk(face).change(call.path["id"], changed), 202)


def pause(face: WebFace, call: Call) -> Answer:
    """Charge no cycle from today on."""
    call.read(NothingBody)
    kept = _desk(face).change(call.path["id"], lambda before, now: replace(before, renewal=paused(before.renewal, now)))
    return _answered(face, kept, 202)


def resume(face: WebFace, call: Call) -> Answer:
    """Charge cycles that begin from today on."""
    call.read(NothingBody)
    kept = _desk(face).change(
        call.path["id"], lambda before, now: replace(before, renewal=resumed(before.renewal, now))
    )
    return _answered(face, kept, 202)


def subscription_of(body: SubscriptionBody) -> RenewedSubscription:
    """What is to be kept. Raises `BadRequest` for what makes no sense."""
    if not is_zone(body.timezone):
        raise BadRequest(f"timezone {body.timezone!r} does not exist: write one such as Europe/Berlin.")
    for name, day in (("anchor_on", body.anchor_on), ("starts_on", body.starts_on), ("ends_on", body.ends_on)):
        if day is not None and not YEAR_MIN <= day.year <= YEAR_MAX:
            raise BadRequest(f"{name} must lie between the years {YEAR_MIN} and {YEAR_MAX}.")
    payer = body.customer
    return RenewedSubscription(
        id=body.id,
        customer_id=payer.id,
        instrument=instrument_of(body.instrument),
        renewal=Renewal(
            price_minor=body.price_minor,
            currency=body.currency,
            period_count=body.period.count,
            period_unit=body.period.unit,
            anchor_on=body.anchor_on,
            timezone=body.timezone,
            at_hour=body.at_hour,
            quantity=body.quantity,
            starts_on=body.starts_on,
            ends_on=body.ends_on,
            catch_up=body.catch_up,
        ),
        payer=Payer(payer.email, payer.name, payer.locale, payer.timezone, payer.country),
        products=body.products,
        tags=body.tags,
        facts=body.facts,
    )


def _desk(face: WebFace) -> RenewalDesk:
    """The desk, where we renew at all. Raises `NoSuchThing`."""
    desk = face.application.renewals
    if desk is None:
        raise NoSuchThing(
            'Subscriptions are renewed here only where processor = "billing_http": the processor renews them by itself.'
        )
    return desk


def _answered(face: WebFace, kept: Kept, status: int) -> Answer:
    face.quiet.settle()
    return Answer(subscription_answer(kept), status)


def subscription_answer(kept: Kept) -> SubscriptionAnswer:
    """A subscription as it stands."""
    subscription = kept.subscription
    renewal = subscription.renewal
    return SubscriptionAnswer(
        id=subscription.id,
        customer=subscription.customer_id,
        instrument=subscription.instrument.id,
        amount_minor=renewal.amount_minor,
        currency=renewal.currency,
        paused=renewal.paused_on is not None,
        ends_on=renewal.ends_on,
        next_charge_at=next_due_at(renewal),
    )


OPERATIONS = (
    Operation(
        "POST",
        "/v1/subscriptions",
        "Renew a subscription",
        begin,
        SubscriptionAnswer,
        Scope.ACT,
        201,
        SubscriptionBody,
        refusals=(404, 409),
    ),
    Operation(
        "GET",
        "/v1/subscriptions/{id}",
        "One subscription as it stands",
        one_subscription,
        SubscriptionAnswer,
        refusals=(404,),
    ),
    Operation(
        "POST",
        "/v1/subscriptions/{id}/change",
        "Change a subscription from its next cycle on",
        change,
        SubscriptionAnswer,
        Scope.ACT,
        202,
        ChangeBody,
        refusals=(404,),
    ),
    Operation(
        "POST",
        "/v1/subscriptions/{id}/pause",
        "Charge no cycle from today on",
        pause,
        SubscriptionAnswer,
        Scope.ACT,
        202,
        NothingBody,
        refusals=(404,),
    ),
    Operation(
        "POST",
        "/v1/subscriptions/{id}/resume",
        "Charge cycles again",
        resume,
        SubscriptionAnswer,
        Scope.ACT,
        202,
        NothingBody,
        refusals=(404,),
    ),
)
