"""How rows are written down: JSON of the frozen values, and instants as whole microseconds.

Shared by the stores that keep rows outside this process. JSON names each field, so that a newer release reads what an
older one wrote: a field that was added takes its default, one that was removed is skipped. An effect is one of
several kinds and is kept with the name of its class beside it. An instant that orders things is an integer, because
no two databases agree on how to compare times.
"""

from datetime import datetime, timedelta
from typing import get_args

import msgspec

from dunr.adapters.stores.changes import EPOCH
from dunr.core.attempt import Attempt
from dunr.core.effects import RecordedEffect
from dunr.core.model import Case, Customer, Method, Subscription
from dunr.core.snapshot import Snapshot

_MICROSECOND = timedelta(microseconds=1)
_ENCODER = msgspec.json.Encoder()

Written = Case | Subscription | Method | Customer | Attempt | Snapshot | RecordedEffect | tuple[str, ...]

case_from_json = msgspec.json.Decoder(Case).decode
subscription_from_json = msgspec.json.Decoder(Subscription).decode
method_from_json = msgspec.json.Decoder(Method).decode
customer_from_json = msgspec.json.Decoder(Customer).decode
attempt_from_json = msgspec.json.Decoder(Attempt).decode
snapshot_from_json = msgspec.json.Decoder(Snapshot).decode
texts_from_json = msgspec.json.Decoder(tuple[str, ...]).decode

_KINDS: tuple[type[RecordedEffect], ...] = get_args(RecordedEffect)
_EFFECT_DECODERS = {kind.__name__: msgspec.json.Decoder(kind) for kind in _KINDS}


def to_json(row: Written) -> str:
    """A row as JSON text."""
    return _ENCODER.encode(row).decode()


def kind_of(effect: RecordedEffect) -> str:
    """The name under which an effect is kept, and by which people ask for it."""
    return type(effect).__name__


def effect_from_json(kind: str, body: str) -> RecordedEffect:
    """An effect of a kind that this release knows."""
    return _EFFECT_DECODERS[kind].decode(body)


def to_microseconds(at: datetime) -> int:
    """Whole microseconds since 1970, exactly."""
    return (at - EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> datetime:
    """The instant, aware UTC."""
    return EPOCH + timedelta(microseconds=count)
