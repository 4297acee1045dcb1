"""A policy that needs what a processor lacks is refused when it is loaded, with what to write instead."""

import pytest

from dunr.core.facts import Capability, ProcessorFacts
from dunr.core.policy import Policy, ReasonRule, Strategy
from dunr.core.segments import PolicySet, only
from dunr.core.terms import DeclineReason
from dunr.errors import SettingsError
from dunr.facts.capabilities import ServedPolicies, lacking
from dunr.facts.complaints import PolicyRefused
from dunr.facts.policies import policies_from_toml

FRESH = Policy(name="fresh", reasons=((DeclineReason.EXPIRED_CARD, ReasonRule(1, Strategy.REQUIRE_UPDATER)),))
EARLY = Policy(name="early", card_expiring_notice_days=30)
BARE = {"slow": ProcessorFacts()}
UPDATING = {"slow": ProcessorFacts(capabilities=frozenset({Capability.REFRESH_METHOD}))}


class Written:
    """A source that says the same for ever."""

    origin = "mine.toml"

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def stamp(self) -> str:
        return "1"

    def read(self) -> PolicySet:
        return only(self._policy)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (
            FRESH,
            'reasons.expired_card.strategy = "require_updater" needs a processor that can refresh a payment method, and slow cannot',
        ),
        (
            EARLY,
            "card_expiring_notice_days = 30 needs a processor that can list the cards that expire soon, and slow cannot",
        ),
    ],
)
def test_a_policy_that_nobody_can_serve_is_refused(policy: Policy, said: str) -> None:
    source = ServedPolicies(Written(policy), BARE)
    assert (source.origin, source.stamp()) == ("mine.toml", "1")
    with pytest.raises(SettingsError) as caught:
        source.read()
    assert said in str(caught.value)
    assert "write " in str(caught.value)


def test_a_file_that_nobody_can_serve_is_refused_with_the_line() -> None:
    text = "name = 'early'\ncard_expiring_notice_days = 30\n"
    assert policies_from_toml(text, "mine.toml", "mine").policies == only(EARLY)
    with pytest.raises(PolicyRefused, match=r"^mine.toml:2: card_expiring_notice_days = 30 needs a processor"):
        policies_from_toml(text, "mine.toml", "mine", processors=UPDATING)


def test_each_policy_of_a_set_is_asked_about_where_the_file_describes_it() -> None:
    text = "default = 'by_reason'\n[policies.early]\ncard_expiring_notice_days = 30\n[[segments]]\nname = 'some'\npolicy = 'early'\ntags = ['vip']\n"
    with pytest.raises(PolicyRefused) as caught:
        policies_from_toml(text, "mine.toml", "mine", processors=BARE)
    refused = {(one.line, one.text.partition(" = ")[0]) for one in caught.value.remarks}
    assert refused == {
        (1, "by_reason: reasons.credential_updated.strategy"),
        (1, "by_reason: reasons.expired_card.strategy"),
        (3, "early: card_expiring_notice_days"),
    }


def test_one_that_is_served_is_kept() -> None:
    assert ServedPolicies(Written(FRESH), UPDATING).read() == only(FRESH)
    assert list(lacking(Policy(), BARE)) == []
    assert len(list(lacking(EARLY, UPDATING))) == 1
