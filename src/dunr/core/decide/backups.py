"""Backup methods: where the default one fails, those that the customer agreed to have their turn, in their order, once in each round of a case.

A backup's attempt spends no step, and its decline says nothing about the default method: the plan goes on as if it had not been.
"""

from datetime import timedelta

from dunr.core.decide.allowing import allowance_of
from dunr.core.decide.avoiding import note_avoided
from dunr.core.decide.charging import begin, may_begin
from dunr.core.decide.draft import Draft
from dunr.core.decide.ending import STOPPED_LOOK
from dunr.core.events import BackupDue
from dunr.core.gate import is_disputed, is_for_another, is_stopped, ref_of
from dunr.core.method_notes import BACKUPS_KEPT_MAX, Backup, MethodNotes
from dunr.core.snapshot import MethodSnapshot
from dunr.core.terms import Trigger
from dunr.core.value import replace

NOTICE_WAITS_MAX = timedelta(minutes=2)


def due(draft: Draft, event: BackupDue) -> None:
    """A backup has its turn: the first that may be charged. Its card's row is read before it is."""
    case, notes = draft.case, draft.case.method_notes
    if not case.is_open or case.in_flight is not None or case.holds or notes.backup_due_at is None:
        draft.why("no backup method has its turn now")
        return
    if draft.dossier.stops.charges:
        _note(draft, replace(notes, backup_due_at=draft.now + STOPPED_LOOK, is_backup_put_off=True))
        draft.why(f"nothing is sent: {'; '.join(draft.dossier.stops.charges)}")
        return
    method = _next(draft)
    if method is None:
        _note(draft, replace(notes, backup=None, backup_due_at=None))
        draft.why("there is no backup method that the customer agreed to and that was not tried")
        return
    backup = Backup(method.processor_method_id, method.card_key, method.credential)
    if event.backup != backup:
        _note(draft, replace(notes, backup=backup, backup_due_at=draft.now, is_backup_put_off=False))
        draft.why(f"the backup method {backup.processor_method_id} has its turn")
        return
    _try(draft, method, backup)


def _try(draft: Draft, method: MethodSnapshot, backup: Backup) -> None:
    """Begin the attempt. A backup that may not be charged gives its turn up, with the reason."""
    ref = ref_of(method)
    if is_stopped(draft.method, ref):
        _pass_over(draft, backup, "its credential was stopped by the issuer")
        return
    allowed = allowance_of(draft, ref, Trigger.BACKUP)
    if allowed.until_at is not None:
        note_avoided(draft, allowed, skipped_count=1)
        _pass_over(draft, backup, f"{allowed.rule}: {allowed.why}")
        return
    if may_begin(draft, ref):
        _tried(draft, backup)
        begin(draft, Trigger.BACKUP, None, ref, allowed)
    else:
        at = draft.case.not_before_at or draft.now
        put_off = at - draft.now > NOTICE_WAITS_MAX
        _note(draft, replace(draft.case.method_notes, backup_due_at=at, is_backup_put_off=put_off))


def _next(draft: Draft) -> MethodSnapshot | None:
    """The first method after the default one that the customer agreed to and that had no turn yet."""
    notes = draft.case.method_notes
    tried = notes.backups_tried if notes.backups_round == draft.case.round else ()
    return next(
        (
            one
            for one in draft.snapshot.methods[1:]
            if one.is_backup
            and one.credential not in tried
            and not is_for_another(draft.case, draft.snapshot, one)
            and not is_disputed(draft.snapshot, one.card_key)
        ),
        None,
    )


def _tried(draft: Draft, backup: Backup) -> None:
    """Its turn is over."""
    notes, round_number = draft.case.method_notes, draft.case.round
    before = notes.backups_tried if notes.backups_round == round_number else ()
    tried = (*before, backup.credential)[-BACKUPS_KEPT_MAX:]
    _note(draft, replace(notes, backup=None, backup_due_at=None, backups_round=round_number, backups_tried=tried))


def _pass_over(draft: Draft, backup: Backup, why: str) -> None:
    """This one is not tried; the next has its turn."""
    _tried(draft, backup)
    _note(draft, replace(draft.case.method_notes, backup_due_at=draft.now))
    draft.why(f"the backup method {backup.processor_method_id} is not tried: {why}")


def _note(draft: Draft, notes: MethodNotes) -> None:
    draft.case = replace(draft.case, method_notes=notes)
