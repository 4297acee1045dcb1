"""What goes into a decision and what comes out of it.

A dossier is everything that a decision may depend on; a decision is new rows, insert-only records, effects and the chain of reasons. The store commits
a decision whole, on condition of the versions in its dossier, or not at all.
"""

from datetime import datetime

from dunr.core.answers import Permission
from dunr.core.effects import Charge, Effect, LookUp, RecordedEffect
from dunr.core.model import Case, Customer, Method, Subscription
from dunr.core.policy import Policy
from dunr.core.snapshot import Snapshot
from dunr.core.value import Value


class Posting(Value):
    """One balanced entry of the ledger, posted exactly once under its id. Debits are positive, credits negative; the lines sum to zero."""

    id: str
    case_id: str
    kind: str
    at: datetime
    currency: str
    lines: tuple[tuple[str, int], ...]


class AuditEntry(Value):
    """What, when, why, who; chained per case by hash."""

    case_id: str
    number: int
    at: datetime
    actor: str
    what: str
    why: tuple[str, ...]
    previous_hash: str
    hash: str


class Stops(Value):
    """Why nothing may be sent at all, whatever the case says. Empty tuples: nothing is stopped. Each entry is a reason in words."""

    charges: tuple[str, ...] = ()
    pauses: tuple[str, ...] = ()
    mail: tuple[str, ...] = ()


class Dossier(Value):
    """One consistent read of everything that a decision may depend on, besides the event, the facts and the time.

    `policy_why` says why a new case gets this policy; `policy_next` is the one that an operator moves the case to.
    """

    case_id: str
    case: Case | None
    subscription: Subscription | None
    method: Method | None
    customer: Customer | None
    policy: Policy
    snapshot: Snapshot | None = None
    stops: Stops = Stops()
    policy_why: tuple[str, ...] = ()
    policy_next: Policy | None = None
    named_card_key: str | None = None  # the card that the event is about, where it is not the default one
    epoch: int = 0
    holder: str = ""
    permission: Permission | None = None  # what the merchant's own system says to the charge; None: nobody has asked

    @property
    def method_id(self) -> str | None:
        """The id of the method row that was read, whether it exists yet or not.

        It is the card of the attempt in flight; else the one that the event names; else the one that the snapshot names first; else that of the newest attempt.
        """
        processor, account, _ = self.case_id.split(":", 2)
        attempt = self.case.attempts[-1] if self.case is not None and self.case.attempts else None
        default = self.snapshot.default_method if self.snapshot is not None else None
        if attempt is None or not attempt.is_in_flight:
            named = self.named_card_key or (default.card_key if default is not None else None)
            if named is not None:
                return f"{processor}:{account}:{named}"
        return (
            f"{processor}:{account}:{attempt.method.card_key}"
            if attempt is not None and attempt.method is not None
            else None
        )


class Rejection(Value):
    """The answer to a person whose wish cannot be granted now: 409 for a conflict, 429 for too many tries, 422 for a wish that makes no sense."""

    http_status: int
    detail: str


class Decision(Value):
    """New rows, insert-only rows, effects, and why. A row that is None is unchanged; a decision without rows and records changes nothing.

    A rejected wish may still record what it found in its way and cancels.
    """

    because: tuple[str, ...]
    case: Case | None = None
    subscription: Subscription | None = None
    method: Method | None = None
    customer: Customer | None = None
    postings: tuple[Posting, ...] = ()
    audit: tuple[AuditEntry, ...] = ()
    effects: tuple[Effect, ...] = ()
    rejection: Rejection | None = None

    @property
    def changes_nothing(self) -> bool:
        """Whether there is nothing to commit."""
        return self.case is None and self.subscription is None and self.method is None and self.customer is None

    @property
    def recorded_effects(self) -> tuple[RecordedEffect, ...]:
        """The effects that a store keeps until they are done."""
        return tuple(effect for effect in self.effects if not isinstance(effect, Charge | LookUp))
