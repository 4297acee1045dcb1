"""What passes through the ports: events as received, rows as read and as they are to be written, requests and what became of them.

The seams themselves are in `ports`, which hands these on, so that everybody asks one module.
"""

from datetime import datetime
from enum import StrEnum

from dunr.core.brake import Brake
from dunr.core.decision import Decision, Stops
from dunr.core.effects import RecordedEffect
from dunr.core.model import Case, Customer, Method, Subscription
from dunr.core.snapshot import Snapshot
from dunr.core.value import Value


class Subject(Value):
    """What an event is about, by the processor's ids. `wide`: it may concern every open case of the customer (a new card, a deletion, a dispute)."""

    processor_invoice_id: str | None = None
    processor_subscription_id: str | None = None
    processor_customer_id: str | None = None
    wide: bool = False


class InboundState(StrEnum):
    """Where a received event stands."""

    WAITING = "waiting"  # to be applied, at `next_try_at` or now
    APPLIED = "applied"
    IGNORED = "ignored"  # recorded, with its reason, and never applied
    DEAD = "dead"  # given up, with its reason; a person may redrive it


class Inbound(Value):
    """A webhook event as received: bytes, and what was decoded of them. `key` is `processor:account:event id`."""

    key: str
    processor: str
    account: str
    event_type: str
    live: bool
    received_at: datetime
    body: bytes
    body_sha256: str
    state: InboundState = InboundState.WAITING
    note: str = ""
    tries_count: int = 0
    next_try_at: datetime | None = None


class Receipt(StrEnum):
    """What became of one inbound that was handed to the store."""

    NEW = "new"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"  # the same key with another body: kept, and a reason for an alert


class Settlement(Value):
    """What to write beside an inbound after trying to apply it."""

    state: InboundState
    note: str
    tries_count: int
    next_try_at: datetime | None
    snapshot: Snapshot | None


class Refs(Value):
    """Rows to read beside the case, which may not exist yet. Given ids win over the case's own, but the card of an attempt in flight wins over `method_id`."""

    subscription_id: str | None = None
    method_id: str | None = None
    customer_id: str | None = None


class Rows(Value):
    """One consistent read. A row that no commit has written yet is None."""

    case: Case | None
    subscription: Subscription | None
    method: Method | None
    customer: Customer | None


class Change(Value):
    """A decision to commit, on condition that the rows still have the versions that `rows` shows (None: the row does not exist).

    The condition covers every row that `rows` holds or the decision writes, changed or not.
    """

    rows: Rows
    decision: Decision


class Undone(Value):
    """A recorded effect that is not done yet. Its `due_at` is its fence: it moves with every claim, and a claim holds as long as it has not moved."""

    effect: RecordedEffect
    tries_count: int
    due_at: datetime
    note: str = ""


class Document(Value):
    """A named blob with a version: policies by hash, the clock, the stops, tokens, identity."""

    name: str
    version: int
    body: bytes


class EffectRecord(Value):
    """A recorded effect with its fate."""

    effect: RecordedEffect
    recorded_at: datetime
    done_at: datetime | None
    tries_count: int
    note: str


class ChargeRequest(Value):
    """Exactly what one attempt sends, whichever call it is."""

    account: str
    processor_invoice_id: str
    key: str
    amount_minor: int
    currency: str
    processor_method_id: str


class SnapshotUnavailable(Exception):
    """The processor could not be read now; try again later."""


class KeyRefused(SnapshotUnavailable):
    """The processor refuses our API key: nothing can be read or charged until a person replaces it."""


class ObjectMissing(Exception):
    """The processor does not know the object (404)."""


class IntentAnswer(Value):
    """What a cancellation came to; `succeeded`: too late, the money had moved. Neither: it could not be confirmed."""

    cancelled: bool
    succeeded: bool


class Standing(Value):
    """What holds for one account at this moment. `epoch` counts how often this store was adopted as a copy; `brakes` went on by themselves."""

    stops: Stops
    epoch: int
    brakes: tuple[Brake, ...] = ()


class Delivery(StrEnum):
    """What became of one message."""

    SENT = "sent"
    MAYBE_SENT = "maybe_sent"
    FAILED_FOR_NOW = "failed_for_now"
    UNDELIVERABLE = "undeliverable"
