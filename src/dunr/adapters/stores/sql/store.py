"""The store in SQL: the four rows and the documents, with inbox, outbox and reports beside them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from sqlalchemy import Connection, Select, Table, Text, bindparam, func, literal, select, union_all, update

from dunr.adapters.stores.changes import recorded_at
from dunr.adapters.stores.rows import (
    case_from_json,
    customer_from_json,
    method_from_json,
    subscription_from_json,
)
from dunr.adapters.stores.sql.database import BUSY_SECONDS, CONNECTIONS_MAX, Database
from dunr.adapters.stores.sql.held import refuse_to_begin
from dunr.adapters.stores.sql.identity import begin, present_identity, record_identity, recorded_identity
from dunr.adapters.stores.sql.inbox import SqlInbox
from dunr.adapters.stores.sql.metering import SqlMetering
from dunr.adapters.stores.sql.migration import finish, upgrade
from dunr.adapters.stores.sql.outbox import SqlOutbox
from dunr.adapters.stores.sql.present import Present, wanted_by
from dunr.adapters.stores.sql.reports import SqlReports
from dunr.adapters.stores.sql.retention import SqlRetention
from dunr.adapters.stores.sql.tables import cases, customers, documents, methods, subscriptions
from dunr.adapters.stores.sql.writes import Writes
from dunr.ports import Change, Document, Refs, Rows


def _beside_case(table: Table, kind: str) -> Select[tuple[str, str]]:
    """The row of a table that is named by id, or else by the case."""
    own = select(cases.c[f"{kind}_id"]).where(cases.c.id == bindparam("case", type_=Text)).scalar_subquery()
    return select(literal(kind), table.c.body).where(table.c.id == func.coalesce(bindparam(kind, type_=Text), own))


# One statement, so that the four rows come from one commit.
LOAD = union_all(
    select(literal("case").label("kind"), cases.c.body).where(cases.c.id == bindparam("case", type_=Text)),
    _beside_case(subscriptions, "subscription"),
    _beside_case(methods, "method"),
    _beside_case(customers, "customer"),
)
SUBSCRIPTION = select(subscriptions.c.body).where(subscriptions.c.id == bindparam("wanted", type_=Text))
CUSTOMER = select(customers.c.body).where(customers.c.id == bindparam("wanted"))
REWRITE = (
    update(documents)
    .where(documents.c.name == bindparam("wanted"), documents.c.version == bindparam("expected"))
    .values(version=documents.c.version + 1, body=bindparam("blob"))
)


@cache
def documents_named(count: int) -> Select[tuple[str, int, bytes]]:
    """So many documents by name."""
    places = [bindparam(f"name_{number}", type_=Text) for number in range(count)]
    return select(documents.c.name, documents.c.version, documents.c.body).where(documents.c.name.in_(places))


def _may_be_due(change: Change) -> bool:
    """Whether a decision left something to do at once. A store has no clock: the decision says when it was made."""
    decision = change.decision
    if decision.recorded_effects:
        return True
    wake_at = None if decision.case is None else decision.case.wake_at
    return wake_at is not None and wake_at <= recorded_at(decision)


class SqlStore(SqlInbox, SqlOutbox, SqlReports, SqlRetention, SqlMetering):
    """`Store` and `Reports` over one database, for any number of threads and processes. Call `migrate` once before
    the first use.

    `instance` names this installation, where the operator has named it. `busy_seconds` is how long a writer waits for
    others, and `connections_max` how many connections to a server this process opens at most. `search_key` hides the mail addresses by which cases are found;
    without one they are not found by them.
    """

    def __init__(
        self,
        url: str,
        *,
        instance: str | None = None,
        busy_seconds: float = BUSY_SECONDS,
        connections_max: int = CONNECTIONS_MAX,
        search_key: str = "",
    ) -> None:
        self._search_key = search_key
        self._database = Database.at(url, busy_seconds, connections_max)
        self._instance = instance

    def migrate(self, *, held: bool = False) -> None:
        """Create the tables, or bring them up to this release, while processes of the release before go on working.

        Raises `SettingsError` where this is the half of a move, on which nobody may begin; `held` is for whoever moves it.
        """
        self._database.migrate(upgrade)
        self._database.prepare(begin)
        if not held:
            refuse_to_begin(self._database)

    def finish_migration(self) -> None:
        """Take away what only the release before needed. Its last process must be gone; from then on none of them can start."""
        self._database.migrate(finish)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def listen(self, heard: Callable[[], None]) -> Callable[[], None]:
        """Call `heard`, from another thread, when another process left something to do; answers what stops it. A hint may be lost, and SQLite gives none: go on
        polling.
        """
        return self._database.dialect.listen(heard)

    # --- the four rows ----------------------------------------------------------------------------------------------

    def load(self, case_id: str | None, refs: Refs) -> Rows:
        if case_id is None and refs.method_id is None and refs.customer_id is None:
            return self._load_subscription(refs.subscription_id)
        names = {
            "case": case_id,
            "subscription": refs.subscription_id,
            "method": refs.method_id,
            "customer": refs.customer_id,
        }
        bodies: dict[str, str] = dict(self._database.ask(LOAD, names))
        return Rows(
            case=case_from_json(bodies["case"]) if "case" in bodies else None,
            subscription=subscription_from_json(bodies["subscription"]) if "subscription" in bodies else None,
            method=method_from_json(bodies["method"]) if "method" in bodies else None,
            customer=customer_from_json(bodies["customer"]) if "customer" in bodies else None,
        )

    def _load_subscription(self, subscription_id: str | None) -> Rows:
        """The row alone that an entitlement check asks for, on the event loop."""
        rows = self._database.ask(SUBSCRIPTION, {"wanted": subscription_id})
        return Rows(None, subscription_from_json(rows[0][0]) if rows else None, None, None)

    def cases_of(self, customer_id: str) -> Sequence[str]:
        rows = self._database.rows(CUSTOMER, {"wanted": customer_id})
        found = customer_from_json(rows[0].body).cases if rows else ()
        return [case.case_id for case in sorted(found, key=lambda case: case.first_failed_at)]

    def commit(self, changes: Sequence[Change]) -> Sequence[bool]:
        if not changes:
            return []
        answers = self._database.write(lambda connection: self._commit(connection, changes))
        if any(taken and _may_be_due(change) for change, taken in zip(changes, answers, strict=True)):
            self._database.dialect.ring()
        return answers

    def _commit(self, connection: Connection, changes: Sequence[Change]) -> Sequence[bool]:
        """Take what can be taken, then write all of it; a stale change leaves no trace and disturbs no other."""
        dialect = self._database.dialect
        found = dialect.find(connection, wanted_by(changes))
        present = Present(found)
        answers = [present.take(change) for change in changes]
        taken = Writes([change for change, answer in zip(changes, answers, strict=True) if answer], self._search_key)
        dialect.write(connection, taken.batches(dialect, found))
        return answers

    # --- documents --------------------------------------------------------------------------------------------------

    def document(self, name: str) -> Document | None:
        return self.documents((name,)).get(name)

    def documents(self, names: Sequence[str]) -> Mapping[str, Document]:
        if not names:
            return {}
        places = {f"name_{number}": name for number, name in enumerate(names)}
        rows = self._database.ask(documents_named(len(names)), places)
        return {name: Document(name=name, version=version, body=body) for name, version, body in rows}

    def put_document(self, name: str, body: bytes, expected_version: int) -> bool:
        return self._database.write_once(
            lambda connection: self._put_document(connection, name, body, expected_version)
        )

    def _put_document(self, connection: Connection, name: str, body: bytes, expected_version: int) -> bool:
        if expected_version:
            parameters = {"wanted": name, "expected": expected_version, "blob": body}
            return connection.execute(REWRITE, parameters).rowcount == 1
        insert = self._database.dialect.insert_or_ignore(documents).execution_options(preserve_rowcount=True)
        return connection.execute(insert, {"name": name, "version": 1, "body": body}).rowcount == 1

    # --- identity ---------------------------------------------------------------------------------------------------

    def identity(self) -> Mapping[str, str]:
        """What this database and its surroundings look like now."""
        return present_identity(self._database, self._instance)

    def recorded_identity(self) -> Mapping[str, str]:
        """What they looked like when they were recorded last; empty where they never were."""
        return recorded_identity(self._database)

    def record_identity(self, identity: Mapping[str, str]) -> None:
        """Take this for our own from now on: at the first start, and when an operator adopts a copy."""
        record_identity(self._database, identity)
