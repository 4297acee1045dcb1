"""What people, banks and operators do to invoices, and what a snapshot says of it."""

import pytest

from tests.sandbox.processes import Receiver, SandboxProcess


def test_a_snapshot_says_everything_in_one_read(sandbox: SandboxProcess) -> None:
    made = sandbox.fail(
        customer={"id": "cus_1", "email": "ada@example.test", "name": "Ada", "locale": "de-DE"}
        | {"timezone": "Europe/Berlin", "country": "DE"},
        card={"id": "pm_1", "network": "mastercard", "last4": "4444", "fingerprint": "fp_x", "expires": "2027-03"},
        amount_minor=1900,
        currency="EUR",
        decline={"code": "card_declined", "decline_code": "do_not_honor", "advice_code": "try_again_later"},
        period_end_at="2026-07-23T00:00:00Z",
        failed_at="2026-06-23T08:00:00Z",
        products=["prod_team"],
        tags=["annual", "vip"],
    )
    assert sandbox.snapshot() == {
        "taken_at": "2026-06-23T10:00:00Z",
        "account": "acct_sandbox",
        "live": False,
        "invoice": {
            "id": "in_1",
            "status": "open",
            "amount_total_minor": 1900,
            "amount_due_minor": 1900,
            "credited_minor": 0,
            "currency": "eur",
            "first_failed_at": "2026-06-23T08:00:00Z",
            "collection_method": "charge_automatically",
            "first_invoice": False,
            "created_at": "2026-06-23T08:00:00Z",
            "minimum_minor": 50,
            "products": ["prod_team"],
            "tags": ["annual", "vip"],
        },
        "subscription": {"id": "sub_1", "status": "past_due", "period_end_at": "2026-07-23T00:00:00Z"},
        "customer": {"id": "cus_1", "deleted": False, "email": "ada@example.test", "name": "Ada", "locale": "de-DE"}
        | {"timezone": "Europe/Berlin", "country": "DE"},
        "methods": [
            {"id": "pm_1", "fingerprint": "fp_x", "network": "mastercard", "rail": "card", "last4": "4444"}
            | {"expires": "2027-03", "country": None, "usable": True}
            | {"network_token": False, "backup": False, "came_with_subscription": None}
        ],
        "charges": [
            {"id": made["charge"], "invoice": "in_1", "customer": "cus_1", "key": None, "amount_minor": 1900}
            | {"currency": "eur", "card": "pm_1", "card_fingerprint": "fp_x", "status": "declined"}
            | {"at": "2026-06-23T08:00:00Z", "settled_at": None, "refunded_minor": 0, "return_code": None}
            | {"intent": None}
            | {
                "decline": {
                    "code": "card_declined",
                    "decline_code": "do_not_honor",
                    "advice_code": "try_again_later",
                    "network_decline_code": None,
                    "network_advice_code": None,
                }
            }
        ],
        "disputes": [],
        "next_attempt_at": None,
        "collects_by_itself": False,
        "retries_by_itself": False,
    }


def test_a_failure_told_twice_is_one_failure(sandbox: SandboxProcess, receiver: Receiver) -> None:
    first = sandbox.control("POST", "/failures", invoice="in_9", card={"id": "pm_9"})
    again = sandbox.control("POST", "/failures", invoice="in_9")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    sandbox.quiet()
    assert len(receiver.received) == 1


def test_failures_of_every_odd_kind(sandbox: SandboxProcess, receiver: Receiver) -> None:
    without_card = sandbox.fail("in_bare", customer={"id": "cus_bare"}, subscription="sub_bare", card=None)
    assert without_card["charge"] is None
    assert (sandbox.snapshot("in_bare")["methods"], sandbox.snapshot("in_bare")["charges"]) == ([], [])
    sandbox.fail("in_first", subscription="sub_first", first_invoice=True, collection_method="send_invoice")
    seen = sandbox.snapshot("in_first")
    assert isinstance(seen["subscription"], dict)
    assert seen["subscription"]["status"] == "incomplete"
    assert sandbox.invoice("in_first")["collection_method"] == "send_invoice"
    sandbox.fail("in_silent", send_webhook=False)
    sandbox.quiet()
    assert len(receiver.received) == 2
    assert (
        sandbox.control("POST", "/failures", invoice="in_x", customer={"id": "cus_2"}, card={"id": "pm_1"}).status_code
        == 409
    )
    unknown = sandbox.control("POST", "/failures", invoise="in_x")
    assert unknown.status_code == 422
    assert "invoise" in unknown.json()["detail"]
    assert sandbox.http.post("/sandbox/failures", content=b"{nonsense").status_code == 422


def test_credits_and_part_payments_shrink_what_is_due(sandbox: SandboxProcess, receiver: Receiver) -> None:
    sandbox.fail(amount_minor=10_000)
    sandbox.control("POST", "/invoices/in_1/credit", amount_minor=2500)
    sandbox.control("POST", "/invoices/in_1/pay", amount_minor=4000)
    assert (sandbox.invoice()["amount_due_minor"], sandbox.invoice()["credited_minor"]) == (3500, 2500)
    sandbox.script("succeed")
    assert sandbox.charge("a1", amount_minor=10_000).json()["error"]["code"] == "amount_too_large"
    assert sandbox.charge("a1", amount_minor=3500).status_code == 200
    assert sandbox.invoice()["status"] == "paid"
    sandbox.quiet()
    assert receiver.types == [
        "invoice.payment_failed",
        "invoice.updated",
        "charge.succeeded",
        "invoice.updated",
        "charge.succeeded",
        "invoice.paid",
        "subscription.updated",
    ]
    assert sandbox.control("POST", "/invoices/in_1/pay").status_code == 409
    assert sandbox.control("POST", "/invoices/in_1/pay", force=True, amount_minor=100).status_code == 200
    assert sandbox.captures() == 3


