"""What is put together from settings: the store, the clock, the mailer, the policy in force and what is known of the processor."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from dunr.core.facts import ProcessorFacts
from dunr.errors import SettingsError
from dunr.manual_clock import StoreClock
from tests.engine.applications import running, settings

START_AT = datetime(2026, 6, 23, 10, tzinfo=UTC)


def test_a_store_in_memory_leaves_no_database(tmp_path: Path) -> None:
    with running(settings(tmp_path, store="memory:")) as application:
        assert application.store.next_due_at() is None
    assert not (tmp_path / "data" / "dunr.db").exists()


def test_the_manual_clock_is_the_same_for_every_process_and_outlives_a_restart(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as one, running(settings(tmp_path)) as two:
        assert isinstance(one.clock, StoreClock)
        assert one.clock.now() == two.clock.now() == START_AT
        one.clock.move(START_AT + timedelta(hours=1))
        one.clock.move(START_AT)  # it never goes back
        assert two.clock.now() == START_AT + timedelta(hours=1)
    with running(replace(settings(tmp_path), clock_start=datetime(2030, 1, 1, tzinfo=UTC))) as three:
        assert three.clock.now() == START_AT + timedelta(hours=1)


def test_each_process_holds_leases_under_a_name_of_its_own(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as one, running(settings(tmp_path)) as two:
        assert one.engine.parts.holder != two.engine.parts.holder


def test_what_the_processor_says_of_itself_reaches_decisions(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as application:
        facts = application.engine.facts
        assert facts.processors["sandbox"].settle_after_seconds == 900
        application.processors["sandbox"].facts = ProcessorFacts(settle_after_seconds=5)
        assert facts.processors["sandbox"].settle_after_seconds == 5
        assert dict(facts.processors) == {"sandbox": ProcessorFacts(settle_after_seconds=5)}


def test_amounts_are_told_in_the_units_in_which_the_processor_counts(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as application:
        facts = application.engine.facts
        assert [facts.exponent("sandbox", code) for code in ("usd", "jpy", "kwd")] == [2, 0, 3]


def test_holidays_are_read_when_a_policy_names_them(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as application:
        calendars = application.engine.facts.calendars
        assert date(2026, 12, 28) in calendars["GB-ENG"]
        assert date(2044, 12, 26) in calendars["GB-ENG"]
        assert calendars.get("dates:2026-07-01") == frozenset({date(2026, 7, 1)})


def test_a_policy_that_cannot_be_read_at_the_start_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError), running(settings(tmp_path, policy="nosuch")):
        pass


def test_smtp_and_a_webhook_are_put_together_too(tmp_path: Path) -> None:
    wanted = settings(
        tmp_path,
        mailer="smtp",
        smtp_host="localhost",
        mail_from="billing@example.com",
        merchant_name="Example",
        publish_url="https://app.example.com/hook",
        publish_secret="whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz",
    )
    with running(wanted) as application:
        assert type(application.performer.publisher).__name__ == "WebhookPublisher"
    assert not (tmp_path / "data" / "outbox").exists()
