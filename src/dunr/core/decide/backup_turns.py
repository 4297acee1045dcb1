"""When the backup methods have their turn: after each failure that nobody was present for. The attempt itself is begun in `backups`."""

from datetime import timedelta
from typing import assert_never

from dunr.core.attempt import Attempt
from dunr.core.decide.draft import Draft
from dunr.core.terms import Trigger
from dunr.core.value import replace

AGAIN_AFTER = timedelta(minutes=1)


def after_failure(draft: Draft, trigger: Trigger) -> None:
    """Give the backups their turn, if the policy has any and whoever began the attempt did not choose its method themselves."""
    if not draft.policy.backup_methods or not draft.case.is_open or not _lets_backups_try(trigger):
        return
    if draft.case.beside is not None and draft.case.beside.charges_nothing:
        return
    notes = replace(draft.case.method_notes, backup=None, backup_due_at=draft.now, is_backup_put_off=False)
    draft.case = replace(draft.case, method_notes=notes)
    draft.why("the backup methods that the customer agreed to have their turn")


def give_back(draft: Draft, attempt: Attempt) -> None:
    """A backup's attempt that reached nobody leaves its turn as it was."""
    notes = draft.case.method_notes
    if attempt.trigger is not Trigger.BACKUP or attempt.method is None or not draft.case.is_open:
        return
    tried = tuple(one for one in notes.backups_tried if one != attempt.method.credential)
    notes = replace(notes, backup=None, backup_due_at=draft.now + AGAIN_AFTER, backups_tried=tried)
    draft.case = replace(draft.case, method_notes=notes)


def _lets_backups_try(trigger: Trigger) -> bool:
    match trigger:
        case (
            Trigger.TIMER
            | Trigger.UPDATER
            | Trigger.METHOD_UPDATED
            | Trigger.BACKUP
            | Trigger.PROMISE
            | Trigger.RENEWAL
            | Trigger.PROCESSOR
        ):
            return True
        case Trigger.CUSTOMER | Trigger.OPERATOR:
            return False
        case unreachable:
            assert_never(unreachable)