@pytest.mark.parametrize(("act", "status"), [("void", "void"), ("write_off", "written_off")])
def test_an_ended_invoice_takes_no_charge(sandbox: SandboxProcess, receiver: Receiver, act: str, status: str) -> None:
    sandbox.fail()
    for _ in range(2):
        assert sandbox.control("POST", f"/invoices/in_1/{act}").json()["invoice"]["status"] == status
    assert sandbox.charge("a1").json()["error"]["code"] == "invoice_not_payable"
    sandbox.quiet()
    assert receiver.types == [
        "invoice.payment_failed",
        "invoice." + {"void": "voided"}.get(status, status),
        "subscription.updated",
    ]
    assert sandbox.control("POST", "/invoices/in_none/void").status_code == 404


def test_disputes_returns_and_refunds(sandbox: SandboxProcess, receiver: Receiver) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    charge = sandbox.charge("a1").json()["charge"]["id"]
    (request,) = sandbox.requests()
    dispute = sandbox.control("POST", f"/charges/{request['id']}/dispute").json()["dispute"]
    assert dispute["charge"] == charge
    assert sandbox.control("POST", "/charges/req_none/refund").status_code == 404
    assert sandbox.control("POST", f"/charges/{charge}/dispute").status_code == 409
    assert sandbox.invoice()["status"] == "paid"
    closed = sandbox.control("POST", f"/disputes/{dispute['id']}/close", status="lost", reinstated=True).json()
    assert sandbox.snapshot()["disputes"] == [closed["dispute"]]
    assert (closed["dispute"]["status"], closed["dispute"]["reinstated"]) == ("lost", True)
    sandbox.control("POST", f"/charges/{charge}/refund", amount_minor=900)
    assert sandbox.control("POST", f"/charges/{charge}/refund", amount_minor=4001).status_code == 409
    assert sandbox.found("a1")[0]["refunded_minor"] == 900
    returned = sandbox.control("POST", f"/charges/{charge}/return", code="R09").json()
    assert (returned["charge"]["status"], returned["charge"]["return_code"]) == ("returned", "R09")
    assert (returned["invoice"]["status"], returned["invoice"]["amount_due_minor"]) == ("open", 4900)
    sandbox.quiet()
    assert receiver.types[4:] == [
        "dispute.opened",
        "dispute.closed",
        "charge.refunded",
        "charge.returned",
        "invoice.updated",
        "subscription.updated",
    ]
    assert sandbox.charge("a2").status_code == 200


def test_lists_are_paged_by_change(sandbox: SandboxProcess) -> None:
    for number in range(5):
        sandbox.fail(f"in_{number}")
    seen, cursor = [], None
    while True:
        params = {"status": "open", "limit": "2"} | ({} if cursor is None else {"cursor": cursor})
        page = sandbox.http.get("/processor/v1/invoices", params=params).json()
        seen += [row["id"] for row in page["invoices"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sorted(seen) == [f"in_{number}" for number in range(5)]
    sandbox.to("2026-06-24T10:00:00Z")
    sandbox.control("POST", "/invoices/in_3/pay")
    since = {"updated_since": "2026-06-24T00:00:00Z"}
    rows = sandbox.http.get("/processor/v1/invoices", params=since).json()["invoices"]
    assert [(row["id"], row["customer"], row["subscription"]) for row in rows] == [("in_3", "cus_1", "sub_1")]
    recent = sandbox.http.get("/processor/v1/charges/recent", params={"since": "2026-06-24T00:00:00Z"}).json()
    assert [(charge["invoice"], charge["status"]) for charge in recent["charges"]] == [("in_3", "succeeded")]
    for bad in ("cursor=x", "limit=0", "updated_since=yesterday"):
        assert sandbox.http.get(f"/processor/v1/invoices?{bad}").status_code == 400


def test_invoices_that_have_not_failed(sandbox: SandboxProcess, receiver: Receiver) -> None:
    made = sandbox.control("POST", "/invoices", invoice="in_free", amount_minor=0, status="paid").json()
    assert (made["status"], sandbox.invoice("in_free")["amount_due_minor"]) == ("paid", 0)
    sandbox.control("POST", "/invoices", invoice="in_new", status="open", send_webhook=False)
    assert sandbox.invoice("in_new")["first_failed_at"] is None
    sandbox.quiet()
    assert receiver.types == ["invoice.paid"]


def test_a_wrong_address_is_answered_in_the_words_of_its_face(sandbox: SandboxProcess) -> None:
    assert sandbox.http.get("/processor/v1/nothing").json()["error"]["code"] == "not_found"
    answer = sandbox.http.get("/sandbox/nothing")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_a_wrong_setting_or_script_is_refused_with_what_would_be_right(sandbox: SandboxProcess) -> None:
    wrong = sandbox.control("PATCH", "/settings", key_lives=3)
    assert wrong.status_code == 422
    assert "key_life_seconds" in wrong.json()["detail"]
    assert sandbox.control("PATCH", "/settings", key_life_seconds=-1).status_code == 422
    assert sandbox.http.put("/sandbox/cards/pm_1/script", json=["explode"]).status_code == 422
    assert sandbox.http.put("/sandbox/cards/pm_1/script", json=[]).status_code == 422
    assert sandbox.http.get("/sandbox/settings").json()["key_life_seconds"] == 86_400
