"""The tables of network rules and fees: what the core takes for granted of every row."""

from datetime import UTC, datetime

import pytest

from dunr.core.rules import NetworkRule, RuleKind, Scope, by_network, rules_for
from dunr.core.sends import ROLLING_MAX
from dunr.core.terms import DeclineReason, Rail
from dunr.facts.load import load_facts
from dunr.facts.network_rules import rules_by_network, shipped_rules, shipped_unsent
from dunr.facts.tables import rows

RULES = {rule.id: rule for rule in shipped_rules()}


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize("rule", shipped_rules(), ids=lambda rule: rule.id)
def test_every_row_has_what_its_kind_needs(rule: NetworkRule) -> None:
    match rule.kind:
        case RuleKind.CAP:
            assert rule.limit is not None
            assert rule.limit >= 1
            assert rule.window_seconds is not None or rule.scope is Scope.INVOICE
        case RuleKind.BAN | RuleKind.ONLY_AFTER:
            assert rule.codes
            assert rule.limit is None
        case RuleKind.WITHIN:
            assert (rule.window_seconds is None) != (rule.window_months is None)
        case RuleKind.HOURS:
            assert rule.timezone is not None
            assert all(0 <= start < end <= 24 * 60 for start, end in rule.hours)
            assert rule.hours[0][0] == 0, "the search for the next hour ends on the day after"
    assert rule.kind is RuleKind.WITHIN or (rule.window_seconds or 0) <= ROLLING_MAX.total_seconds()
    assert rule.until_at is None or rule.from_at < rule.until_at
    assert rule.instead_of is None or rule.instead_of in RULES
    assert {field for field, _ in rule.codes} <= {"code", "advice", "reason"}
    assert all(code in set(DeclineReason) for field, code in rule.codes if field == "reason")
    assert rule.source
    assert rule.sentence
    assert not rule.is_own


def test_no_two_rows_share_a_name() -> None:
    assert len(RULES) == len(list(rows("network_rules.csv")))


def test_every_fee_belongs_to_a_row_and_no_two_hold_at_once() -> None:
    for row in rows("network_fees.csv"):
        assert set(row["rules"].split()) <= set(RULES)
        assert row["source"]
    for rule in shipped_rules():
        for fee in rule.fees:
            assert fee.amount_minor > 0
            assert fee.currency == fee.currency.lower()
            others = [one for one in rule.fees if one is not fee and one.region == fee.region]
            assert not any(one.from_at <= fee.from_at < (one.until_at or day("2100-01-01")) for one in others), rule.id


@pytest.mark.parametrize(
    ("rule", "region", "at", "fee"),
    [
        ("mastercard-10-in-24-hours", "US", "2022-09-30", None),
        ("mastercard-10-in-24-hours", "US", "2023-10-31", (10, "usd")),
        ("mastercard-10-in-24-hours", "US", "2023-11-01", (15, "usd")),
        ("mastercard-10-in-24-hours", "US", "2023-12-31", (15, "usd")),
        ("mastercard-10-in-24-hours", "US", "2024-01-01", (30, "usd")),
        ("mastercard-10-in-24-hours", "US", "2025-01-01", (50, "usd")),
        ("mastercard-10-in-24-hours", "DE", "2024-07-31", None),
        ("mastercard-10-in-24-hours", "DE", "2024-08-01", (55, "eur")),
        ("mastercard-10-in-24-hours", "JP", "2026-06-01", None),
        ("mastercard-10-in-24-hours", None, "2026-06-01", None),
        ("mastercard-br-7-in-24-hours", "BR", "2026-06-01", (200, "brl")),
        ("mastercard-advice-03-21", "BR", "2026-06-01", (250, "brl")),
        ("elo-15-in-30-days", "BR", "2026-06-01", (80, "brl")),
        ("elo-15-in-30-days", None, "2026-06-01", (80, "brl")),
        ("visa-15-in-30-days", "US", "2026-06-01", (10, "usd")),
        ("nacha-2-retries", "US", "2026-06-01", None),
    ],
)
def test_what_an_attempt_against_a_rule_costs(rule: str, region: str | None, at: str, fee: tuple[int, str]) -> None:
    found = RULES[rule].fee(region, day(at))
    assert (None if found is None else (found.amount_minor, found.currency)) == fee


def names(rail: Rail, network: str | None, region: str | None, at: str, *, by_merchant: bool = True) -> set[str]:
    holding = rules_for(
        rules_by_network(),
        rail=rail,
        network=network,
        region=region,
        by_merchant=by_merchant,
        allowed=("visa-20-in-30-days",),
        at=day(at),
    )
    return {rule.id for rule in holding}


def test_which_rules_hold() -> None:
    bans = {"visa-category-1", "visa-category-1-invoice"}
    assert names(Rail.CARD, "visa", "DE", "2021-04-16") == set()
    assert names(Rail.CARD, "visa", "DE", "2025-05-24") == {*bans, "visa-15-in-30-days"}
    assert names(Rail.CARD, "visa", "DE", "2025-05-25") == {*bans, "visa-20-in-30-days"}
    assert names(Rail.CARD, "visa", "BR", "2026-06-01") == {*bans, "visa-20-in-30-days", "visa-br-30-days"}
    assert names(Rail.CARD, "visa", "BR", "2026-06-01", by_merchant=False) == {*bans, "visa-20-in-30-days"}
    world = {"mastercard-10-in-24-hours", "mastercard-35-in-30-days", "mastercard-advice-03-21"}
    assert names(Rail.CARD, "mastercard", None, "2026-06-01") == world
    brazil = {"mastercard-br-7-in-24-hours", "mastercard-br-35-in-30-days"}
    assert names(Rail.CARD, "mastercard", "BR", "2026-06-01") == {*world, *brazil}
    assert names(Rail.CARD, "amex", "US", "2026-06-01") == set()
    assert names(Rail.CARD, None, None, "2026-06-01") == {*bans, "visa-20-in-30-days", *world, "elo-15-in-30-days"}
    assert names(Rail.ACH, "nacha", None, "2026-06-01") == {"nacha-2-retries", "nacha-180-days", "nacha-r01-r09"}
    assert names(Rail.ACH, None, None, "2026-06-01", by_merchant=False) == set()
    assert names(Rail.SEPA, "sepa", None, "2026-06-01") == set()
    assert names(Rail.CARRIER, None, None, "2026-06-01") == set()


def test_the_facts_hold_the_tables() -> None:
    facts = load_facts()
    assert sum(len(found) for key, found in facts.rules.items() if key != (Rail.CARD, None)) == len(RULES)
    assert ("stripe", "outcome_reason", "previously_declined_do_not_retry") in facts.unsent
    assert facts.unsent == shipped_unsent()


def test_a_card_of_an_unknown_network_keeps_to_each_of_them() -> None:
    rule = RULES["elo-15-in-30-days"]
    assert by_network([rule]) == {(Rail.CARD, "elo"): (rule,), (Rail.CARD, None): (rule,)}
    nacha = RULES["nacha-2-retries"]
    assert by_network([nacha]) == {(Rail.ACH, None): (nacha,)}
