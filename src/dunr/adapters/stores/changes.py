"""What every store agrees on about a change, whatever it keeps it in.

The rules here are the ones that two stores could otherwise read differently: which version a row gets, which method
row belongs to a case, when a recorded effect is due, and what is kept of an event whose id came with another body.
They are pure, so that the exam can only find one answer.
"""

from datetime import UTC, datetime
from typing import Protocol, TypeVar

from dunr.core.attempt import Attempt
from dunr.core.decision import Decision
from dunr.core.effects import Charge, LookUp, Notice, Publish, PublishCharge, RaiseAlert, RecordedEffect
from dunr.core.model import Case, Customer, Method, Subscription
from dunr.core.terms import InFlightAction
from dunr.core.value import replace
from dunr.ports import Inbound, InboundState, Refs, Rows, Settlement

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOT_RECORDED = (Charge, LookUp)  # the attempt in flight is their record
OTHER_BODY = "the same event id came with another body"


class Row(Protocol):
    """One of the four versioned rows."""

    @property
    def id(self) -> str:
        """The key of the row."""
        ...

    @property
    def version(self) -> int:
        """How many commits have written it."""
        ...


AnyRow = TypeVar("AnyRow", bound=Row)


OneRow = TypeVar("OneRow", Case, Subscription, Method, Customer)


def with_version(row: OneRow, version: int) -> OneRow:
    """The row as it stands after a commit."""
    return replace(row, version=version)


def version_read(read: Row | None) -> int:
    """The version on which a change of this row is conditional; 0 where the row must not exist yet."""
    return 0 if read is None else read.version


def check_ids(rows: Rows, decision: Decision) -> None:
    """Refuse a change that was read from one row and writes another: no condition would guard the second."""
    for read, written in pairs_of(rows, decision):
        assert read is None or written is None or read.id == written.id, "the decision writes another row than was read"


def pairs_of(rows: Rows, decision: Decision) -> tuple[tuple[Row | None, Row | None], ...]:
    """What was read and what is to be written, for each of the four rows."""
    return (
        (rows.case, decision.case),
        (rows.subscription, decision.subscription),
        (rows.method, decision.method),
        (rows.customer, decision.customer),
    )


def method_id_of(case: Case) -> str | None:
    """The method row that a case names: by the card key of its newest attempt, which is the one in flight where there
    is one.
    """
    if not case.attempts or case.attempts[-1].method is None:
        return None
    return f"{case.processor}:{case.account}:{case.attempts[-1].method.card_key}"


def refs_of(case: Case | None, refs: Refs) -> tuple[str | None, str | None, str | None]:
    """Subscription, method and customer to read beside a case; given ids win over the case's own, but for the card of
    an attempt in flight.
    """
    if case is None:
        return refs.subscription_id, refs.method_id, refs.customer_id
    given = refs.method_id if refs.method_id is not None and case.in_flight is None else None
    return (
        refs.subscription_id or case.subscription_id,
        given or method_id_of(case),
        refs.customer_id or case.customer_id,
    )


def is_running(attempt: Attempt) -> bool:
    """Whether an attempt may be on the wire now: no answer yet, and the processor has not said "not now".

    A pending or unknown attempt blocks its invoice only, so it is not running; two running attempts on one card are a
    bug.
    """
    return attempt.outcome is None and attempt.next_action is not InFlightAction.RESEND


def recorded_at(decision: Decision) -> datetime:
    """When a decision was made: a store has no clock, and the decision says it in its audit entries, or in what it tells."""
    if decision.audit:
        return decision.audit[-1].at
    if decision.case is not None:
        return decision.case.seen_at
    return max(
        (effect.at for effect in decision.effects if isinstance(effect, Publish | PublishCharge | RaiseAlert)),
        default=EPOCH,
    )


def effect_due_at(effect: RecordedEffect, recorded: datetime) -> datetime:
    """When an effect is to be done first: at once, except for a notice that waits for its hour."""
    if isinstance(effect, Notice):
        return effect.not_before_at
    if isinstance(effect, Publish | PublishCharge | RaiseAlert):
        return effect.at
    return recorded


def inbound_due_at(inbound: Inbound) -> datetime | None:
    """When an inbound wants to be applied, or None where it is settled."""
    if inbound.state is not InboundState.WAITING:
        return None
    return inbound.next_try_at or inbound.received_at


def kept_conflict(inbound: Inbound) -> Inbound:
    """What is kept of an inbound whose key is taken by another body: all of it, under a key of its own, never
    applied.
    """
    return replace(
        inbound,
        key=f"{inbound.key}#{inbound.body_sha256}",
        state=InboundState.IGNORED,
        note=OTHER_BODY,
        next_try_at=None,
    )


def settled(inbound: Inbound, settlement: Settlement) -> Inbound:
    """An inbound with what became of it."""
    return replace(
        inbound,
        state=settlement.state,
        note=settlement.note,
        tries_count=settlement.tries_count,
        next_try_at=settlement.next_try_at,
    )
