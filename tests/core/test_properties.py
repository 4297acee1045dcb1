"""What holds whatever happens, in whatever order: worlds made up by Hypothesis, with two invoices of one card."""

from collections import Counter
from datetime import timedelta

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dunr.core import ledger
from dunr.core.decide import decide
from dunr.core.decision import Stops
from dunr.core.effects import Charge
from dunr.core.events import AttemptReturned, Event
from dunr.core.model import Case, Customer
from dunr.core.reconcile import events_from
from dunr.core.snapshot import Snapshot
from dunr.core.terms import CaseState
from dunr.core.timers import due_event, wake_at
from dunr.testing.scenario import ACTS
from dunr.testing.scenario_acts import act
from dunr.testing.scenario_world import World
from tests.core.events import samples
from tests.core.world import facts, story

BEGINNING = """
    2026-06-23 09:00  in_2: subscription sub_2
    2026-06-23 10:00  in_1: first charge fails: insufficient_funds, 4900 usd
                      in_1: notice first
    2026-06-23 10:30  in_2: first charge fails: do_not_honor, 1200 usd
                      in_2: notice first
"""
PAUSES = st.sampled_from([0, 1, 30, 90, 301, 1800, 3700, 8 * 3600, 86_400, 3 * 86_400])
INVOICES = st.sampled_from(["in_1", "in_1", "in_2"])
ANSWERS = st.sampled_from(
    [
        *("paid", "paid 700", "no answer", "not now", "pending", "declined insufficient_funds", "declined stolen_card"),
        *("declined authentication_required with intent pi_9", "declined brand_new_code", "captured silently"),
        *("refused bad_request", "refused key_revoked", "refused not_payable", "refused idempotency_key_reused"),
        *("the gate closes: paid meanwhile", "look-ups fail", "look-ups find nothing", "look-ups find it pending"),
        *("look-ups find it paid", "look-ups find it declined insufficient_funds"),
    ]
)
NEWS = st.sampled_from(
    [
        *("paid elsewhere 1900 as ch_x", "paid elsewhere 4900 as ch_y", "declined elsewhere do_not_honor as ch_no"),
        *("credited 300", "300 more is due", "voided", "written off", "marked as paid", "somebody looks"),
        *("subscription is ended", "subscription is active", "customer deleted", "no card", "new card card_1"),
        *("new card card_2", "new card card_3", "new card card_2 expiring 2031-01", "new card bank_1 on sepa"),
        *("dispute dp_1 on ch_y of in_1, card card_1", "dispute dp_1 lost", "dispute dp_1 won, funds are back"),
        *("payer clicks pay now", "operator retries", "operator holds", "operator closes", "mail bounces"),
        *("charges are stopped", "pauses are stopped", "mail is stopped", "nothing is stopped", "time passes"),
        *("operator moves the policy to steps=1bd,1bd floor=1bd", "operator moves the policy to final_action=none"),
        *("the least that is charged is 2000", "processor cannot be read", "charge ch_p is pending"),
    ]
)
FEW = settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def beginning(policy: str = "") -> World:
    world = story(policy + BEGINNING)
    world.sent.clear()
    return world


def try_act(world: World, invoice_id: str, text: str) -> None:
    """Some acts make no sense in some worlds; then they are not done."""
    case = world.case(invoice_id)
    answers = text.split(" ", 1)[0] in ("paid", "no", "not", "pending", "declined", "captured", "refused", "the")
    answers = answers and text not in ("no card", "the least that is charged is 2000") and "elsewhere" not in text
    if answers and (case is None or case.in_flight is None):
        return
    if text.startswith("look-ups") and (case is None or not case.attempt_number_last):
        return
    if text == "operator releases" and (case is None or not case.holds):
        return
    if text.startswith("declined elsewhere") and not world.methods:
        return
    act(world, ACTS, invoice_id, text)


