"""Whose turn it is to write to a person: what several of their invoices have to say is put together by one process, while the others wait.

A turn is a short lease over a document. Whoever has it may take every notice of the person in hand; it comes before the claim of any of them, so that nobody holds
one that another is looking for. A holder that dies is followed when the lease has passed, and a claim still decides whether a notice may leave.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Lock

import msgspec

from dunr.core.effects import Notice, RecordedEffect
from dunr.core.value import Value
from dunr.mail_habits import WEIGHT
from dunr.ports import Clock, Refs, Store

DIGITS = 40
LOCKS_COUNT = 64
OVER_AT = datetime(1970, 1, 1, tzinfo=UTC)


class _Turn(Value):
    """Until when somebody writes to a person."""

    until_at: datetime


def may_have_company(notice: Notice) -> bool:
    """Whether it can be told in one mail with what other invoices of the person have to say."""
    return notice.kind in WEIGHT and not notice.answers_customer


class WritingTurns:
    """Gives one turn a person, to any number of threads and processes."""

    def __init__(self, store: Store, clock: Clock, lease_seconds: int) -> None:
        """Nothing is read yet."""
        self._store = store
        self._clock = clock
        self._lasts = timedelta(seconds=lease_seconds)
        self._locks = tuple(Lock() for _ in range(LOCKS_COUNT))  # threads of one process wait, and are there at once

    @contextmanager
    def one_at_a_time(self, effect: RecordedEffect) -> Iterator[datetime | None]:
        """What is told to one person is told by one hand, which can then put it together. Until when, at the latest, another process has it; None: we have it."""
        customer_id = self._customer_with_several(effect)
        if customer_id is None:
            yield None
            return
        with self._locks[hash(customer_id) % LOCKS_COUNT], self._taking(customer_id) as theirs_until_at:
            yield theirs_until_at

    def _customer_with_several(self, effect: RecordedEffect) -> str | None:
        """Whom a notice tells that may have company: the row of a customer with other open cases."""
        if not isinstance(effect, Notice) or not may_have_company(effect):
            return None
        customer = self._store.load(effect.case_id, Refs()).customer
        others = {one.case_id for one in customer.cases} - {effect.case_id} if customer is not None else set()
        return customer.id if customer is not None and others else None

    @contextmanager
    def _taking(self, customer_id: str) -> Iterator[datetime | None]:
        """None: the turn is ours until the block ends. Else until when, at the latest, somebody else has it, and nothing may be told."""
        name = f"writing/{hashlib.sha256(customer_id.encode()).hexdigest()[:DIGITS]}"
        document = self._store.document(name)
        theirs_until_at = _until_at(document.body) if document is not None else OVER_AT
        version = document.version if document is not None else 0
        until_at = self._clock.now() + self._lasts
        if theirs_until_at > self._clock.now():
            yield theirs_until_at
        elif not self._store.put_document(name, msgspec.json.encode(_Turn(until_at)), version):
            yield until_at  # somebody took it a moment ago
        else:
            try:
                yield None
            finally:
                self._store.put_document(name, msgspec.json.encode(_Turn(OVER_AT)), version + 1)


def _until_at(body: bytes) -> datetime:
    return msgspec.json.decode(body, type=_Turn).until_at
