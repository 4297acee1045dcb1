"""Which columns a value has: the one place where a row of the engine becomes a row of a table, and back."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Row

from dunr.adapters.stores.changes import effect_due_at, inbound_due_at, is_running, method_id_of
from dunr.adapters.stores.rows import effect_from_json, kind_of, texts_from_json, to_json, to_microseconds
from dunr.core.attempt import Attempt
from dunr.core.decision import AuditEntry, Posting
from dunr.core.effects import RecordedEffect
from dunr.core.model import Case, Customer, Method, Subscription
from dunr.ports import Inbound, InboundState

Cells = dict[str, object]
Result = Row[tuple[object, ...]]


def _word(member: StrEnum | None) -> str | None:
    """The plain text of a member: a driver may have ideas of its own about enums."""
    return None if member is None else member.value


# --- from values to cells -----------------------------------------------------------------------------------------------


def case_cells(case: Case) -> Cells:
    return {
        "id": case.id,
        "version": case.version,
        "state": _word(case.state),
        "processor_invoice_id": case.processor_invoice_id,
        "subscription_id": case.subscription_id,
        "customer_id": case.customer_id,
        "method_id": method_id_of(case),
        "opened_at": case.opened_at,
        "wake_at": case.wake_at,
        "body": to_json(case),
    }


def subscription_cells(subscription: Subscription) -> Cells:
    return {
        "id": subscription.id,
        "version": subscription.version,
        "access": _word(subscription.access),
        "body": to_json(subscription),
    }


def method_cells(method: Method) -> Cells:
    lease = method.lease
    return {
        "id": method.id,
        "version": method.version,
        "in_flight_case_id": None if lease is None else lease.case_id,
        "lease_expires_at": None if lease is None else lease.expires_at,
        "body": to_json(method),
    }


def customer_cells(customer: Customer) -> Cells:
    return {"id": customer.id, "version": customer.version, "body": to_json(customer)}


def attempt_cells(case: Case, attempt: Attempt) -> Cells:
    card_key = None if attempt.method is None else attempt.method.card_key
    return {
        "case_id": case.id,
        "number": attempt.number,
        "round": attempt.round,
        "trigger": _word(attempt.trigger),
        "step_number": attempt.step_number,
        "after_reason": _word(attempt.after_reason),
        "method_id": None if card_key is None else f"{case.processor}:{case.account}:{card_key}",
        "amount_minor": attempt.amount_minor,
        "currency": attempt.currency,
        "begun_at": attempt.begun_at,
        "outcome": _word(attempt.outcome),
        "reason": _word(attempt.reason),
        "raw_code": attempt.raw_code,
        "processor_charge_id": attempt.processor_charge_id,
        "captured_minor": attempt.captured_minor,
        "settled_at": attempt.settled_at,
        "running": is_running(attempt),
        "has_unknown_codes": attempt.unknown_codes is not None,
        "body": to_json(attempt),
    }


def posting_cells(posting: Posting) -> Cells:
    return {
        "id": posting.id,
        "case_id": posting.case_id,
        "kind": posting.kind,
        "at": posting.at,
        "currency": posting.currency,
    }


def line_cells(posting: Posting) -> list[Cells]:
    return [
        {"posting_id": posting.id, "line": number, "account": account, "amount_minor": amount_minor}
        for number, (account, amount_minor) in enumerate(posting.lines)
    ]


def audit_cells(entry: AuditEntry) -> Cells:
    return {
        "case_id": entry.case_id,
        "number": entry.number,
        "at": entry.at,
        "actor": entry.actor,
        "what": entry.what,
        "why": to_json(entry.why),
        "previous_hash": entry.previous_hash,
        "hash": entry.hash,
    }


def effect_cells(effect: RecordedEffect, recorded: datetime) -> Cells:
    return {
        "key": effect.key,
        "kind": kind_of(effect),
        "case_id": effect.case_id,
        "body": to_json(effect),
        "recorded_at": recorded,
        "due_at": effect_due_at(effect, recorded),
        "tries_count": 0,
        "note": "",
    }


INBOUND_NAMES = (
    *("key", "processor", "account", "event_type", "live", "received_at", "body", "body_sha256"),
    *("state", "note", "tries_count", "next_try_at", "due_at"),
)


def inbound_values(inbound: Inbound) -> tuple[object, ...]:
    """What stands in the columns of `INBOUND_NAMES`, as a driver takes it: no statement is built and no type looked up for an event that comes in."""
    next_try_at, due_at = inbound.next_try_at, inbound_due_at(inbound)
    return (
        inbound.key,
        inbound.processor,
        inbound.account,
        inbound.event_type,
        inbound.live,
        to_microseconds(inbound.received_at),
        inbound.body,
        inbound.body_sha256,
        inbound.state.value,
        inbound.note,
        inbound.tries_count,
        None if next_try_at is None else to_microseconds(next_try_at),
        None if due_at is None else to_microseconds(due_at),
    )


# --- and back -----------------------------------------------------------------------------------------------------------


def posting_from(rows: Sequence[Result]) -> Posting:
    """An entry from its lines, each with the entry before it; an entry without lines has one row without an account."""
    first = rows[0]
    return Posting(
        id=first.id,
        case_id=first.case_id,
        kind=first.kind,
        at=first.at,
        currency=first.currency,
        lines=tuple((row.account, row.amount_minor) for row in rows if row.account is not None),
    )


def audit_from(row: Result) -> AuditEntry:
    return AuditEntry(
        case_id=row.case_id,
        number=row.number,
        at=row.at,
        actor=row.actor,
        what=row.what,
        why=texts_from_json(row.why),
        previous_hash=row.previous_hash,
        hash=row.hash,
    )


def effect_from(row: Result) -> RecordedEffect:
    return effect_from_json(row.kind, row.body)


def inbound_from(row: Result) -> Inbound:
    return Inbound(
        key=row.key,
        processor=row.processor,
        account=row.account,
        event_type=row.event_type,
        live=row.live,
        received_at=row.received_at,
        body=row.body,
        body_sha256=row.body_sha256,
        state=InboundState(row.state),
        note=row.note,
        tries_count=row.tries_count,
        next_try_at=row.next_try_at,
    )
