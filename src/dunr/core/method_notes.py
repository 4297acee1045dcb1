"""What a case remembers of its payment methods besides its attempts: refreshes that were asked for, backups that had their turn, cards that are not meant for it.

Names only. What a method is now stands in a snapshot; what was charged stands in an attempt.
"""

from datetime import datetime

from dunr.core.terms import DeclineReason
from dunr.core.value import Value

REFRESHES_KEPT_MAX = 20
BACKUPS_KEPT_MAX = 20


class Refresh(Value):
    """One request for fresher details of a payment method. It is pending until `answered_at`; nobody waits for it beyond `give_up_at`.

    `hit_credential` is what the method stands for since a hit; None after a miss.
    """

    round: int
    processor_method_id: str
    credential: str
    card_key: str
    reason: DeclineReason | None  # None: a fresh cryptogram before a step, whatever the last decline was
    after_attempt_number: int  # the newest attempt when it was asked for
    asked_at: datetime
    give_up_at: datetime
    answered_at: datetime | None = None
    hit_credential: str | None = None
    why: str = ""

    @property
    def is_pending(self) -> bool:
        """Whether its answer is still to come."""
        return self.answered_at is None

    @property
    def is_hit(self) -> bool:
        """Whether it brought something."""
        return self.hit_credential is not None


class Backup(Value):
    """A payment method that may be charged when the default one fails, by the names under which it is charged and kept."""

    processor_method_id: str
    card_key: str
    credential: str


class MethodNotes(Value):
    """The notes of one case. `backups_tried` holds credentials of the case's present round; `backup` is the one whose turn is at `backup_due_at`, once it is known."""

    refreshes: tuple[Refresh, ...] = ()
    backup_due_at: datetime | None = None
    backup: Backup | None = None
    is_backup_put_off: bool = False  # for longer than a notice should wait for it
    backups_round: int = 0
    backups_tried: tuple[str, ...] = ()
    unasked_credential: str | None = (
        None  # the newest card that came with another subscription, of which a person was told
    )

    @property
    def pending_refresh(self) -> Refresh | None:
        """The refresh whose answer is waited for; there is at most one, and it is the newest."""
        newest = self.refreshes[-1] if self.refreshes else None
        return newest if newest is not None and newest.is_pending else None
