"""What the adapter reads of the real server: snapshots, lists, links and the clock, and what it says where it cannot."""

from datetime import timedelta

import pytest

from dunr.adapters.processors.sandbox.events import SUPPORTED_EVENTS
from dunr.adapters.processors.sandbox.processor import SandboxProcessor
from dunr.core.terms import ChargeStatus, DisputeStatus, InvoiceStatus, Rail, SubscriptionStatus
from dunr.ports import ObjectMissing, SnapshotUnavailable, Subject
from tests.adapters.processors.sandboxes import ACCOUNT, START_AT, account, adapter, adapter_of, request
from tests.ports import free_port
from tests.sandbox.processes import Receiver, SandboxProcess


def test_a_snapshot_has_all_of_it(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    payer = {
        "id": "cus_1",
        "email": "zoe@example.com",
        "name": "Zoë",
        "locale": "de",
        "timezone": "Europe/Berlin",
        "country": "DE",
    }
    card = {"id": "pm_1", "network": "visa", "last4": "4242", "fingerprint": "fp_1", "expires": "2027-03"}
    sandbox.fail(
        customer=payer,
        card=card,
        amount_minor=4900,
        currency="USD",
        decline="insufficient_funds",
        products=["prod_team"],
        tags=["vip"],
    )
    seen = processor.snapshot(ACCOUNT, "in_1")
    assert (seen.taken_at, seen.live) == (START_AT, False)
    invoice = seen.invoice
    assert (invoice.status, invoice.amount_due_minor, invoice.currency) == (InvoiceStatus.OPEN, 4900, "usd")
    assert (invoice.first_failed_at, invoice.is_first, invoice.minimum_minor) == (START_AT, False, 50)
    assert (invoice.products, invoice.tags) == (("prod_team",), ("vip",))
    assert seen.subscription is not None
    assert seen.subscription.status is SubscriptionStatus.PAST_DUE
    assert seen.customer is not None
    assert (seen.customer.email, seen.customer.timezone, seen.customer.locale) == (
        "zoe@example.com",
        "Europe/Berlin",
        "de",
    )
    assert seen.default_method is not None
    assert (seen.default_method.card_key, seen.default_method.credential) == ("fp_1", "fp_1/2027-03")
    assert seen.default_method.rail is Rail.CARD
    (charge,) = seen.charges
    assert (charge.key, charge.status, charge.amount_minor) == (None, ChargeStatus.DECLINED, 4900)
    assert charge.decline is not None
    assert charge.decline.decline_code == "insufficient_funds"


def test_our_own_charge_carries_our_key_and_a_dispute_its_card(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    sandbox.fail(amount_minor=4900, card={"id": "pm_1", "fingerprint": "fp_1"})
    sandbox.script("succeed")
    processor.charge(request())
    paid = processor.snapshot(ACCOUNT, "in_1")
    assert paid.invoice.status is InvoiceStatus.PAID
    assert [charge.key for charge in paid.charges] == [None, "dunr-in_1-a1"]
    sandbox.control("POST", f"/charges/{paid.charges[1].processor_charge_id}/dispute")
    (dispute,) = processor.snapshot(ACCOUNT, "in_1").disputes
    assert (dispute.card_key, dispute.status, dispute.processor_invoice_id) == ("fp_1", DisputeStatus.OPEN, "in_1")


def test_an_unknown_invoice_is_missing_and_its_id_cannot_climb(processor: SandboxProcessor) -> None:
    for name in ("in_nobody", "../../account", "a/b?c=d#e", "%2e%2e"):
        with pytest.raises(ObjectMissing):
            processor.snapshot(ACCOUNT, name)


def test_a_reading_that_fails_is_unavailable(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    sandbox.fail()
    sandbox.set(snapshots_failing=True)
    with pytest.raises(SnapshotUnavailable, match="HTTP 503"):
        processor.snapshot(ACCOUNT, "in_1")
    nobody = adapter(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(SnapshotUnavailable):
        nobody.snapshot(ACCOUNT, "in_1")
    assert nobody.now(ACCOUNT) is None
    nobody.close()


def test_a_snapshot_of_the_other_mode_is_none(sandbox: SandboxProcess) -> None:
    sandbox.fail()
    live = adapter_of(sandbox, live=True)
    with pytest.raises(SnapshotUnavailable, match="mode"):
        live.snapshot(ACCOUNT, "in_1")
    live.close()


def test_the_invoices_of_a_subject(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    for invoice in ("in_1", "in_2"):
        sandbox.fail(invoice)
    sandbox.control("POST", "/invoices/in_1/void")
    assert list(processor.invoices_of(ACCOUNT, Subject(processor_subscription_id="sub_1"))) == ["in_1", "in_2"]
    assert list(processor.invoices_of(ACCOUNT, Subject(processor_customer_id="cus_1"))) == ["in_2"]
    assert list(processor.invoices_of(ACCOUNT, Subject())) == []
    with pytest.raises(ObjectMissing):
        processor.invoices_of(ACCOUNT, Subject(processor_customer_id="cus_nobody"))


def test_the_list_has_open_invoices_and_changed_ones_each_once(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    for number in range(205):
        sandbox.fail(f"in_{number}")
    sandbox.control("POST", "/invoices/in_7/void")
    sandbox.to("2026-07-23T10:00:00Z")
    sandbox.control("POST", "/invoices/in_8/void")
    listed = [one.processor_invoice_id for one in processor.list_invoices(ACCOUNT, START_AT + timedelta(days=28))]
    assert len(listed) == len(set(listed)) == 204
    assert "in_7" not in listed
    assert "in_8" in listed


def test_a_link_is_fresh_each_time_and_its_page_is_there(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    sandbox.fail()
    one, two = (processor.update_link(ACCOUNT, "cus_1", "in_1") for _ in range(2))
    assert one != two
    assert sandbox.http.get(one).status_code == 200
    with pytest.raises(ObjectMissing):
        processor.update_link(ACCOUNT, "cus_nobody", "in_1")


def test_the_clock_of_the_processor(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    assert processor.now(ACCOUNT) == START_AT
    sandbox.set(clock_offset_seconds=600)
    assert processor.now(ACCOUNT) == START_AT + timedelta(minutes=10)


def test_what_the_sandbox_signs_is_accepted_and_every_type_it_sends_is_known(
    tmp_path: object, receiver: Receiver
) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    sandbox = SandboxProcess(tmp_path, receiver.url)
    processor = adapter_of(sandbox)
    sandbox.fail(amount_minor=4900)
    sandbox.script("succeed")
    processor.charge(request())
    sandbox.control("DELETE", "/customers/cus_1")
    sandbox.quiet()
    for received in receiver.received:
        (inbound,) = processor.verify(received.body, {"Sandbox-Signature": received.signature or ""}, START_AT)
        assert inbound.event_type in SUPPORTED_EVENTS
        assert inbound.account == account().account
        processor.translate(inbound)
    assert {"invoice.payment_failed", "invoice.paid", "customer.deleted"} <= set(receiver.types)
    processor.close()
    sandbox.close()
