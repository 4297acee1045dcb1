"""What Stripe tells of one failure, in each version and thinly: every webhook is proved, and leads to the same invoice or is ignored with a reason."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dunr.adapters.processors.stripe.processor import StripeProcessor
from dunr.ports import InboundState
from tests.adapters.stripe.bodies import CLASSIC_VERSIONS, NEWEST
from tests.adapters.stripe.faces import ACCOUNT, START_AT, StripeFace, adapter_of, request
from tests.sandbox.processes import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def telling(tmp_path: Path, receiver: Receiver) -> Iterator[StripeFace]:
    process = StripeFace(tmp_path, receiver.url)
    yield process
    process.close()


@pytest.fixture
def hearing(telling: StripeFace) -> Iterator[StripeProcessor]:
    made = adapter_of(telling)
    yield made
    made.close()


def applied(receiver: Receiver, processor: StripeProcessor) -> dict[str, tuple[str, ...]]:
    """The invoices that each type of event leads to; each that is not applied must say why."""
    found: dict[str, tuple[str, ...]] = {}
    for one in receiver.received:
        (inbound,) = processor.verify(one.body, {"Stripe-Signature": one.signature or ""}, START_AT)
        if inbound.state is InboundState.IGNORED:
            assert inbound.note, inbound.event_type
            continue
        subject = processor.translate(inbound)
        invoice = subject.processor_invoice_id
        found[inbound.event_type] = (invoice,) if invoice else tuple(processor.invoices_of(ACCOUNT, subject))
    return found


@pytest.mark.parametrize("version", CLASSIC_VERSIONS)
def test_every_event_of_a_failure_leads_to_its_invoice_in_every_version(
    telling: StripeFace, receiver: Receiver, hearing: StripeProcessor, version: str
) -> None:
    telling.pin(version)
    telling.fail("in_1", amount_minor=4900)
    telling.script("decline:do_not_honor")
    hearing.charge(request())
    telling.quiet()
    found = applied(receiver, hearing)
    assert {"invoice.payment_failed", "charge.failed", "payment_intent.payment_failed"} <= found.keys()
    assert set(found.values()) == {("in_1",)}, found


def test_every_thin_event_of_a_failure_leads_to_its_invoice(
    telling: StripeFace, receiver: Receiver, hearing: StripeProcessor
) -> None:
    telling.pin(NEWEST, thin=True)
    telling.fail("in_1", amount_minor=4900)
    telling.script("decline:do_not_honor")
    hearing.charge(request())
    telling.quiet()
    found = applied(receiver, hearing)
    assert {"v1.invoice.payment_failed", "v1.charge.failed"} <= found.keys()
    assert set(found.values()) == {("in_1",)}, found


def test_a_dispute_and_a_card_that_changed_lead_to_what_their_payer_owes(
    telling: StripeFace, receiver: Receiver, hearing: StripeProcessor
) -> None:
    telling.fail("in_1", amount_minor=4900)
    telling.script("succeed")
    telling.control("POST", "/invoices/in_1/pay").raise_for_status()
    telling.fail("in_2", amount_minor=4900)
    telling.quiet()
    receiver.received.clear()
    paid = next(one for one in telling.requests("in_1") if one["captured"])
    telling.control("POST", f"/charges/{paid['charge']}/dispute").raise_for_status()
    telling.control("POST", "/customers/cus_1/card", id="pm_2", fingerprint="fp_2").raise_for_status()
    telling.quiet()
    found = applied(receiver, hearing)
    assert found["charge.dispute.created"] == ("in_1", "in_2")
    assert found["payment_method.attached"] == ("in_2",)
