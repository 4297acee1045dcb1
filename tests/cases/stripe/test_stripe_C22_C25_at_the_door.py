"""C22 to C25 at Stripe's door: the bytes as they came, the age of a signature, secrets that roll, and events of the other mode."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from tests.cases.rehearsal import Json, signature
from tests.cases.stripe.rehearsal import StripeRehearsal

OLD, NEW, IN_FORCE = "whsec_the_old_one", "whsec_the_new_one", "whsec_rehearsal"
MINUTE, HOUR = 60, 3600

# Escapes beside raw letters, a float, escaped slashes, odd spaces, an unusual order and a newline at the end.
ODD_BODY = (
    '{ "livemode":false,"data":{"object":{"note":"Zo\\u00eb and Zoë","id":"INVOICE" , "rate":1.0,\t"customer":"cus_1",'
    '"object":"invoice","page":"https:\\/\\/shop.example\\/a","subscription":"sub_INVOICE"}},\r\n'
    '"type":"invoice.payment_failed","object":"event",  "id":"evt_INVOICE","created":1782208800 }\n'
)


@dataclass
class Door:
    """The intake, with its secrets in a file, and invoices whose failure nobody has told yet."""

    stripe: StripeRehearsal
    secrets: Path

    def fail(self, invoice: str) -> bytes:
        """An invoice fails, and Stripe's own webhook is lost; the event that tells of it, still to be sent."""
        self.stripe.fail(invoice, card=f"card_{invoice}", send_webhook=False)
        return ODD_BODY.replace("INVOICE", invoice).encode()

    def header(self, body: bytes, *secrets: str, seconds: int = 0) -> str:
        at = self.stripe.now() + timedelta(seconds=seconds)
        return signature(body, at, *(secrets or (IN_FORCE,)))

    def send(self, body: bytes, header: str | None, **headers: str) -> httpx.Response:
        answer = self.stripe.deliver(body, header, **headers)
        self.stripe.settle()
        return answer

    def opens(self, invoice: str, header_of: str = "v1", *secrets: str, seconds: int = 0) -> bool:
        """Whether the failure of an invoice, signed so, was taken and opened its case; a refused one must leave no trace."""
        body = self.fail(invoice)
        header = self.header(body, *secrets, seconds=seconds).replace("v1=", f"{header_of}=")
        answer = self.send(body, header)
        assert answer.status_code in (200, 400), answer.text
        assert (self.stripe.find(invoice) is not None) == answer.is_success
        return answer.is_success


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    folder = tmp_path_factory.mktemp("door")
    secrets = folder / "webhook-secrets"
    secrets.write_text(f"{IN_FORCE}\n")
    stripe = StripeRehearsal(folder, DUNR_WEBHOOK_SECRETS_FILE=str(secrets))
    del stripe.environment["DUNR_WEBHOOK_SECRETS"]
    try:
        stripe.start_sandbox()
        stripe.start_serve()
        stripe.sandbox_ready()
        yield Door(stripe, secrets)
    finally:
        stripe.close()


def test_c23_a_clock_seven_minutes_ahead_refuses_all_tells_one_person_once_and_loses_nothing(door: Door) -> None:
    """Stripe's events as Stripe sends them: refused while our clock is wrong, and redelivered by Stripe until it is right."""
    stripe = door.stripe  # no event was refused for its age yet: a wrong clock is told once
    stripe.set(clock_offset_seconds=-7 * MINUTE)
    invoices = [f"in_23_skewed_{number}" for number in range(10)]
    for invoice in invoices:
        body = {"invoice": invoice, "subscription": f"sub_{invoice}", "card": {"id": f"card_{invoice}"}}
        assert stripe.psp.post("/sandbox/failures", json=body | {"customer": {"id": f"cus_{invoice}"}}).is_success
    stripe.settle()
    sent = [one for one in stripe.psp.get("/sandbox/webhooks").json() if "in_23_skewed" in one["body"]]
    assert {one["response_status"] for one in sent if one["attempt"] == 1} == {400}
    assert [one["invoice"] for one in stripe.cases() if one["invoice"] in invoices] == []
    (skew,) = stripe.alerts("clock_skew")
    assert "420 seconds" in skew["text"]
    stripe.set(clock_offset_seconds=0)
    stripe.advance(seconds=2 * HOUR)
    assert {one["invoice"] for one in stripe.cases()} >= set(invoices)
    assert len(stripe.alerts("clock_skew")) == 1


