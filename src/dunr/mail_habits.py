"""Who writes to customers and how often, and which word weighs most where several are said at once."""

from dunr.core.terms import NoticeKind
from dunr.core.value import Value

# The heaviest word begins the mail.
WEIGHT = {
    NoticeKind.PAUSED: 6,
    NoticeKind.FINAL_WARNING: 5,
    NoticeKind.CONFIRM_WITH_BANK: 4,
    NoticeKind.METHOD_NEEDED: 3,
    NoticeKind.REMINDER: 2,
    NoticeKind.FIRST: 1,
}


class MailHabits(Value):
    """Who writes to customers, `dunr`, `own` or (`off`) nobody; and how many reminders an address gets in a day."""

    channel: str = "dunr"
    per_day_max: int = 3


USUAL_HABITS = MailHabits()
