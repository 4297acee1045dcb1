"""Never over a cap: random sends on one card, of several invoices, by everybody, counted anew here from the whole history.

The card's row keeps forty sends and is told of outcomes late; the count here forgets nothing and knows at once what became of each. Foreign charges ask nobody
and may break a cap by themselves; after them nothing of ours goes out until there is room again.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from dunr.core import budget
from dunr.core.counting import NEVER_AT, Wish
from dunr.core.decide.remembering import remember
from dunr.core.model import Method
from dunr.core.policy import Policy
from dunr.core.sends import FOREIGN, Initiator, Send, initiator_of
from dunr.core.terms import Outcome, Rail, Trigger
from dunr.core.value import replace
from tests.core.world import facts, utc

DAY, MONTH = timedelta(hours=24), timedelta(days=30)
OURS = (Trigger.TIMER, Trigger.CUSTOMER, Trigger.OPERATOR, Trigger.METHOD_UPDATED)
AMOUNTS = (4900, 900)
KEPT_OUT = (Outcome.WITHDRAWN, Outcome.REFUSED)


def retries(sends: Sequence[Send]) -> int:
    """All but a first charge that comes before the others."""
    return len(sends) - (1 if sends and sends[0].attempt_number == 0 else 0)


def over(sends: Sequence[Send], last: Send, network: str, region: str, policy: Policy) -> list[str]:
    """The caps that a send breaks, by the words of the networks and nothing of ours."""

    def within(window: timedelta) -> list[Send]:
        return [one for one in sends if last.at - window < one.at <= last.at and one.outcome not in KEPT_OUT]

    def same_amount(some: list[Send]) -> list[Send]:
        return [one for one in some if one.amount_minor == last.amount_minor]

    def of_that_side(some: list[Send]) -> list[Send]:
        side = initiator_of(last.trigger)
        return [one for one in some if one.attempt_number == FOREIGN or initiator_of(one.trigger) is side]

    day, month = within(DAY), within(MONTH)
    declined_today = [one for one in day if one.outcome is not Outcome.SUCCEEDED]
    declined_month = [one for one in month if one.outcome is not Outcome.SUCCEEDED]
    visa, mastercard = network == "visa", network == "mastercard"
    caps = {
        "policy's day": len(day) > policy.card_attempts_24h_max,
        "policy's month": len(month) > policy.card_attempts_30d_max,
        "15 retries": visa and retries(of_that_side(same_amount(month))) > 15,
        "10 a day": mastercard and len(declined_today) > 10,
        "35 a month": mastercard and len(same_amount(declined_month)) > 35,
        "7 retries a day": mastercard and region == "BR" and retries(day) > 7,
        "35 a month in Brazil": mastercard and region == "BR" and len(declined_month) > 35,
    }
    return [name for name, broken in caps.items() if broken]


class Card(RuleBasedStateMachine):
    """One card and all who charge it."""

    @initialize(
        network=st.sampled_from(["visa", "mastercard"]),
        region=st.sampled_from(["US", "BR"]),
        policy=st.sampled_from([Policy(), Policy(card_attempts_24h_max=100, card_attempts_30d_max=100)]),
    )
    def begin(self, network: str, region: str, policy: Policy) -> None:
        self.network, self.region, self.policy = network, region, policy
        self.now: datetime = utc("2026-06-01 00:00")
        self.row = Method("m", 1)
        self.history: list[Send] = []

    def wish(self, case: int, amount: int, by: Initiator) -> Wish:
        credential = "c/2030-12"
        first_at = utc("2026-06-01 00:00")
        return Wish(f"in_{case}", first_at, Rail.CARD, self.network, self.region, credential, amount, "usd", by)

    def write(self, send: Send) -> None:
        self.history.append(send)
        self.row = remember(self.row, [send])

    def send(self, case: int, amount: int, trigger: Trigger, number: int) -> Send:
        return Send(self.now, trigger, f"in_{case}", number, None, amount, "usd", "c/2030-12", self.network)

    @rule(seconds=st.sampled_from([1, 60, 3600, 4 * 3600, 86_399, 86_400, 5 * 86_400]))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(
        case=st.integers(1, 3), amount=st.sampled_from(AMOUNTS), trigger=st.sampled_from(OURS), tries=st.integers(1, 5)
    )
    def we_try(self, case: int, amount: int, trigger: Trigger, tries: int) -> None:
        for _ in range(tries):
            self.now += timedelta(seconds=1)
            wish = self.wish(case, amount, initiator_of(trigger))
            allowed = budget.allowance(wish, self.row, self.policy, facts(), self.now)
            if allowed.until_at is None:
                send = self.send(case, amount, trigger, len(self.history) + 1)
                self.write(send)
                assert over(self.history, send, self.network, self.region, self.policy) == []
            else:
                self.room_begins_when_it_is_said(wish, allowed.until_at)

    def room_begins_when_it_is_said(self, wish: Wish, until_at: datetime) -> None:
        assert until_at > self.now
        if until_at == NEVER_AT:  # a Visa card of Brazil, or more on one card than its row keeps
            return
        then = budget.allowance(wish, self.row, self.policy, facts(), until_at)
        assert then.until_at is None
        before = budget.allowance(wish, self.row, self.policy, facts(), until_at - timedelta(microseconds=1))
        assert before.until_at == until_at

    @rule(case=st.integers(1, 3), amount=st.sampled_from(AMOUNTS), is_first=st.booleans(), count=st.integers(1, 12))
    def others_charge(self, case: int, amount: int, is_first: bool, count: int) -> None:
        for _ in range(count):
            self.now += timedelta(seconds=1)
            send = self.send(case, amount, Trigger.PROCESSOR, 0 if is_first else FOREIGN)
            self.write(replace(send, outcome=Outcome.DECLINED))

    @precondition(lambda self: any(send.outcome is None for send in self.history))
    @rule(outcome=st.sampled_from([Outcome.DECLINED, Outcome.SUCCEEDED, Outcome.WITHDRAWN, Outcome.UNKNOWN]))
    def an_answer_comes(self, outcome: Outcome) -> None:
        index = next(n for n, send in enumerate(self.history) if send.outcome is None)
        before = self.history[index]
        after = replace(before, outcome=outcome)
        self.history[index] = after
        self.row = replace(self.row, sends=tuple(after if one == before else one for one in self.row.sends))


TestNeverOverACap = Card.TestCase
TestNeverOverACap.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
