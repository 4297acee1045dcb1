"""Advice: attempts whose call the merchant makes. One document for each, under the key of the attempt.

It may be handed out until it expires and never after, so whoever finds it expired and not handed out knows that nobody has acted on it, and closes it for good in the
same breath. What the merchant reports of it counts whenever it comes; a payment counts even after a no.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

import msgspec

from dunr.core.attempt import Attempt
from dunr.core.value import Value, replace
from dunr.errors import NoSuchThing, StoreUnavailable, WishRejected
from dunr.ports import ChargeRequest, Store

VALID_FOR = timedelta(hours=1)
WRITE_TRIES_MAX = 20
CONFLICT = 409


class Report(Value):
    """What the merchant says that their call came to: paid, not_paid or pending."""

    status: str
    at: datetime
    id: str | None = None
    amount_minor: int | None = None
    reason_code: str | None = None


class Advice(Value):
    """One call that the merchant is to make, exactly so."""

    charge_id: str
    key: str
    amount_minor: int
    currency: str
    instrument: str
    valid_until: datetime
    handed_out_at: datetime | None = None
    is_closed: bool = False  # it expired, and nobody had it
    report: Report | None = None


Change = Callable[[Advice], Advice]
_read = msgspec.json.Decoder(Advice).decode


class AdviceBook:
    """The advice of every account, in the store."""

    def __init__(self, store: Store) -> None:
        """Keep the store; nothing is read."""
        self._store = store

    def write(self, request: ChargeRequest, now: datetime) -> None:
        """Write an attempt's call down, once: a repeat prolongs nothing."""
        advice = Advice(
            request.processor_invoice_id,
            request.key,
            request.amount_minor,
            request.currency,
            request.processor_method_id,
            now + VALID_FOR,
        )
        self._store.put_document(_name(request.account, request.key), msgspec.json.encode(advice), 0)

    def find(self, account: str, key: str) -> Advice | None:
        """The advice under a key, or None where there never was any."""
        document = self._store.document(_name(account, key))
        return _read(document.body) if document is not None else None

    def hand_out(self, account: str, attempt: Attempt, now: datetime) -> Advice | None:
        """The advice for the attempt in flight, marked as handed out; None where there is none that still holds."""

        def taken(advice: Advice) -> Advice:
            return replace(advice, handed_out_at=advice.handed_out_at or now) if _holds(advice, now) else advice

        advice = self._change(account, attempt.key, taken)
        return advice if advice is not None and _holds(advice, now) else None

    def close_if_unseen(self, account: str, key: str, now: datetime) -> Advice | None:
        """The advice as it stands now; one that expired before anybody had it is never handed out any more."""

        def closed(advice: Advice) -> Advice:
            unseen = advice.handed_out_at is None and advice.report is None and now >= advice.valid_until
            return replace(advice, is_closed=True) if unseen else advice

        return self._change(account, key, closed)

    def report(self, account: str, charge_id: str, key: str, report: Report) -> Advice:
        """Write down what the merchant's call came to, whenever they say it. Raises `NoSuchThing`, or `WishRejected` for another end than was reported before."""

        def reported(advice: Advice) -> Advice:
            if advice.charge_id != charge_id:
                raise NoSuchThing(f"The key {key!r} is not of charge {charge_id!r}.")
            before = advice.report
            if before is None or before.status == "pending" or (before.status, report.status) == ("not_paid", "paid"):
                return replace(advice, report=report)
            if replace(before, at=report.at) != report:
                raise WishRejected(
                    f"The attempt {key!r} was reported as {before.status} before. One attempt has one end.", CONFLICT
                )
            return advice

        advice = self._change(account, key, reported)
        if advice is None:
            raise NoSuchThing(f"No attempt {key!r} was advised.")
        return advice

    def _change(self, account: str, key: str, change: Change) -> Advice | None:
        for _ in range(WRITE_TRIES_MAX):
            document = self._store.document(_name(account, key))
            if document is None:
                return None
            before = _read(document.body)
            after = change(before)
            if after == before or self._store.put_document(document.name, msgspec.json.encode(after), document.version):
                return after
        raise StoreUnavailable(f"The advice {key!r} changed {WRITE_TRIES_MAX} times while it was written; try again.")


def _holds(advice: Advice, now: datetime) -> bool:
    """Whether the merchant may still act on it."""
    return now < advice.valid_until and not advice.is_closed and advice.report is None


def _name(account: str, key: str) -> str:
    return f"advice/{account}/{key}"
