"""Stripe's own command line tool, driven against the sandbox: so that it is not only we who say it behaves.

It comes from npm, as a program for this machine. Where that cannot be had, these tests are skipped.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.stripe.conftest import KEY, StripeSandbox

PACKAGE = "@stripe/cli@1"
INSTALL_SECONDS = 90
RUN_SECONDS = 30

pytestmark = [pytest.mark.slow, pytest.mark.endurance]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("The Stripe CLI is not tested: there is no npm to fetch it with.")
    folder = tmp_path_factory.mktemp("stripe-cli")
    command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"The Stripe CLI is not tested: npm could not fetch {PACKAGE} ({type(error).__name__}).")
    found = folder / "node_modules" / ".bin" / "stripe"
    try:
        subprocess.run([found, "--version"], check=True, capture_output=True, timeout=RUN_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"The Stripe CLI is not tested: it does not run on this machine ({error}).")
    return found


class Cli:
    """The tool, with a home folder of its own and nobody to tell that it was used."""

    def __init__(self, program: Path, sandbox: StripeSandbox, home: Path) -> None:
        self._program, self._sandbox = program, sandbox
        self._environment = {**os.environ, "HOME": str(home), "STRIPE_CLI_TELEMETRY_OPTOUT": "1", "NO_COLOR": "1"}

    def __call__(self, *words: str) -> dict[str, Any]:
        command = [str(self._program), *words, "--api-base", self._sandbox.url, "--api-key", KEY]
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=RUN_SECONDS, env=self._environment, check=False
        )
        assert ran.stdout.strip(), ran.stderr
        said: dict[str, Any] = json.loads(ran.stdout)
        return said


@pytest.fixture
def cli(program: Path, sandbox: StripeSandbox, tmp_path: Path) -> Cli:
    return Cli(program, sandbox, tmp_path)


def test_the_tool_reads_declines_and_pays(cli: Cli, sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("decline:insufficient_funds", "succeed")
    assert cli("invoices", "retrieve", "in_1")["status"] == "open"
    assert [one["id"] for one in cli("invoices", "list", "--limit", "3", "--status", "open")["data"]] == ["in_1"]
    declined = cli("invoices", "pay", "in_1", "--payment-method", "pm_1", "--off-session=true", "--idempotency", "k1")
    assert declined["error"]["decline_code"] == "insufficient_funds"
    again = cli("invoices", "pay", "in_1", "--payment-method", "pm_1", "--off-session=true", "--idempotency", "k1")
    assert again == declined
    assert cli("invoices", "pay", "in_1", "-d", "payment_method=pm_1", "--idempotency", "k2")["status"] == "paid"
    assert sandbox.captures() == 1
    assert sandbox.outcomes() == ["declined", "replayed", "succeeded"]


def test_the_tool_reads_every_resource(cli: Cli, sandbox: StripeSandbox) -> None:
    made = sandbox.fail()
    for resource, record_id in (
        ("payment_intents", "pi_in_1"),
        ("charges", str(made["charge"])),
        ("customers", "cus_1"),
        ("payment_methods", "pm_1"),
        ("subscriptions", "sub_1"),
        ("events", str(made["event"])),
        ("webhook_endpoints", "we_sandbox"),
    ):
        assert cli(resource, "retrieve", record_id)["id"] == record_id
    expanded = cli("get", "/v1/invoices/in_1", "-d", "expand[]=payments", "-d", "expand[]=customer")
    assert expanded["payments"]["data"][0]["payment"]["payment_intent"] == "pi_in_1"
    assert expanded["customer"]["id"] == "cus_1"
    assert cli("get", "/v1/invoice_payments", "-d", "invoice=in_1")["data"][0]["is_default"] is True
    assert cli("get", "/v1/invoices/in_1", "--stripe-version", "2020-08-27")["subscription"] == "sub_1"


def test_the_tool_changes_things_and_hears_what_is_wrong(cli: Cli, sandbox: StripeSandbox) -> None:
    sandbox.fail()
    assert cli("invoices", "update", "in_1", "--auto-advance=false")["auto_advance"] is False
    session = cli(
        "post", "/v1/billing_portal/sessions", "-d", "customer=cus_1", "-d", "flow_data[type]=payment_method_update"
    )
    assert session["flow"]["type"] == "payment_method_update"
    assert cli("post", "/v1/invoices/in_1/pay", "-d", "metadata[a]=b")["error"]["code"] == "parameter_unknown"
    assert cli("post", "/v1/invoices/in_1/void", "--confirm")["status"] == "void"
    assert cli("invoices", "retrieve", "in_none")["error"]["code"] == "resource_missing"
