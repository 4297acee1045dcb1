"""How Stripe is asked: at a pace, again where it is busy, once where money moves, and with its request id at hand."""

import time

import pytest

from dunr.adapters.processors.stripe import client
from dunr.adapters.processors.stripe.processor import StripeProcessor
from dunr.core.answers import NotNow
from dunr.ports import ObjectMissing, SnapshotUnavailable, Subject
from tests.adapters.stripe.bodies import ACCOUNT, AT
from tests.adapters.stripe.objects import invoice, listed, refusal
from tests.adapters.stripe.strangers import REQUEST_ID, Reply, Stranger, adapter
from tests.adapters.stripe.test_stripe_charging import PAY, REQUEST

INVOICES = "/v1/invoices"
OF_CUSTOMER = Subject(None, None, "cus_1")
ONE = listed(invoice())


class Counting:
    """A pace with room for so many calls."""

    def __init__(self, room: int = 1000) -> None:
        self.room, self.taken_count, self.refused_count = room, 0, 0

    def take(self, wait_seconds_max: float) -> bool:  # noqa: ARG002 - there is room or there is none
        self.taken_count += 1
        return self.taken_count <= self.room

    def refused(self) -> None:
        self.refused_count += 1


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for a test."""
    monkeypatch.setattr(client, "BACKOFF_SECONDS", 0.01)


@pytest.mark.parametrize(
    "busy",
    [
        Reply(429, refusal("rate_limit")),
        Reply(429, refusal("lock_timeout")),
        Reply(400, refusal("lock_timeout")),
        Reply(409, refusal(None)),
        Reply(503, b"<html>", {"stripe-should-retry": "true"}),
        Reply(400, refusal("some_new_code"), {"stripe-should-retry": "true"}),
    ],
)
def test_a_reading_is_repeated_where_stripe_is_busy(
    stranger: Stranger, processor: StripeProcessor, busy: Reply
) -> None:
    stranger.tell(INVOICES, busy, busy, Reply(body=ONE))
    assert processor.invoices_of(ACCOUNT, OF_CUSTOMER) == ("in_1",)
    assert len(stranger.asked) == 3


def test_a_reading_is_not_repeated_for_ever(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell(INVOICES, Reply(429, refusal("rate_limit")))
    with pytest.raises(SnapshotUnavailable, match=f"HTTP 429 .rate_limit., {REQUEST_ID}"):
        processor.invoices_of(ACCOUNT, OF_CUSTOMER)
    assert len(stranger.asked) == client.READ_TRIES_MAX


@pytest.mark.parametrize(
    "failed", [Reply(500, refusal(None)), Reply(429, refusal("lock_timeout"), {"stripe-should-retry": "false"})]
)
def test_what_does_not_pass_in_a_moment_is_left_to_the_engine(
    stranger: Stranger, processor: StripeProcessor, failed: Reply
) -> None:
    stranger.tell(INVOICES, failed)
    with pytest.raises(SnapshotUnavailable):
        processor.invoices_of(ACCOUNT, OF_CUSTOMER)
    assert len(stranger.asked) == 1


def test_no_reading_waits_longer_than_an_exchange_may_take(stranger: Stranger) -> None:
    impatient = adapter(stranger.url, timeout_seconds=0.5)
    stranger.tell(INVOICES, Reply(429, refusal("rate_limit"), {"retry-after": "60"}))
    begun = time.monotonic()
    with pytest.raises(SnapshotUnavailable):
        impatient.invoices_of(ACCOUNT, OF_CUSTOMER)
    assert time.monotonic() - begun < 5
    assert len(stranger.asked) == 1
    impatient.close()


def test_a_missing_object_is_named_by_stripes_request_and_not_by_its_words(
    stranger: Stranger, processor: StripeProcessor
) -> None:
    stranger.tell(INVOICES, Reply(404, refusal("resource_missing")))
    with pytest.raises(ObjectMissing) as caught:
        processor.invoices_of(ACCOUNT, OF_CUSTOMER)
    assert REQUEST_ID in str(caught.value)
    assert "words for people" not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_a_charge_that_would_have_to_wait_for_its_turn_too_long_is_not_sent(stranger: Stranger) -> None:
    slow = adapter(stranger.url, timeout_seconds=0.05, pace=Counting(room=1))
    stranger.tell(PAY, invoice())
    slow.charge(REQUEST)
    assert slow.charge(REQUEST) == NotNow("not_reached")
    assert len(stranger.asked) == 1
    slow.close()


def test_what_stripe_takes_for_one_call_too_many_slows_all_of_us_down_and_a_lock_does_not(stranger: Stranger) -> None:
    pace = Counting()
    hurried = adapter(stranger.url, pace=pace)
    for code, refused_count in (("lock_timeout", 0), ("rate_limit", 1)):
        stranger.tell(PAY, Reply(429, refusal(code)))
        hurried.charge(REQUEST)
        assert pace.refused_count == refused_count
    assert pace.taken_count == 2
    hurried.close()


def test_a_body_without_end_is_none(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell(INVOICES, Reply(200, b"x" * (17 * 1024 * 1024)))
    with pytest.raises(SnapshotUnavailable, match="too long"):
        processor.invoices_of(ACCOUNT, OF_CUSTOMER)


def test_an_answer_that_drips_is_as_silent_as_none(stranger: Stranger) -> None:
    impatient = adapter(stranger.url, timeout_seconds=0.3)
    stranger.drip(INVOICES)
    with pytest.raises(SnapshotUnavailable):
        impatient.invoices_of(ACCOUNT, OF_CUSTOMER)
    impatient.close()


def test_the_clock_is_read_from_any_answer(stranger: Stranger, processor: StripeProcessor) -> None:
    stranger.tell(INVOICES, ONE)
    assert processor.now(ACCOUNT) == AT
    stranger.tell(INVOICES, Reply(200, ONE, {"date": "yesterday"}))
    assert processor.now(ACCOUNT) is None
