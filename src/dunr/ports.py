"""Every seam of dunr on one page.

The engine knows these and nothing behind them. The store is drawn from its weakest backend up: one consistent read by ids, and compare-and-set of at most four rows
plus at most thirty insert-only rows in one transaction, no join, and no read through an index that a decision relies on. `due`, `undone` and
`unapplied` may be served from an index that lags: they only hint at what to look at.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from dunr.core.alerting import AlertWord
from dunr.core.answers import ChargeAnswer, LookUpAnswer, RefreshAnswer
from dunr.core.attempt import Attempt
from dunr.core.decision import AuditEntry, Posting
from dunr.core.effects import Notice, Publish, PublishCharge
from dunr.core.expiring import ExpiringCard
from dunr.core.facts import Facts, ProcessorFacts
from dunr.core.glance import Listing
from dunr.core.model import Case, Payer
from dunr.core.policy import Policy
from dunr.core.prose import Prose
from dunr.core.segments import Choice
from dunr.core.snapshot import Snapshot
from dunr.parcels import (
    Change,
    ChargeRequest,
    Delivery,
    Document,
    EffectRecord,
    Inbound,
    InboundState,
    IntentAnswer,
    KeyRefused,
    ObjectMissing,
    Receipt,
    Refs,
    Rows,
    Settlement,
    SnapshotUnavailable,
    Standing,
    Subject,
    Undone,
)

__all__ = [
    "Alarm",
    "Change",
    "ChargeRequest",
    "Clock",
    "Copywriter",
    "Delivery",
    "Document",
    "EffectRecord",
    "Inbound",
    "InboundState",
    "IntentAnswer",
    "KeyRefused",
    "Mailer",
    "ObjectMissing",
    "Pace",
    "Processor",
    "Publisher",
    "Receipt",
    "Refs",
    "Reports",
    "Rows",
    "Rulebook",
    "Settlement",
    "SnapshotUnavailable",
    "Standing",
    "Store",
    "Subject",
    "Undone",
]


class Clock(Protocol):
    """The only place where time comes from."""

    def now(self) -> datetime:
        """The present instant, aware UTC."""
        ...


class Store(Protocol):
    """Durable state. Each verb is one transaction; when it returns, it is on disk."""

    def receive(self, inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        """Insert or ignore, all in one transaction; one receipt for each, in order."""
        ...

    def unapplied(self, now: datetime, limit: int) -> Sequence[Inbound]:
        """Waiting inbounds whose next try is due, oldest first."""
        ...

    def inbound(self, key: str) -> Inbound | None:
        """One inbound by its key."""
        ...

    def settle(self, key: str, settlement: Settlement) -> None:
        """Record what became of an inbound. An inbound that is APPLIED stays so."""
        ...

    def load(self, case_id: str | None, refs: Refs) -> Rows:
        """One consistent read of the case and the three rows that `refs`, or else it, names; the method of last resort is that of its newest attempt."""
        ...

    def cases_of(self, customer_id: str) -> Sequence[str]:
        """Ids of the customer's open cases, oldest first, from the customer row."""
        ...

    def commit(self, changes: Sequence[Change]) -> Sequence[bool]:
        """Commit each change whole or not at all; False where a version had moved (stale). Insert-only rows whose id exists are left as they are."""
        ...

    def due(self, now: datetime, limit: int) -> Sequence[str]:
        """Ids of cases whose `wake_at` has come, earliest first."""
        ...

    def undone(self, now: datetime, limit: int, case_ids: Sequence[str] | None = None) -> Sequence[Undone]:
        """Recorded effects that are due and not done, oldest first; of these cases only, where any are named."""
        ...

    def done(self, effect_key: str, at: datetime, note: str) -> None:
        """Mark an effect done."""
        ...

    def claim(self, undone: Undone, until_at: datetime, note: str | None = None) -> Undone | None:
        """Take an effect, or go on holding it: due again at `until_at`, on condition that nothing has happened to it since it was read; until now gives it back.

        The effect as it stands now, to claim or defer it by next; None where it is done or taken. Whoever follows a dead holder reads its `note`; None leaves it.
        """
        ...

    def defer(self, held: Undone, due_at: datetime, note: str) -> None:
        """Count one failed try of an effect and set when the next is due; nothing, where somebody else took it meanwhile."""
        ...

    def revive(self, effect_key: str, note_prefix: str, due_at: datetime) -> bool:
        """Make an effect due again that is done with a note that begins like this; False where there is none. Its tries are counted anew."""
        ...

    def next_due_at(self) -> datetime | None:
        """The earliest instant at which a case, an effect or an inbound wants attention."""
        ...

    def document(self, name: str) -> Document | None:
        """A document by name."""
        ...

    def documents(self, names: Sequence[str]) -> Mapping[str, Document]:
        """Documents by name, in one consistent read; a name without a document is missing from the answer."""
        ...

    def put_document(self, name: str, body: bytes, expected_version: int) -> bool:
        """Write a document on condition of its version (0: it must not exist); False when stale."""
        ...


