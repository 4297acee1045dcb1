"""Cards that expire soon: written about once, within the policy's days, and never to somebody who is asked to pay by that card."""

import pytest

from dunr.core.expiring import ExpiringCard, expires_at, is_dunned, is_same, is_soon, last_month, notice_of
from dunr.core.model import Payer
from dunr.core.notices import as_it_leaves
from dunr.core.policy import Policy
from dunr.core.snapshot import MethodSnapshot
from dunr.core.terms import NoticeKind, Rail
from dunr.core.value import replace
from tests.core.world import facts, story, utc

POLICY = Policy(card_expiring_notice_days=30)
METHOD = MethodSnapshot("card_1", "card_1", Rail.CARD, "visa", "4242", "2026-07")
CARD = ExpiringCard("cus_1", Payer("ada@example.com", timezone="America/New_York"), METHOD)


@pytest.mark.parametrize(
    ("expires_on", "at"),
    [("2026-07", "2026-08-01 00:00"), ("2026-12", "2027-01-01 00:00"), ("2028-02", "2028-03-01 00:00")],
)
def test_a_card_is_good_until_the_end_of_its_month(expires_on: str, at: str) -> None:
    assert expires_at(expires_on) == utc(at)


@pytest.mark.parametrize(
    ("now", "soon"),
    [
        ("2026-07-01 23:59", False),
        ("2026-07-02 00:00", True),
        ("2026-07-31 23:59", True),
        ("2026-08-01 00:00", False),
    ],
)
def test_it_expires_soon_within_the_policy_s_days_and_not_when_it_has(now: str, soon: bool) -> None:
    assert is_soon(CARD, POLICY, utc(now)) is soon
    assert not is_soon(CARD, Policy(), utc(now)), "off by default"
    assert not is_soon(replace(CARD, method=replace(METHOD, expires_on=None)), POLICY, utc(now))


def test_the_list_is_asked_for_up_to_the_last_month_that_may_matter() -> None:
    assert last_month(POLICY, utc("2026-06-23 10:00")) == "2026-07"
    assert last_month(POLICY, utc("2026-12-15 10:00")) == "2027-01"


def test_the_notice_is_one_for_each_card_and_expiry_and_leaves_by_day() -> None:
    notice = notice_of("sandbox", "main", CARD, POLICY, facts(), utc("2026-07-03 03:00"))
    assert (notice.kind, notice.case_id, notice.round) == (NoticeKind.CARD_EXPIRING, "sandbox:main:cus_1", 0)
    assert notice.key == "notice/sandbox:main:cus_1/card_expiring/card_1/2026-07"
    assert notice.not_before_at == utc("2026-07-03 12:00")  # 08:00 in New York
    again = notice_of("sandbox", "main", CARD, POLICY, facts(), utc("2026-07-20 12:00"))
    assert again.key == notice.key
    assert is_same(CARD, notice)
    assert not is_same(replace(CARD, method=replace(METHOD, expires_on="2030-01")), notice)
    assert not is_same(CARD, replace(notice, card=None))


def test_the_notice_belongs_to_no_case() -> None:
    notice = notice_of("sandbox", "main", CARD, POLICY, facts(), utc("2026-07-03 03:00"))
    world = story("2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first\n")
    case = world.case("in_1")
    assert case is not None
    assert as_it_leaves(replace(case, round=0), notice) is None


def test_somebody_who_is_asked_to_pay_by_that_card_is_not_written_to_about_its_expiry() -> None:
    world = story("2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first\n")
    case = world.case("in_1")
    assert case is not None
    assert is_dunned(CARD, [case])
    assert not is_dunned(replace(CARD, method=replace(METHOD, fingerprint="card_2")), [case])
    assert not is_dunned(CARD, [])
    world = story(
        "2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first\n2026-06-23 11:00  voided\n"
    )
    case = world.case("in_1")
    assert case is not None
    assert not is_dunned(CARD, [case])
