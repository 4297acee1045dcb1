"""What people may ask a SQL store. The engine never reads through these indexes."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, select, tuple_

from dunr.adapters.stores.rows import attempt_from_json
from dunr.adapters.stores.sql.columns import Result, audit_from, effect_from, inbound_from, posting_from
from dunr.adapters.stores.sql.inbox import INBOUND_COLUMNS
from dunr.adapters.stores.sql.searching import SqlSearch
from dunr.adapters.stores.sql.tables import attempts, audit, effects, inbounds, posting_lines, postings
from dunr.core.attempt import Attempt
from dunr.core.decision import AuditEntry, Posting
from dunr.ports import EffectRecord, Inbound, InboundState

LEDGER = (
    select(postings, posting_lines.c.account, posting_lines.c.amount_minor)
    .outerjoin(posting_lines, posting_lines.c.posting_id == postings.c.id)
    .order_by(postings.c.sequence, posting_lines.c.line)
)
POSTED = select(postings.c.sequence).where(postings.c.id == bindparam("wanted"))
CHAIN = select(audit).where(audit.c.case_id == bindparam("wanted")).order_by(audit.c.number).limit(bindparam("limit"))
AUDITED = select(audit).order_by(audit.c.case_id, audit.c.number)
EFFECTS = select(effects).order_by(effects.c.sequence.desc())
UNKNOWN_CODES = (
    select(attempts.c.case_id, attempts.c.body)
    .where(attempts.c.has_unknown_codes)
    .order_by(attempts.c.settled_at.desc(), attempts.c.case_id, attempts.c.number.desc())
)
INBOUNDS = select(*INBOUND_COLUMNS).order_by(inbounds.c.sequence.desc())


class SqlReports(SqlSearch):
    """`Reports`."""

    def postings(self, case_id: str | None, limit: int, after: str | None = None) -> Sequence[Posting]:
        """Ledger entries, first posted first. An `after` that names no entry begins at the start."""
        chosen = select(postings.c.sequence).order_by(postings.c.sequence).limit(limit)
        if case_id is not None:
            chosen = chosen.where(postings.c.case_id == case_id)
        if after is not None and (place := self._database.rows(POSTED, {"wanted": after})):
            chosen = chosen.where(postings.c.sequence > place[0].sequence)
        entries: dict[str, list[Result]] = {}
        for row in self._database.rows(LEDGER.where(postings.c.sequence.in_(chosen))):
            entries.setdefault(row.id, []).append(row)
        return [posting_from(rows) for rows in entries.values()]

    def audit(self, case_id: str, limit: int) -> Sequence[AuditEntry]:
        """The chain of a case, from its start."""
        return [audit_from(row) for row in self._database.rows(CHAIN, {"wanted": case_id, "limit": limit})]

    def audited(
        self, from_at: datetime, until_at: datetime, limit: int, after: tuple[str, int] | None
    ) -> Sequence[AuditEntry]:
        """Entries of all cases in a span of time, by case and number."""
        statement = AUDITED.where(audit.c.at >= from_at, audit.c.at < until_at).limit(limit)
        if after is not None:
            statement = statement.where(tuple_(audit.c.case_id, audit.c.number) > tuple_(*after))
        return [audit_from(row) for row in self._database.rows(statement)]

    def effects(self, *, kind: str | None, case_id: str | None, limit: int) -> Sequence[EffectRecord]:
        """Recorded effects with their fate, newest first."""
        statement = EFFECTS.limit(limit)
        if kind is not None:
            statement = statement.where(effects.c.kind == kind)
        if case_id is not None:
            statement = statement.where(effects.c.case_id == case_id)
        return [
            EffectRecord(
                effect=effect_from(row),
                recorded_at=row.recorded_at,
                done_at=row.done_at,
                tries_count=row.tries_count,
                note=row.note,
            )
            for row in self._database.rows(statement)
        ]

    def inbounds(self, *, state: InboundState | None, limit: int) -> Sequence[Inbound]:
        """Received events, newest first."""
        statement = INBOUNDS.limit(limit)
        if state is not None:
            statement = statement.where(inbounds.c.state == state.value)
        return [inbound_from(row) for row in self._database.rows(statement)]

    def attempts_with_unknown_codes(self, limit: int) -> Sequence[tuple[str, Attempt]]:
        """Attempts with the id of their case, newest first."""
        rows = self._database.rows(UNKNOWN_CODES.limit(limit))
        return [(row.case_id, attempt_from_json(row.body)) for row in rows]