class Reports(Protocol):
    """Read-only questions for people and exports; the engine never asks them. Served by the memory and SQL stores."""

    def cases(self, *, state: str | None, text: str | None, limit: int, after: str | None) -> Sequence[Case]:
        """Cases, newest first; `text` is how one of its ids begins, or a mail address; `after` is the id of the last one of the page before."""
        ...

    def postings(self, case_id: str | None, limit: int, after: str | None = None) -> Sequence[Posting]:
        """Ledger entries in the order in which they were posted; `after` is the id of the last one of the page before."""
        ...

    def audit(self, case_id: str, limit: int) -> Sequence[AuditEntry]:
        """The audit chain of a case, from its start."""
        ...

    def audited(
        self, from_at: datetime, until_at: datetime, limit: int, after: tuple[str, int] | None
    ) -> Sequence[AuditEntry]:
        """Audit entries of all cases with `from_at` <= at < `until_at`, by case and number; `after` is the case and number of the last one of the page before."""
        ...

    def effects(self, *, kind: str | None, case_id: str | None, limit: int) -> Sequence[EffectRecord]:
        """Recorded effects, newest first; `kind` is the class name (`RaiseAlert`, `Notice`, …)."""
        ...

    def inbounds(self, *, state: InboundState | None, limit: int) -> Sequence[Inbound]:
        """Received events, newest first."""
        ...

    def attempts_with_unknown_codes(self, limit: int) -> Sequence[tuple[str, Attempt]]:
        """Attempts whose decline had a code that no table knew, newest first, each with the id of its case."""
        ...


# --- the processor ----------------------------------------------------------------------------------------------------------------