def check(world: World, before: dict[str, Case], event: Event | None = None) -> None:
    """The promises that can be seen in the rows."""
    for invoice_id in world.invoices:
        case, old = world.case(invoice_id), before.get(invoice_id)
        if case is None:
            continue
        assert sum(attempt.is_in_flight for attempt in case.attempts) <= 1
        numbers = [attempt.number for attempt in case.attempts]
        assert numbers == sorted(set(numbers)), "attempt numbers rise and never repeat"
        keys_used = [attempt.key for attempt in case.attempts if attempt.number]
        assert len(keys_used) == len(set(keys_used)), "one key, one attempt"
        assert case.wake_at == wake_at(case)
        assert case.wake_at is None or due_event(case, case.wake_at) is not None
        assert case.wake_at is None or due_event(case, case.wake_at - timedelta(microseconds=1)) is None
        check_ledger(world, case)
        if old is not None and old.state is CaseState.RECOVERED:
            assert case.state is CaseState.RECOVERED or isinstance(event, AttemptReturned)
    for row in world.rows.values():
        if isinstance(row, Customer):
            open_ids = {one.id for one in world.rows.values() if isinstance(one, Case) and one.is_open}
            assert {one.case_id for one in row.cases} == open_ids
    for decision in world.decisions:
        assert decision.because
        for charge in (effect for effect in decision.effects if isinstance(effect, Charge)):
            assert decision.method is not None
            assert decision.method.lease is not None
            assert decision.method.fence == decision.method.lease.fence == charge.fence


def check_ledger(world: World, case: Case) -> None:
    """Each case balances: opened = credited + recovered + written off + voided + still owed."""
    accounts: Counter[str] = Counter()
    for posting in world.ledger.values():
        if posting.case_id == case.id:
            assert posting.currency == case.currency
            accounts.update({account: 0 for account, _ in posting.lines})
            for account, amount in posting.lines:
                accounts[account] += amount
    assert sum(accounts.values()) == 0
    assert accounts[ledger.RECEIVABLE] + accounts[ledger.DELINQUENT] == case.amount_due_minor
    if case.is_delinquent:
        assert accounts[ledger.RECEIVABLE] == 0
    assert accounts[ledger.WRITE_OFFS] == case.written_off_minor
    assert accounts[ledger.OVERPAYMENTS] == -case.overpaid_minor


def snapshot_of(world: World) -> dict[str, Case]:
    cases = {invoice_id: world.case(invoice_id) for invoice_id in world.invoices}
    return {invoice_id: case for invoice_id, case in cases.items() if case is not None}


@given(st.lists(st.tuples(PAUSES, INVOICES, st.one_of(ANSWERS, NEWS)), max_size=25))
@FEW
def test_two_invoices_of_one_card_whatever_happens(happenings: list[tuple[int, str, str]]) -> None:
    world = beginning()
    for pause, invoice_id, what in happenings:
        before = snapshot_of(world)
        world.decisions.clear()
        world.run_until(world.now + timedelta(seconds=pause))
        try_act(world, invoice_id, what)
        world.settle()
        check(world, before)
    world.stops = Stops()
    world.run_until(world.now + timedelta(days=2))
    check(world, snapshot_of(world))


@given(st.lists(st.tuples(PAUSES, st.integers(0, 10_000)), max_size=20))
@FEW
def test_one_invoice_and_any_events_at_all(happenings: list[tuple[int, int]]) -> None:
    world = story(BEGINNING.replace("in_2", "in_1").split("2026-06-23 10:30")[0])
    for pause, index in happenings:
        world.now += timedelta(seconds=pause)
        before = snapshot_of(world)
        world.decisions.clear()
        possible = samples(world)
        event = possible[index % len(possible)]
        snapshot = world.snapshot("in_1")
        dossier = world.dossier("in_1", snapshot)
        same = decide(dossier, event, facts(), world.now) == decide(dossier, event, facts(), world.now)
        assert same, "the same inputs give the same decision"
        world.decide("in_1", event, snapshot)
        check(world, before, event)


@given(st.lists(st.tuples(PAUSES, INVOICES, st.one_of(ANSWERS, NEWS)), max_size=15))
@FEW
def test_a_snapshot_that_was_read_says_nothing_new(happenings: list[tuple[int, str, str]]) -> None:
    world = beginning("policy steps=1bd,1bd floor=1bd")
    for pause, invoice_id, what in happenings:
        world.run_until(world.now + timedelta(seconds=pause))
        try_act(world, invoice_id, what)
        for read in ("in_1", "in_2"):
            snapshot = world.snapshot(read)
            world.read(read, snapshot)
            assert says_nothing(world, read, snapshot)
            assert world.read(read, snapshot) == 0


def says_nothing(world: World, invoice_id: str, snapshot: Snapshot) -> bool:
    dossier = world.dossier(invoice_id, snapshot)
    return all(decide(dossier, event, facts(), world.now).changes_nothing for event in events_from(dossier))
