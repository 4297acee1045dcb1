"""Cases found by a text in SQL: a range of words, and nothing that grows with the history.

What a release before opened has no words until `give_words` has come to it; until then it is looked through by its ids.
"""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, Executable, Select, Text, bindparam, literal, or_, select, text, tuple_, update

from dunr.adapters.stores.rows import case_from_json, customer_from_json
from dunr.adapters.stores.sql.database import Database
from dunr.adapters.stores.sql.tables import Instant, cases, customers, search_words
from dunr.adapters.stores.words import (
    FOUND_MAX,
    LAST_SIGN,
    WALKED_MAX,
    address_word,
    customer_words,
    is_address,
    is_mentioned,
    wanted,
    words_of,
)
from dunr.core.model import Case
from dunr.errors import BadRequest

PAGE = 200
PLACE = select(cases.c.opened_at, cases.c.id).where(cases.c.id == bindparam("wanted"))
CASES = select(cases.c.body).order_by(cases.c.opened_at.desc(), cases.c.id.desc())
WITHOUT_WORDS = text("NOT has_words")  # as the index has it, or it is not used
WORDLESS = select(cases.c.id).where(WITHOUT_WORDS).limit(1)
OWNERS = (
    select(search_words.c.owner_id)
    .where(search_words.c.word >= bindparam("begin", type_=Text), search_words.c.word < bindparam("end", type_=Text))
    .limit(bindparam("limit"))
)
UNWORDED = (
    select(cases.c.body, customers.c.body)
    .outerjoin(customers, customers.c.id == cases.c.customer_id)
    .where(WITHOUT_WORDS)
    .limit(bindparam("limit"))
)
HAS_WORDS = update(cases).where(cases.c.id == bindparam("row_id")).values(has_words=True)


class SqlSearch:
    """`cases`, and `give_words`."""

    _database: Database
    _search_key: str

    def cases(self, *, state: str | None, text: str | None, limit: int, after: str | None) -> Sequence[Case]:
        """Cases, newest first. An `after` that names no case begins at the start.

        Raises `BadRequest` where so many begin with the text that not enough of them are among the newest.
        """
        statement = self._listed(state, after)
        if text is None:
            return self._read(statement.limit(limit))
        if is_address(text):
            return self._read(self._of_address(statement, text).limit(limit))
        beginning = wanted(text)
        if not beginning:
            return []
        found = self._found(statement, beginning, limit, state)
        older = self._without_words(statement, beginning, limit)
        both = {case.id: case for case in (*found, *older)}
        return sorted(both.values(), key=lambda case: (case.opened_at, case.id), reverse=True)[:limit]

    def give_words(self, limit: int) -> int:
        """Give their words to at most `limit` cases of a release before; how many got them. Call it again until none does."""
        return self._database.write(lambda connection: self._give_words(connection, limit))

    def _give_words(self, connection: Connection, limit: int) -> int:
        rows = connection.execute(UNWORDED, {"limit": limit}).all()
        found = [case_from_json(body) for body, _ in rows]
        owned = {(word, case.id) for case in found for word in words_of(case)}
        for _, body in rows:
            customer = customer_from_json(body) if body is not None else None
            if customer is not None:
                owned |= {(word, customer.id) for word in customer_words(customer, self._search_key)}
        if found:
            cells = [{"word": word, "owner_id": owner} for word, owner in sorted(owned)]
            connection.execute(self._database.dialect.insert_or_ignore(search_words), cells)
            connection.execute(HAS_WORDS, [{"row_id": name} for name in sorted(case.id for case in found)])
        return len(found)

    def _listed(self, state: str | None, after: str | None) -> Select[tuple[str]]:
        statement = CASES
        if after is not None and (place := self._database.rows(PLACE, {"wanted": after})):
            # As one comparison of two cells, which an index answers; as two, it reads all cases that are newer.
            here = tuple_(literal(place[0].opened_at, Instant), literal(place[0].id))
            statement = statement.where(tuple_(cases.c.opened_at, cases.c.id) < here)
        return statement.where(cases.c.state == state) if state is not None else statement

    def _read(self, statement: Executable) -> list[Case]:
        return [case_from_json(row.body) for row in self._database.rows(statement)]

    def _owners(self, begin: str, end: str) -> Sequence[str]:
        asked = {"begin": begin, "end": end, "limit": FOUND_MAX + 1}
        return [owner for (owner,) in self._database.ask(OWNERS, asked)]

    def _of_address(self, statement: Select[tuple[str]], text: str) -> Select[tuple[str]]:
        """Those of the customers who have exactly this address."""
        word = address_word(text, self._search_key)
        return statement.where(cases.c.customer_id.in_(self._owners(word, word + LAST_SIGN)))

    def _found(self, statement: Select[tuple[str]], beginning: str, limit: int, state: str | None) -> list[Case]:
        """Those that have words."""
        owners = self._owners(beginning, beginning + LAST_SIGN)
        if len(owners) <= FOUND_MAX:
            return self._read(statement.where(cases.c.id.in_(sorted(set(owners)))).limit(limit))
        found: list[Case] = []
        for walked_count, case in enumerate(self._newest(statement), 1):
            if is_mentioned(case, beginning):
                found.append(case)
            if len(found) == limit:
                return found
            if walked_count == WALKED_MAX:
                among = f" among those that are {state}" if state is not None else ""
                raise BadRequest(f"More than {FOUND_MAX} cases begin with that{among}: write more of it.")
        return found

    def _newest(self, statement: Select[tuple[str]]) -> Iterator[Case]:
        """All of them, a page at a time."""
        while page := self._read(statement.limit(PAGE)):
            yield from page
            here = tuple_(literal(page[-1].opened_at, Instant), literal(page[-1].id))
            statement = statement.where(tuple_(cases.c.opened_at, cases.c.id) < here)

    def _without_words(self, statement: Select[tuple[str]], beginning: str, limit: int) -> list[Case]:
        """Those that a release before opened, looked through one by one; in the end there are none."""
        if not self._database.rows(WORDLESS):
            return []
        names = (cases.c.id, cases.c.subscription_id, cases.c.customer_id)
        near = or_(*(name.icontains(beginning, autoescape=True) for name in names))
        rows = self._read(statement.where(WITHOUT_WORDS, near).limit(max(limit, PAGE)))
        return [case for case in rows if is_mentioned(case, beginning)]
