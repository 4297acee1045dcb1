"""Names that must be the same whenever the same thing is done again.

A key is built from ids and numbers, never from text for people or from chance.
"""

import hashlib
from datetime import datetime

import msgspec

from dunr.core.terms import AlertKind, NoticeKind


def case_id(processor: str, account: str, processor_invoice_id: str) -> str:
    """The id of a case, for ever."""
    return f"{processor}:{account}:{processor_invoice_id}"


def row_id(processor: str, account: str, foreign_id: str) -> str:
    """The id of a subscription, method or customer row."""
    return f"{processor}:{account}:{foreign_id}"


def charge(processor_invoice_id: str, number: int, epoch: int) -> str:
    """The idempotency key of an attempt: `dunr-inv_8842-a3`; after an adopted copy, with its epoch."""
    return f"dunr-{processor_invoice_id}-a{number}" + (f"e{epoch}" if epoch else "")


def notice(case: str, round_number: int, kind: NoticeKind, step_number: int | None, again: str = "") -> str:
    """One slot per case, round, kind and step; `again` names the new date where one is told anew."""
    return f"notice/{case}/r{round_number}/{kind}/{step_number or 0}" + (f"/{again}" if again else "")


def alert(kind: AlertKind, about: str) -> str:
    """The same trouble is the same alert."""
    return f"alert/{kind}/{about}"


def access(subscription_id: str, version: int) -> str:
    """One message per version of access."""
    return f"access/{subscription_id}/v{version}"


def charge_end(case: str, audit_number: int) -> str:
    """One message per end of a charge, named by the place of the decision in the case's audit chain."""
    return f"charge/{case}/n{audit_number}"


def nudge(case: str, why: str) -> str:
    """One nudge per case and cause."""
    return f"nudge/{case}/{why}"


def cancel_intent(processor_intent_id: str) -> str:
    """One cancellation per intent."""
    return f"cancel/{processor_intent_id}"


def card_notice(customer: str, credential: str) -> str:
    """One notice per card and expiry of a customer."""
    return f"notice/{customer}/card_expiring/{credential}"


def refresh(case: str, credential: str, asked_at: str) -> str:
    """One request for fresher details of what a case knows a method by."""
    return f"refresh/{case}/{credential}/{asked_at}"


def take_over(case: str, asked_count: int) -> str:
    """One request to leave a case to us, each time that the processor was seen to collect again."""
    return f"takeover/{case}/{asked_count}"


def stop_sending(processor: str, account: str, since: str) -> str:
    """One stop per revocation."""
    return f"stop/{processor}/{account}/{since}"


def posting(case: str, kind: str, ref: str) -> str:
    """The id of a ledger entry: posted once, however often it is decided."""
    return f"{case}/{kind}/{ref}"


def instant(at: datetime) -> str:
    """An instant of UTC as `isoformat` writes it, which is what the chains hold, in a fifth of its time."""
    return msgspec.json.encode(at)[1:-2].decode() + "+00:00"


def audit_hash(previous: str, *parts: str) -> str:
    """The hash of an audit entry over the one before it."""
    return hashlib.sha256("\x1f".join((previous, *parts)).encode()).hexdigest()
