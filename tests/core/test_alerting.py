"""What people are told of alerts, and when: once until it is over, that it is over, and many of a kind together."""

from datetime import UTC, datetime, timedelta

from dunr.core.alerting import (
    ALONE_MAX,
    SAID_MAX,
    AlertBook,
    SayAlone,
    SayLater,
    SayNothing,
    SayTogether,
    end_of,
    key_now,
    noted,
    what_to_say,
)
from dunr.core.effects import RaiseAlert
from dunr.core.terms import AlertKind
from dunr.core.value import replace

NOW = datetime(2026, 6, 23, 9, 4, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def alert(key: str = "a_1", kind: AlertKind = AlertKind.OVERPAID, at: datetime = NOW) -> RaiseAlert:
    return RaiseAlert(key, kind, None, f"look at {key}", at)


def ended(one: RaiseAlert, at: datetime = NOW) -> RaiseAlert:
    return end_of(one.key, one.kind, one.case_id, "it is over", at)


def told(*alerts: RaiseAlert, book: AlertBook = AlertBook(), at: datetime = NOW, alone: bool = True) -> AlertBook:  # noqa: B008 - a value
    return noted(book, alerts, at, alone=alone)


def test_the_first_is_told_at_once_and_a_repeat_never() -> None:
    assert what_to_say(AlertBook(), alert(), NOW) == SayAlone()
    assert what_to_say(told(alert()), alert(), NOW + 9 * MINUTE) == SayNothing("it was told before, and is not over")


def test_who_heard_of_it_hears_that_it_is_over_and_that_once() -> None:
    book = told(alert())
    assert book.is_open("a_1")
    assert what_to_say(book, ended(alert()), NOW) == SayAlone()
    book = told(ended(alert()), book=book)
    assert not book.is_open("a_1")
    assert what_to_say(book, ended(alert()), NOW) == SayNothing("that it is over was told before")


def test_what_nobody_heard_of_ends_silently_and_is_not_told_afterwards() -> None:
    verdict = what_to_say(AlertBook(), ended(alert()), NOW)
    assert verdict == SayNothing("nobody had been told of it", is_noted=True)
    book = told(ended(alert()), alone=False)
    assert what_to_say(book, alert(), NOW) == SayNothing("it was over before it could be told")


def test_trouble_that_comes_back_is_another_alert() -> None:
    assert key_now(AlertBook(), "a_1") == "a_1"
    book = told(alert())
    assert key_now(book, "a_1") == "a_1", "it is still the same"
    book = told(ended(alert()), book=book)
    assert key_now(book, "a_1") == "a_1~1"
    again = alert("a_1~1")
    assert what_to_say(book, again, NOW) == SayAlone()
    book = told(again, ended(again), book=book)
    assert key_now(book, "a_1") == "a_1~2"
    assert key_now(book, "a_11") == "a_11", "another alert that begins alike"


def test_many_of_one_kind_wait_for_one_message() -> None:
    book = told(*(alert(f"a_{number}") for number in range(ALONE_MAX)))
    late = alert("late", at=NOW + MINUTE)
    quarter = datetime(2026, 6, 23, 9, 15, tzinfo=UTC)
    assert what_to_say(book, late, NOW + MINUTE) == SayLater(quarter)
    assert what_to_say(book, late, quarter) == SayTogether()
    assert what_to_say(book, alert("other", AlertKind.DISPUTED), NOW) == SayAlone(), "another kind is not kept waiting"
    assert what_to_say(book, ended(alert("a_0")), NOW) == SayAlone(), "ends are counted by themselves"
    assert what_to_say(book, replace(late, at=quarter), quarter) == SayLater(quarter + 15 * MINUTE)
    assert what_to_say(book, late, NOW + 61 * MINUTE) == SayAlone(), "an hour later it is quiet again"


def test_what_was_said_together_counts_as_one_message() -> None:
    book = told(*(alert(f"a_{number}") for number in range(40)), alone=False)
    assert what_to_say(book, alert("next"), NOW) == SayAlone()


def test_the_book_is_bounded_and_forgets_the_oldest() -> None:
    book = told(*(alert(f"a_{number}") for number in range(SAID_MAX + 1)))
    assert len(book.said) == SAID_MAX
    assert not book.knows("a_0", is_end=False)
