"""Which policy a new case gets, and the reason that it notes."""

from datetime import UTC, datetime

import pytest

from dunr.core.policy import Policy
from dunr.core.segments import Choice, PolicySet, Segment, choose, only
from dunr.core.snapshot import CustomerSnapshot, InvoiceSnapshot, MethodSnapshot, Snapshot
from dunr.core.terms import CollectionMethod, InvoiceStatus, Rail
from dunr.core.value import replace

USUAL, OTHER = Policy(name="usual"), Policy(name="other", at_hour=10)
INVOICE = InvoiceSnapshot(
    processor_invoice_id="in_1",
    status=InvoiceStatus.OPEN,
    amount_total_minor=5000,
    amount_due_minor=4900,
    credited_minor=0,
    currency="eur",
    first_failed_at=None,
    collection_method=CollectionMethod.CHARGE_AUTOMATICALLY,
    is_first=False,
    products=("prod_team", "prod_addon"),
    tags=("vip",),
)
SEEN = Snapshot(
    taken_at=datetime(2026, 6, 23, tzinfo=UTC),
    live=False,
    invoice=INVOICE,
    subscription=None,
    customer=CustomerSnapshot("cus_1", deleted=False, country="de"),
    methods=(MethodSnapshot("pm_1", "fp_1", Rail.SEPA),),
    charges=(),
)


def chosen(*segments: Segment, seen: Snapshot | None = SEEN) -> Choice:
    return choose(PolicySet((OTHER, USUAL), "usual", segments), "stripe", seen)


@pytest.mark.parametrize(
    ("segment", "words"),
    [
        (Segment("s", "other", products=("prod_x", "prod_addon")), "product prod_addon"),
        (Segment("s", "other", currencies=("gbp", "eur")), "currency eur"),
        (Segment("s", "other", countries=("AT", "DE")), "country DE"),
        (Segment("s", "other", processors=("stripe",)), "processor stripe"),
        (Segment("s", "other", rails=(Rail.BACS, Rail.SEPA)), "rail sepa"),
        (Segment("s", "other", tags=("vip",)), "tag vip"),
        (Segment("s", "other", amount_min_minor=4900, amount_max_minor=4900), "the amount is within its bounds"),
        (Segment("s", "other", amount_min_minor=4900), "the amount is within its bounds"),
        (Segment("s", "other", amount_max_minor=4900), "the amount is within its bounds"),
        (Segment("s", "other"), "it has no condition"),
        (Segment("s", "other", tags=("vip",), currencies=("eur",)), "currency eur, tag vip"),
    ],
)
def test_a_segment_takes_a_case_when_all_its_conditions_hold_and_says_by_what(segment: Segment, words: str) -> None:
    assert chosen(segment) == Choice(OTHER, (f"runs under the policy other: segment s ({words})",))


@pytest.mark.parametrize(
    "segment",
    [
        Segment("s", "other", products=("prod_x",)),
        Segment("s", "other", currencies=("gbp",)),
        Segment("s", "other", countries=("FR",)),
        Segment("s", "other", processors=("sandbox",)),
        Segment("s", "other", rails=(Rail.CARD,)),
        Segment("s", "other", tags=("VIP",)),
        Segment("s", "other", amount_min_minor=4901),
        Segment("s", "other", amount_max_minor=4899),
        Segment("s", "other", tags=("vip",), currencies=("usd",)),
    ],
)
def test_one_condition_that_does_not_hold_is_enough_to_pass_a_case_on(segment: Segment) -> None:
    assert chosen(segment) == Choice(USUAL, ("runs under the policy usual: no segment fits, so the default does",))


def test_the_first_segment_that_fits_decides() -> None:
    first, second = Segment("first", "usual", tags=("vip",)), Segment("second", "other")
    assert chosen(first, second).policy is USUAL
    assert chosen(second, first).policy is OTHER


def test_what_is_not_known_meets_no_condition() -> None:
    bare = replace(SEEN, customer=None, methods=(), invoice=replace(INVOICE, products=(), tags=()))
    strange = Segment("s", "other", countries=("DE",))
    assert chosen(strange, seen=bare).policy is USUAL
    assert chosen(Segment("s", "other", rails=(Rail.SEPA,)), seen=bare).policy is USUAL
    nowhere = replace(SEEN, customer=CustomerSnapshot("cus_1", deleted=False))
    assert chosen(strange, seen=nowhere).policy is USUAL
    assert chosen(strange, seen=None) == Choice(USUAL)


def test_without_segments_there_is_nothing_to_explain() -> None:
    assert choose(only(OTHER), "stripe", SEEN) == Choice(OTHER)
