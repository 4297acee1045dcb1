"""What a list says is enough where it says nothing new; in doubt the invoice is looked at."""

import pytest

from dunr.core.glance import Glance, has_news, why_no_case
from dunr.core.method_notes import Refresh
from dunr.core.model import CardRun
from dunr.core.snapshot import Snapshot
from dunr.core.terms import CollectionMethod, InvoiceStatus, SubscriptionStatus
from dunr.core.value import replace
from dunr.testing.scenario_world import World
from tests.core.world import story, utc

FAILED = """
2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                  notice first
"""


def listed(world: World) -> Snapshot:
    """As much of a snapshot as a list tells."""
    return replace(world.snapshot("in_1"), methods=(), charges=(), disputes=())


def news(world: World, told: Snapshot, **more: object) -> bool:
    glance = Glance(told, **({"default_method_id": "card_1"} | more))  # type: ignore[arg-type]
    return has_news(world.dossier("in_1", None), glance)


@pytest.fixture
def world() -> World:
    return story(FAILED)


def test_an_invoice_that_stands_as_it_is_known_is_not_looked_at(world: World) -> None:
    assert not news(world, listed(world))


@pytest.mark.parametrize(
    ("status", "due_minor", "credited_minor"),
    [
        (InvoiceStatus.PAID, 0, 0),
        (InvoiceStatus.VOID, 4900, 0),
        (InvoiceStatus.OPEN, 1900, 0),
        (InvoiceStatus.OPEN, 4900, 100),
    ],
)
def test_an_invoice_that_stands_otherwise_is_looked_at(
    world: World, status: InvoiceStatus, due_minor: int, credited_minor: int
) -> None:
    told = listed(world)
    otherwise = replace(told.invoice, status=status, amount_due_minor=due_minor, credited_minor=credited_minor)
    assert news(world, replace(told, invoice=otherwise))


def test_what_became_of_subscription_and_payer_is_looked_at(world: World) -> None:
    told = listed(world)
    assert told.subscription is not None
    assert told.customer is not None
    assert news(world, replace(told, subscription=replace(told.subscription, status=SubscriptionStatus.ENDED)))
    assert news(world, replace(told, customer=replace(told.customer, deleted=True)))
    assert news(world, replace(told, processor_next_attempt_at=utc("2026-06-25 10:00")))


def test_a_charge_that_nobody_knows_is_looked_at_and_one_that_is_known_is_not(world: World) -> None:
    known = world.snapshot("in_1").charges[0].processor_charge_id
    assert not news(world, listed(world), charge_ids=(known,))
    assert news(world, listed(world), charge_ids=(known, "ch_new"))


def test_whatever_a_list_does_not_show_is_looked_at(world: World) -> None:
    assert news(world, listed(world), is_touched=True)
    assert news(world, listed(world), default_method_id="card_2")
    assert news(world, listed(world), default_method_id=None)


def test_a_case_that_waits_for_a_card_has_none_to_lose() -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: stolen_card, 4900 usd
                      notice method_needed
    """)
    assert not news(world, listed(world), default_method_id=None)


def test_a_case_with_something_on_its_way_is_looked_at(world: World) -> None:
    dossier = world.dossier("in_1", None)
    case, glance = dossier.case, Glance(listed(world), "card_1")
    assert case is not None
    assert dossier.customer is not None
    assert not has_news(dossier, glance)
    assert has_news(replace(dossier, case=replace(case, look_failing_since_at=world.now)), glance)
    in_flight = replace(case.attempts[0], outcome=None)
    assert has_news(replace(dossier, case=replace(case, attempts=(in_flight,))), glance)
    run = CardRun("card_1/-", (case.id,))
    assert has_news(replace(dossier, customer=replace(dossier.customer, run=run)), glance)
    stopped = replace(dossier.customer, run=replace(run, stopped=True))
    assert not has_news(replace(dossier, customer=stopped), glance)
    assert not has_news(replace(dossier, customer=None), glance)
    pending = Refresh(1, "card_1", "card_1/-", "card_1", None, 0, world.now, world.now)
    notes = replace(case.method_notes, refreshes=(pending,))
    assert has_news(replace(dossier, case=replace(case, method_notes=notes)), glance)


def test_a_recovered_case_is_left_alone_until_something_comes() -> None:
    world = story(
        FAILED
        + """
    2026-06-23 12:00  payer clicks pay now; attempt 1 sent; paid 4900
                      state recovered
                      notice receipt
    """
    )
    assert not news(world, listed(world), default_method_id="card_2")
    assert news(world, listed(world), charge_ids=("ch_again",))


def test_without_a_case_only_what_may_become_one_is_looked_at(world: World) -> None:
    told = listed(world)
    unknown = replace(world.dossier("in_1", None), case=None)
    assert has_news(unknown, Glance(told))
    by_mail = Glance(replace(told, invoice=replace(told.invoice, collection_method=CollectionMethod.SEND_INVOICE)))
    assert not has_news(unknown, by_mail)
    assert why_no_case(by_mail) == "the customer pays this invoice by mail"
    assert why_no_case(Glance(told)) is None