class Processor(Protocol):
    """One processor account, seen through its adapter. A decline is an answer; only a broken reading raises. What its facts name no capability for is never asked."""

    name: str
    facts: ProcessorFacts

    def verify(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Sequence[Inbound]:
        """Check the signature over the raw bytes and decode id, type, account and mode of each event. Raises `errors.BadSignature` or `errors.BadRequest`.

        Events that are not to be applied (unsupported type, other mode, other account) come back IGNORED with their reason in `note`.
        """
        ...

    def translate(self, inbound: Inbound) -> Subject:
        """What the event is about. Pure. Raises `errors.BadEvent` where a supported event lacks what it must have."""
        ...

    def snapshot(self, account: str, processor_invoice_id: str) -> Snapshot:
        """One consistent reading. Raises `SnapshotUnavailable` or `ObjectMissing`."""
        ...

    def invoices_of(self, account: str, subject: Subject) -> Sequence[str]:
        """Invoice ids that a subject without an invoice stands for (open ones of a subscription or customer). Raises like `snapshot`."""
        ...

    def list_invoices(self, account: str, updated_since: datetime) -> Iterator[Listing]:
        """Invoices that are open, or changed since then in any state, each once. A glance must be touched where it cannot show a change. Raises `SnapshotUnavailable`."""
        ...

    def charge(self, request: ChargeRequest) -> ChargeAnswer:
        """One call of an attempt. Never raises for what the processor or the network does."""
        ...

    def find_charge(self, account: str, processor_invoice_id: str, attempt: Attempt) -> LookUpAnswer:
        """What became of an attempt, from a consistent read."""
        ...

    def cancel_attempt(self, account: str, processor_intent_id: str) -> IntentAnswer:
        """Cancel an intent that waits for the customer, and confirm it."""
        ...

    def list_expiring(
        self, account: str, until_month: str, processor_customer_id: str | None
    ) -> Iterator[ExpiringCard]:
        """Cards, of all customers with a live subscription or of one, that expire by the end of `until_month` (`2027-03`). Raises `SnapshotUnavailable`."""
        ...

    def refresh_method(self, account: str, processor_customer_id: str, processor_method_id: str) -> RefreshAnswer:
        """Have fresher details of a method: by an account updater, by the network behind its token, or by reading what the processor keeps fresh by itself.

        `Refreshed` carries the method as it stands now; where nothing has changed since it was asked for, the core takes that for a miss, so that an adapter
        which only reads the method again answers rightly, and a repeat after a crash is harmless. `cryptogram` says that the details are the same and only the
        network token is fresh. `Missed`: nothing fresher is to be had, or the method is gone. Raises `SnapshotUnavailable` where it cannot be asked now.
        """
        ...

    def take_over(self, account: str, processor_invoice_id: str) -> None:
        """Have the processor leave an invoice to us. The next snapshot shows whether it does, and a repeat is harmless. Raises like `snapshot`."""
        ...

    def update_link(self, account: str, processor_customer_id: str, processor_invoice_id: str | None) -> str:
        """A fresh hosted page where the customer can put a new card on file, and pay the invoice, if there is one."""
        ...

    def now(self, account: str) -> datetime | None:
        """The processor's own clock, or None where it cannot be read."""
        ...


class Pace(Protocol):
    """How often a processor may be asked, by all processes together; what adapters of those that have a limit are given."""

    def take(self, wait_seconds_max: float) -> bool:
        """Wait for the turn of one call; False where it would take longer than this, and then nothing may be sent."""
        ...

    def refused(self) -> None:
        """The processor took a call for one too many."""
        ...


class Rulebook(Protocol):
    """The documents that decide: policies by hash, the stops, the epoch of an adopted copy."""

    def policy_for_new_case(self, processor: str, snapshot: Snapshot | None) -> Choice:
        """The policy that the set in force chooses, kept under its hash before it is answered."""
        ...

    def policy(self, policy_hash: str) -> Policy:
        """A policy that some case opened with. It was kept, so it is there."""
        ...

    def standing(self, processor: str, account: str) -> Standing:
        """Everything that is stopped now, and the epoch, in one fresh read: a brake holds from the next send on."""
        ...

    def facts(self, known: Facts) -> Facts:
        """The facts with the merchant's own meanings of codes, as the last `standing` read them."""
        ...

    def stop_charges(self, processor: str, account: str, why: str) -> None:
        """Stop all sending to one account."""
        ...


# --- messages out -----------------------------------------------------------------------------------------------------------------


class Mailer(Protocol):
    """A transport for notices; `bootstrap` wraps it in `dunr.mail`, which renders."""

    def send(self, notice: Notice, payer: Payer, policy_timezone: str, also: Sequence[Notice] = ()) -> Delivery:
        """Render and hand over one notice under its key; a repeat of the same key is the same message. It tells of the other invoices of `also`, too."""
        ...


class Publisher(Protocol):
    """Tells the merchant's application and the merchant's people."""

    def publish(self, message: Publish) -> Delivery:
        """Tell the application that access changed."""
        ...

    def publish_charge(self, message: PublishCharge) -> Delivery:
        """Tell the merchant's billing system how a charge that it left to us has ended."""
        ...

    def alert(self, word: AlertWord) -> Delivery:
        """Tell a person of alerts, or that they are over."""
        ...

    def notice_due(self, notice: Notice, customer_id: str | None, now: datetime) -> Delivery:
        """Have the merchant's own system write to a customer. `customer_id` is the id of their row."""
        ...


class Alarm(Protocol):
    """Something outside that wakes us at an instant; a hint, never needed for correctness."""

    def set(self, name: str, at: datetime) -> None:
        """Create or move the alarm."""
        ...

    def clear(self, name: str) -> None:
        """Remove the alarm; removing one that is not there is harmless."""
        ...


class Copywriter(Protocol):
    """Writes prose for a message, and nothing else; held by `dunr.mail` alone."""

    def prose(self, kind: str, locale: str, sentence: str, tone: str = "") -> Prose | None:
        """A paragraph in the place of the sentence, with the names of its facts in braces; None: the template's own words."""
        ...
