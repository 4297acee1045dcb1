"""What every test of the core starts from: the facts, once, and a scenario played."""

from datetime import UTC, datetime
from functools import cache

from dunr.core.facts import Facts
from dunr.core.policy import Policy, ReasonRule, Strategy
from dunr.core.terms import DeclineReason
from dunr.facts.load import load_facts
from dunr.testing.scenario import play
from dunr.testing.scenario_world import World

MAPPED = {
    ("sandbox", "decline_code", "r15"): DeclineReason.PAYER_DECEASED,
    ("sandbox", "decline_code", "r10"): DeclineReason.AUTHORIZATION_DISPUTED,
}

UPDATER = ReasonRule(1, Strategy.REQUIRE_UPDATER)
FRESH = Policy(
    name="fresh",
    reasons=((DeclineReason.EXPIRED_CARD, UPDATER), (DeclineReason.CREDENTIAL_UPDATED, UPDATER)),
)


@cache
def facts() -> Facts:
    """The shipped facts with the holidays that the stories need."""
    return load_facts(merchant_declines=MAPPED, years=range(2025, 2029))


def story(text: str, policy: Policy | None = None) -> World:
    """Play a timeline with the shipped facts."""
    return play(text, facts(), policy)


def utc(text: str) -> datetime:
    """An instant as a story writes it."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
