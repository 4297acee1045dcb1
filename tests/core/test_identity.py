"""A copied database is told from the one that we were."""

from dunr.core.identity import differences

RECORDED = {"store": "sqlite", "database": "d-1", "inode": "7", "mark": "10", "mark_beside": "10"}


def test_nothing_recorded_is_nothing_to_compare() -> None:
    assert differences({}, RECORDED | {"mark_beside": "missing"}) == ()


def test_the_same_surroundings_are_no_copy() -> None:
    assert differences(RECORDED, RECORDED) == ()


def test_a_mark_that_rose_is_no_copy_and_a_file_may_lag() -> None:
    assert differences(RECORDED, RECORDED | {"mark": "99", "mark_beside": "98"}) == ()


def test_what_only_one_side_tells_is_not_compared() -> None:
    assert differences(RECORDED | {"birth": "1.5"}, RECORDED) == ()
    assert differences(RECORDED, RECORDED | {"instance": "production"}) == ()


def test_a_store_without_a_mark_has_none_to_compare() -> None:
    server = {"store": "postgresql", "system": "71", "timeline": "1"}
    assert differences(server, server) == ()
    [reason] = differences(server, server | {"timeline": "2"})
    assert reason.startswith("the timeline of the database server is 2 and was 1")


def test_another_file_is_a_copy() -> None:
    [reason] = differences(RECORDED, RECORDED | {"inode": "8"})
    assert reason == "the database file is 8 and was 7: the database was copied, moved or restored"


def test_each_difference_is_told() -> None:
    assert len(differences(RECORDED, RECORDED | {"inode": "8", "database": "d-2", "mark_beside": "missing"})) == 3


def test_a_missing_mark_is_a_copy() -> None:
    [reason] = differences(RECORDED, RECORDED | {"mark_beside": "missing"})
    assert "missing" in reason


def test_an_older_database_is_behind_its_mark() -> None:
    [reason] = differences(RECORDED, RECORDED | {"mark": "5", "mark_beside": "10"})
    assert reason == "the database is at mark 5, the file beside it at 10: an older database was put back"
