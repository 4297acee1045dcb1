"""How events arrive in PostgreSQL: a whole group in one statement, with the dedup in it, so that one round trip makes it durable.

The rows are numbered in the order in which they came and inserted in the order of their keys: two groups that hold the same events must not wait for each other
crosswise. A key that another transaction inserts at the same moment stands once this statement has waited for it, but is not in the picture that the statement
took when it began; only then a second question is asked. Bodies go over in binary: written out as text they would be twice as long, and most of the work.
"""

from collections.abc import Sequence

from sqlalchemy import ARRAY, Connection, Text, any_, bindparam, select

from dunr.adapters.stores.sql.columns import INBOUND_NAMES, inbound_values
from dunr.adapters.stores.sql.dialect import Arrival
from dunr.adapters.stores.sql.postgres_commits import driver_of
from dunr.adapters.stores.sql.tables import inbounds
from dunr.ports import Inbound

DIGESTS = select(inbounds.c.key, inbounds.c.body_sha256).where(
    inbounds.c.key == any_(bindparam("keys", type_=ARRAY(Text)))
)

_NAMES = ", ".join(INBOUND_NAMES)
_SQL_TYPES = {"TEXT": "text", "BOOLEAN": "boolean", "BLOB": "bytea", "BIGINT": "bigint"}
_ARRAYS = ", ".join(f"%({name})b::{_SQL_TYPES[str(inbounds.c[name].type)]}[]" for name in INBOUND_NAMES)

# Put together from the names of our own columns; each value is bound.
ARRIVE = (
    f"WITH given AS MATERIALIZED (SELECT nextval('inbounds_sequence_seq') AS sequence, came.* FROM unnest({_ARRAYS})"  # noqa: S608
    f" WITH ORDINALITY AS came ({_NAMES}, place)),"
    f" fresh AS (INSERT INTO inbounds (sequence, {_NAMES}) SELECT sequence, {_NAMES} FROM given ORDER BY key"
    " ON CONFLICT (key) DO NOTHING RETURNING key)"
    " SELECT given.key, fresh.key IS NOT NULL, standing.body_sha256 FROM given LEFT JOIN fresh USING (key)"
    " LEFT JOIN inbounds AS standing ON standing.key = given.key ORDER BY given.place"
)


def arrive(connection: Connection, events: Sequence[Inbound]) -> Sequence[Arrival]:
    """Insert each event whose key does not stand yet."""
    columns = dict(zip(INBOUND_NAMES, map(list, zip(*map(inbound_values, events), strict=True)), strict=True))
    with driver_of(connection).cursor() as cursor:
        rows = cursor.execute(ARRIVE, columns).fetchall()
    unseen = [key for key, is_new, standing in rows if not is_new and standing is None]
    late = {row.key: row.body_sha256 for row in connection.execute(DIGESTS, {"keys": unseen})} if unseen else {}
    return [
        Arrival(is_new, event.body_sha256 if is_new else standing or late.get(key))
        for event, (key, is_new, standing) in zip(events, rows, strict=True)
    ]
