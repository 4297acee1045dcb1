"""`dunr connect stripe` and `dunr doctor` against a Stripe and a mail server of our own, as an operator runs them on the first day."""

import inspect
import json
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from stripe.params import WebhookEndpointCreateParams

from dunr.adapters.processors.stripe.endpoint import ENDPOINT_EVENTS, NOT_OF_CLASSIC_ENDPOINTS
from dunr.adapters.processors.stripe.events import SUPPORTED_EVENTS
from tests import nursery
from tests.cases.rehearsal import Json
from tests.cases.stripe.rehearsal import StripeRehearsal

DUNR = Path(sys.executable).with_name("dunr")
URL = "https://billing.example.com"
KEY = "rk_test_sandbox"
READS = ("charge", "customer", "payment_method", "payment_intent", "subscription", "dispute", "event", "account")
ALL_PERMISSIONS = dict.fromkeys(READS, "read") | dict.fromkeys(("invoice", "customer_portal", "webhook"), "write")


@pytest.fixture
def stripe(tmp_path: Path) -> Iterator[StripeRehearsal]:
    """Stripe alone; its only endpoint is ours on this machine."""
    running = StripeRehearsal(tmp_path, DUNR_STRIPE_API_KEY=KEY)
    try:
        running.start_sandbox()
        running.sandbox_ready()
        yield running
    finally:
        running.close()