def test_c22_the_bytes_as_signed_are_taken_and_the_same_json_dumped_anew_is_not(door: Door) -> None:
    body = door.fail("in_22")
    header = door.header(body)
    dumped_anew = json.dumps(json.loads(body)).encode()
    for changed in (
        dumped_anew,
        body.rstrip(b"\n"),
        body.replace(b"1.0", b"1.00"),
        body.replace(b"\\u00eb", b"\xc3\xab"),
    ):
        refused = door.send(changed, header)
        assert (refused.status_code, refused.json()["title"]) == (400, "Bad signature")
    assert door.stripe.find("in_22") is None
    latin = {"content-type": "application/json; charset=iso-8859-1"}
    assert door.send(body, header, **latin).status_code == 200
    assert door.stripe.case("in_22")["state"] == "scheduled"


def test_c22_a_packed_body_is_refused_whichever_bytes_were_signed(door: Door) -> None:
    body = door.fail("in_22_packed")
    packed = gzip.compress(body)
    for signed in (body, packed):
        refused = door.send(packed, door.header(signed), **{"content-encoding": "gzip"})
        assert refused.status_code == 415, refused.text
    assert door.stripe.find("in_22_packed") is None


@pytest.mark.parametrize(
    ("name", "seconds", "taken"),
    [
        ("too_old", -301, False),
        ("just_old", -299, True),
        ("just_ahead", 299, True),
        ("too_far_ahead", 301, False),
        ("an_hour_ahead", HOUR, False),
    ],
)
def test_c23_five_minutes_are_allowed_on_both_sides(door: Door, name: str, seconds: int, taken: bool) -> None:
    assert door.opens(f"in_23_{name}", seconds=seconds) == taken


def test_c23_an_event_that_was_good_at_the_door_is_applied_however_late_it_is_picked_up(door: Door) -> None:
    body = door.fail("in_23_late")
    door.stripe.set(snapshots_failing=True)
    assert door.send(body, door.header(body)).status_code == 200
    door.stripe.advance(seconds=40 * MINUTE)
    assert door.stripe.find("in_23_late") is None
    door.stripe.set(snapshots_failing=False)
    door.stripe.advance(seconds=15 * MINUTE)
    assert door.stripe.case("in_23_late")["state"] == "scheduled"


def test_c24_any_mark_that_fits_any_secret_is_enough_and_the_old_one_is_refused_once_it_is_gone(door: Door) -> None:
    process = door.stripe.processes["serve"]
    door.secrets.write_text(f"{OLD}\n")
    assert door.opens("in_24_a", "v1", OLD, NEW)  # Stripe rolls first: both marks, and we know the old secret
    assert not door.opens("in_24_b", "v1", NEW)
    door.secrets.write_text(f"{OLD}\n{NEW}\n")
    assert door.opens("in_24_c", "v1", OLD)
    assert door.opens("in_24_d", "v1", NEW)
    door.secrets.write_text(f"{NEW}\n")
    assert door.opens("in_24_e", "v1", OLD, NEW)
    assert not door.opens("in_24_f", "v1", OLD)
    assert not door.opens("in_24_g", "v0", NEW)
    no_mark = door.fail("in_24_h")
    assert door.send(no_mark, f"t={int(door.stripe.now().timestamp())}").status_code == 400
    assert door.send(no_mark, None).status_code == 400
    assert door.stripe.processes["serve"] is process
    assert process.poll() is None
    door.secrets.write_text(f"{IN_FORCE}\n")


@pytest.mark.parametrize("other", [{"livemode": True}, {"account": "acct_of_somebody_else"}])
def test_c25_a_signed_event_of_another_mode_or_account_is_written_down_and_changes_nothing(
    door: Door, other: Json
) -> None:
    name = f"in_25_{next(iter(other))}"
    body = json.dumps(json.loads(door.fail(name)) | other).encode()
    mails_before = len(door.stripe.mails())
    assert door.send(body, door.header(body)).status_code == 200
    assert (door.stripe.find(name), door.stripe.requests(name)) == (None, [])
    assert len(door.stripe.mails()) == mails_before
    assert door.stripe.access(f"sub_{name}") == "granted"
    (letter,) = [one for one in door.stripe.letters("ignored") if one["key"].endswith(f":evt_{name}")]
    assert letter["note"] in ("it is of live mode, and this is test mode", "it belongs to another account")
    assert letter["tries_count"] == 0


def test_c25_a_live_event_about_a_case_that_exists_here_leaves_it_as_it_is(door: Door) -> None:
    assert door.opens("in_25_here")
    before = door.stripe.case("in_25_here")
    event = {"id": "evt_25_live", "object": "event", "type": "invoice.voided", "livemode": True}
    body = json.dumps(event | {"data": {"object": {"id": "in_25_here"}}}).encode()
    assert door.send(body, door.header(body)).status_code == 200
    assert door.stripe.case("in_25_here") == before
