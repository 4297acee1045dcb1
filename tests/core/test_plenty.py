"""Which plans need not count: those of a card that is far from every limit, and no other."""

import pytest

from dunr.core.counting import Wish
from dunr.core.model import Method
from dunr.core.plenty import is_plainly_free
from dunr.core.policy import Policy
from dunr.core.sends import Forgotten, Send
from dunr.core.terms import Outcome, Rail, Trigger
from dunr.core.value import replace
from tests.core.world import facts, utc

AT = utc("2026-06-23 10:00")
WISH = Wish("sandbox:main:in_1", AT, Rail.CARD, "mastercard", "DE", "card_1/-", 4900, "usd")
SEND = Send(AT, Trigger.TIMER, "sandbox:main:in_1", 1, Outcome.DECLINED)
CARD = Method("sandbox:main:card_1", 1)


@pytest.mark.parametrize(
    ("wish", "card", "count", "free"),
    [
        (WISH, None, 4, True),
        (WISH, replace(CARD, sends=(SEND,) * 6), 4, True),
        (
            WISH,
            replace(CARD, sends=(SEND,) * 7),
            4,
            False,
        ),  # ten in 24 hours at Mastercard, and the policy says the same
        (replace(WISH, region="BR"), replace(CARD, sends=(SEND,) * 4), 4, False),  # seven there
        (WISH, replace(CARD, sends=(replace(SEND, advice="03"),)), 4, False),  # never again for thirty days
        (WISH, replace(CARD, sends_forgotten=Forgotten(3, AT)), 1, False),
        (replace(WISH, rail=Rail.ACH, network=None), None, 1, False),  # only after certain returns
        (replace(WISH, rail=Rail.CARRIER, network=None), None, 4, True),  # no network, no rules
        (replace(WISH, network=None), replace(CARD, sends=(SEND,)), 4, True),
    ],
)
def test_far_from_every_limit(wish: Wish, card: Method | None, count: int, free: bool) -> None:
    assert is_plainly_free(wish, card, Policy(), facts(), count) is free


def test_the_policy_s_own_ceilings_count_on_every_rail() -> None:
    wish = replace(WISH, rail=Rail.CARRIER, network=None)
    assert not is_plainly_free(wish, None, Policy(card_attempts_24h_max=3), facts(), 4)
    assert not is_plainly_free(wish, None, Policy(card_attempts_30d_max=3), facts(), 4)