def dunr(stripe: StripeRehearsal, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    without = {name: value for name, value in (stripe.environment | environment).items() if value}
    return nursery.run("dunr", *arguments, environment=without, folder=stripe.folder)


def checks(stripe: StripeRehearsal, **environment: str) -> tuple[int, dict[str, Json]]:
    done = dunr(stripe, "doctor", "--json", **environment)
    return done.returncode, {check["about"]: check for check in json.loads(done.stdout)["checks"]}


def permit(stripe: StripeRehearsal, permissions: dict[str, str]) -> None:
    assert stripe.psp.put(f"/sandbox/stripe/keys/{KEY}/permissions", json=permissions).is_success


def test_the_endpoint_is_told_what_the_adapter_uses_and_nothing_that_no_endpoint_can_tell() -> None:
    known = set(re.findall(r'"([a-z_0-9.]+)"', inspect.getsource(WebhookEndpointCreateParams)))
    assert set(ENDPOINT_EVENTS) <= known
    assert set(ENDPOINT_EVENTS) == SUPPORTED_EVENTS & known
    assert not NOT_OF_CLASSIC_ENDPOINTS & known


def test_without_a_key_it_is_printed_what_to_type_in_at_stripe(tmp_path: Path) -> None:
    done = nursery.run("dunr", "connect", "stripe", "--url", URL, folder=tmp_path, check=True)
    assert f"Endpoint: {URL}/webhooks/stripe" in done.stdout
    assert all(event in done.stdout for event in ENDPOINT_EVENTS)
    assert "Invoices: write" in done.stdout


def test_the_endpoint_is_made_once_and_its_secret_is_kept_and_shown_to_nobody(stripe: StripeRehearsal) -> None:
    place = stripe.folder / "secrets" / "webhooks"
    own = {"DUNR_WEBHOOK_SECRETS": "", "DUNR_WEBHOOK_SECRETS_FILE": str(place)}
    made = dunr(stripe, "connect", "stripe", "--url", URL, "--create", **own)
    assert made.returncode == 0, made.stderr
    (secret,) = place.read_text().split()
    assert secret.startswith("whsec_")
    assert secret not in made.stdout + made.stderr
    assert stat.S_IMODE(place.stat().st_mode) == 0o600

    again = dunr(stripe, "connect", "stripe", "--url", URL, "--create", **own)
    assert "was there and tells all that is needed" in again.stdout
    assert place.read_text().split() == [secret]
    (asked,) = stripe.asked("webhook_endpoints.create")
    assert asked["parameters"]["url"] == f"{URL}/webhooks/stripe"

    found = checks(stripe, DUNR_PUBLIC_URL=URL, **own)[1]
    assert found["stripe: events"]["level"] == "ok"


def test_an_endpoint_that_lacks_events_is_completed(stripe: StripeRehearsal) -> None:
    place = stripe.folder / "webhooks"
    own = {"DUNR_WEBHOOK_SECRETS": "", "DUNR_WEBHOOK_SECRETS_FILE": str(place)}
    url, local = f"http://127.0.0.1:{stripe.port}", "/sandbox/stripe/webhook_endpoints/we_sandbox"
    assert stripe.psp.patch(local, json={"enabled_events": ["invoice.paid", "plan.created"]}).is_success
    place.write_text("whsec_rehearsal\n")
    code, found = checks(stripe, DUNR_PUBLIC_URL=url, **own)
    assert (code, found["stripe: events"]["level"]) == (1, "failed")
    assert "invoice.payment_failed" in found["stripe: events"]["found"]
    done = dunr(stripe, "connect", "stripe", "--url", url, "--create", **own)
    assert "now also tells" in done.stdout, done.stderr
    found = checks(stripe, DUNR_PUBLIC_URL=url, **own)[1]
    assert (found["stripe: events"]["level"], "plan.created" in found["stripe: events"]["found"]) == ("warning", True)


def test_nothing_is_made_where_the_secret_has_no_place_or_the_key_may_not(stripe: StripeRehearsal) -> None:
    homeless = dunr(stripe, "connect", "stripe", "--url", URL, "--create")
    assert (homeless.returncode, "webhook_secrets_file" in homeless.stderr) == (1, True)
    permit(stripe, {"invoice": "write"})
    own = {"DUNR_WEBHOOK_SECRETS": "", "DUNR_WEBHOOK_SECRETS_FILE": str(stripe.folder / "webhooks")}
    refused = dunr(stripe, "connect", "stripe", "--url", URL, "--create", **own)
    assert (refused.returncode, "needs write for Webhook endpoints" in refused.stderr) == (1, True)
    assert dunr(stripe, "connect", "stripe", "--url", "http://billing.example.com").returncode == 2


def test_the_doctor_finds_all_well_and_then_each_permission_that_is_missing(stripe: StripeRehearsal) -> None:
    permit(stripe, ALL_PERMISSIONS)
    url = f"http://127.0.0.1:{stripe.port}"
    code, found = checks(stripe, DUNR_PUBLIC_URL=url)
    assert (code, [about for about, check in found.items() if check["level"] == "failed"]) == (0, [])
    assert found["stripe: its own mails"]["level"] == "warning"

    permit(stripe, ALL_PERMISSIONS | {"invoice": "read", "event": "none"})
    code, found = checks(stripe, DUNR_PUBLIC_URL=url)
    lacking = [about for about, check in found.items() if check["level"] == "failed"]
    assert (code, lacking) == (1, ["stripe: permission Invoices (write)", "stripe: permission Events (read)"])
    assert not any(request["captured"] for request in stripe.psp.get("/sandbox/charges").json())


def test_the_doctor_sees_a_revoked_key_another_account_and_a_clock_that_is_off(stripe: StripeRehearsal) -> None:
    stripe.set(clock_offset_seconds=600)
    found = checks(stripe)[1]
    assert found["stripe: clock"]["level"] == "failed"
    stripe.set(clock_offset_seconds=0, api_key_revoked=True)
    assert checks(stripe)[1]["stripe: key"]["level"] == "failed"
    stripe.set(api_key_revoked=False)
    assert "belongs to acct_sandbox" in checks(stripe, DUNR_ACCOUNT="acct_other")[1]["stripe: key"]["found"]


def test_the_doctor_sees_stripes_own_retries_a_brake_and_mail_that_cannot_leave(stripe: StripeRehearsal) -> None:
    stripe.set(retries_by_itself=True, drop_webhooks=True)
    stripe.fail("in_1")
    assert dunr(stripe, "stop", "--charges").returncode == 0
    mail = {"DUNR_MAILER": "smtp", "DUNR_SMTP_HOST": "127.0.0.1", "DUNR_SMTP_PORT": "1"}
    mail |= {"DUNR_MAIL_FROM": "billing@example.com", "DUNR_MERCHANT_NAME": "Shop"}
    code, found = checks(stripe, **mail)
    assert (code, found["mail: server"]["level"], found["mail: sender"]["level"]) == (1, "failed", "ok")
    assert (found["brake"]["level"], found["stripe: own retries"]["level"]) == ("warning", "warning")
    assert "1 of the 1" in found["stripe: own retries"]["found"]
