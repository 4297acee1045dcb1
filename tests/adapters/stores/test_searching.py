"""Cases found by a text in SQL: what a release before opened is found as well, and what too many begin with is said to be too little."""

from abc import ABC, abstractmethod

import pytest
from sqlalchemy import text

from dunr.adapters.stores.sql.store import SqlStore
from dunr.adapters.stores.words import FOUND_MAX
from dunr.core.model import Payer
from dunr.core.value import replace
from dunr.errors import BadRequest
from dunr.testing.store_rows import at, decide, new_case, new_customer, put
from tests.adapters.stores.opener import Opener
from tests.adapters.stores.postgres_opener import PostgresOpener


def found(store: SqlStore, words: str, limit: int = 9) -> list[str]:
    return [case.processor_invoice_id for case in store.cases(state=None, text=words, limit=limit, after=None)]


class Searching(ABC):
    @abstractmethod
    def make(self) -> SqlStore: ...

    def test_what_a_release_before_opened_is_found_before_and_after_it_got_its_words(self) -> None:
        store = self.make()
        for number in range(5):
            customer = replace(new_customer(f"cus_{number}"), payer=Payer(email=f"{number}@example.com"))
            case = replace(new_case(f"inv_{number}", opened_at=at(number)), customer_id=customer.id)
            put(store, decide(case=case, customer=customer))
        with store._database._writers.connect() as connection, connection.begin():
            connection.execute(text("DELETE FROM search_words"))
            connection.execute(text("UPDATE cases SET has_words = false WHERE id NOT LIKE '%inv_4'"))
            connection.execute(text("INSERT INTO search_words SELECT 'inv_4', id FROM cases WHERE id LIKE '%inv_4'"))
        assert found(store, "inv_") == ["inv_4", "inv_3", "inv_2", "inv_1", "inv_0"]
        assert found(store, "nv_") == [], "not its beginning"
        assert store.give_words(3) == 3
        assert found(store, "inv_") == ["inv_4", "inv_3", "inv_2", "inv_1", "inv_0"]
        assert store.give_words(3) == 1
        assert store.give_words(3) == 0
        assert found(store, "inv_") == ["inv_4", "inv_3", "inv_2", "inv_1", "inv_0"]
        assert found(store, "2@example.com") == ["inv_2"]

    def test_of_very_many_that_begin_alike_the_newest_are_found(self) -> None:
        store = self.make()
        changes = [decide(case=new_case(f"inv_{number:04}", opened_at=at(number))) for number in range(FOUND_MAX + 5)]
        for change in changes:
            put(store, change)
        assert found(store, "inv_", 3) == ["inv_1004", "inv_1003", "inv_1002"]
        assert found(store, "inv_1004") == ["inv_1004"]
        assert len(found(store, "inv_", 2 * FOUND_MAX)) == FOUND_MAX + 5

    def test_what_too_many_begin_with_and_few_of_the_newest_is_too_little(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("dunr.adapters.stores.sql.searching.FOUND_MAX", 4)
        monkeypatch.setattr("dunr.adapters.stores.sql.searching.WALKED_MAX", 6)
        store = self.make()
        for number in range(6):
            put(store, decide(case=new_case(f"old_{number}", opened_at=at(number))))
            put(store, decide(case=new_case(f"new_{number}", opened_at=at(100 + number))))
        with pytest.raises(BadRequest, match="write more of it"):
            found(store, "old_")
        assert found(store, "old_3") == ["old_3"]


class TestSqlite(Searching, Opener):
    pass


class TestPostgres(Searching, PostgresOpener):
    pass
