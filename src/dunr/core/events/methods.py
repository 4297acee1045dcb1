"""What happens around a payment method between two attempts: a refresh is answered, a backup has its turn."""

from dunr.core.attempt import MethodRef
from dunr.core.method_notes import Backup
from dunr.core.value import Value


class MethodRefreshed(Value):
    """The processor has fresher details of the method that was asked for: `method` as it stands now. `cryptogram`: the details are the same, the token is fresh."""

    processor_method_id: str
    method: MethodRef
    cryptogram: bool = False


class RefreshMissed(Value):
    """There are no fresher details, or nobody could say in time."""

    processor_method_id: str
    why: str


class BackupDue(Value):
    """The default method failed and another one has its turn: `backup`, or (None) the first that may."""

    backup: Backup | None


MethodEvent = MethodRefreshed | RefreshMissed | BackupDue


def card_key_of(event: object) -> str | None:
    """The card that an event is about, whose row its decision needs; None where that is the default one."""
    if isinstance(event, MethodRefreshed):
        return event.method.card_key
    return event.backup.card_key if isinstance(event, BackupDue) and event.backup is not None else None
