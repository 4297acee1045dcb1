"""C52: a mail follows a fact. No receipt before the money, one failure mail for one failure, and silence where nothing was due."""

from pathlib import Path

from tests.cases.rehearsal import KEY, Json, Rehearsal, payer, rehearse


def billing_run(world: Rehearsal, invoice: str, card: str) -> None:
    """The processor charges the renewal by itself."""
    run = world.psp.post(
        f"/processor/v1/invoices/{invoice}/charge",
        headers={"authorization": f"Bearer {KEY}"},
        json={"amount_minor": 4900, "currency": "usd", "card": card},
    )
    assert run.status_code == 402, run.text
    world.settle()


def test_one_failure_mail_one_receipt_when_it_is_paid_and_silence_where_nothing_is_due(tmp_path: Path) -> None:
    with rehearse(tmp_path, start="2026-06-23T00:00:00Z") as world:
        renewal: Json = {
            "invoice": "in_52",
            "subscription": "sub_52",
            "customer": payer("ada"),
            "card": {"id": "card_52"},
        }
        world.tell("/sandbox/invoices", renewal)
        zero: Json = {"amount_minor": 0}
        for status in ("open", "paid"):
            about: Json = {"invoice": f"in_{status}", "subscription": f"sub_{status}", "customer": payer(status)}
            told = world.tell("/sandbox/invoices", about | zero | {"status": status})
            world.tell(f"/sandbox/webhooks/{told['event']}/resend", {"times": 3})
            world.event(type="invoice.paid", data=about | {"customer": f"cus_{status}"})
        world.advance("2026-06-23T00:01:00Z")
        assert (world.mails(), world.cases()) == ([], [])

        world.script("card_52", "decline:insufficient_funds", "decline:insufficient_funds", "succeed")
        billing_run(world, "in_52", "card_52")
        assert world.case("in_52")["state"] == "scheduled"
        world.advance("2026-06-23T23:59:00Z")
        (mail,) = world.mails()
        assert (mail["kind"], mail["at"][:16]) == ("first", "2026-06-23T08:00")  # in the payer's daytime

        world.advance("2026-07-20T00:00:00Z")
        assert [mail["kind"] for mail in world.mails()] == ["first", "reminder", "receipt"]
        (receipt,) = world.mails("receipt")
        assert (receipt["to"], receipt["at"][:16]) == ("ada@example.com", "2026-06-29T09:00")
        assert world.captures("in_52") == 1
        assert [case["invoice"] for case in world.cases()] == ["in_52"]
        assert [world.access(f"sub_{status}") for status in ("open", "paid")] == ["granted", "granted"]
