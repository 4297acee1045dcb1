"""Which notices a customer may decline, and which are told anyway.

Somebody who wants no more reminders about an invoice still hears when access is about to be paused, that it was, that the money came, and what they asked for.
"""

from typing import assert_never

from dunr.core.effects import Notice
from dunr.core.model import Case
from dunr.core.terms import NoticeKind


def may_be_stopped(notice: Notice) -> bool:
    """Whether it is a reminder, and no more."""
    if notice.is_warning or notice.answers_customer:
        return False
    match notice.kind:
        case NoticeKind.FIRST | NoticeKind.REMINDER | NoticeKind.METHOD_NEEDED | NoticeKind.CONFIRM_WITH_BANK:
            return True
        case NoticeKind.FINAL_WARNING | NoticeKind.PAUSED | NoticeKind.RECEIPT | NoticeKind.CARD_EXPIRING:
            return False
        case unreachable:
            assert_never(unreachable)


def is_unwanted(case: Case, notice: Notice) -> bool:
    """Whether the customer has asked not to get it."""
    return case.reminders_stopped and may_be_stopped(notice)
