"""Who is let in: keys of either mode, restricted ones, connected accounts, versions, and how fast."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from stripe import AuthenticationError, InvalidRequestError, RateLimitError
from stripe import PermissionError as NotPermitted

from tests.sandbox.processes import Receiver
from tests.sandbox.stripe.conftest import StripeSandbox, said


def test_a_key_that_nobody_gave_is_refused_and_shown_masked(sandbox: StripeSandbox) -> None:
    with pytest.raises(AuthenticationError) as refused:
        sandbox.client("sk_test_4242424242").v1.balance.retrieve()
    assert said(refused.value)["message"] == "Invalid API Key provided: sk_test_******4242"
    assert httpx.get(f"{sandbox.url}/v1/balance").status_code == 401
    sandbox.set(api_key_revoked=True)
    with pytest.raises(AuthenticationError) as expired:
        sandbox.stripe.v1.balance.retrieve()
    assert said(expired.value)["code"] == "api_key_expired"


def test_a_key_may_come_as_the_user_name_of_basic(sandbox: StripeSandbox) -> None:
    assert httpx.get(f"{sandbox.url}/v1/balance", auth=("sk_test_sandbox", "")).json()["object"] == "balance"


def test_a_key_of_the_other_mode_sees_nothing(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    live = sandbox.client("sk_live_sandbox").v1
    assert live.invoices.list().data == []
    assert live.balance.retrieve().livemode is True
    with pytest.raises(InvalidRequestError) as missing:
        live.invoices.retrieve("in_1")
    assert said(missing.value)["message"] == (
        "No such invoice: 'in_1'; a similar object exists in test mode, but a live mode key was used to make this request."
    )
    assert missing.value.http_status == 404


def test_in_live_mode_the_objects_and_events_say_so(tmp_path: Path, receiver: Receiver) -> None:
    sandbox = StripeSandbox(tmp_path, receiver.url, "--live")
    sandbox.fail()
    sandbox.quiet()
    assert sandbox.client("sk_live_sandbox").v1.invoices.retrieve("in_1").livemode is True
    assert sandbox.stripe.v1.invoices.list().data == []
    assert all(one.json["livemode"] for one in receiver.received)
    sandbox.close()


def test_a_restricted_key_is_told_which_permission_it_lacks(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    restricted = sandbox.client("rk_test_sandbox").v1
    assert restricted.invoices.retrieve("in_1").id == "in_1", "as long as nobody restricts it further"
    allowed = sandbox.http.put(
        "/sandbox/stripe/keys/rk_test_sandbox/permissions", json={"invoice": "read", "customer": "write"}
    )
    assert allowed.status_code == 200
    assert restricted.invoices.retrieve("in_1").id == "in_1"
    assert restricted.customers.retrieve("cus_1").id == "cus_1"
    with pytest.raises(NotPermitted, match="'rak_invoice_write'") as refused:
        restricted.invoices.pay("in_1", {"payment_method": "pm_1"})
    assert refused.value.http_status == 403
    with pytest.raises(NotPermitted, match="'rak_charge_read'"):
        restricted.charges.list()
    sandbox.stripe.v1.charges.list()


def test_too_many_requests_are_told_to_come_again(sandbox: StripeSandbox) -> None:
    sandbox.set(rate_limit_per_second=1)
    refused = None
    for _ in range(5):
        try:
            sandbox.stripe.v1.balance.retrieve()
        except RateLimitError as error:
            refused = error
            break
    assert refused is not None
    assert refused.headers is not None
    assert said(refused)["code"] == "rate_limit"
    assert refused.headers["stripe-should-retry"] == "true"
    assert refused.headers["request-id"].startswith("req_")


@pytest.mark.parametrize("version", ["2019-12-03", "newest", "2025-03-31 basil"])
def test_a_version_that_is_none_is_refused(sandbox: StripeSandbox, version: str) -> None:
    with pytest.raises(InvalidRequestError, match="Invalid Stripe API version"):
        sandbox.client(version=version).v1.balance.retrieve()


def test_a_request_without_a_version_gets_the_account_s_own(tmp_path: Path, receiver: Receiver) -> None:
    sandbox = StripeSandbox(tmp_path, receiver.url, "--stripe-version", "2020-08-27")
    sandbox.fail()
    answer = httpx.get(f"{sandbox.url}/v1/invoices/in_1", auth=("sk_test_sandbox", ""))
    assert answer.headers["stripe-version"] == "2020-08-27"
    assert answer.json()["subscription"] == "sub_1"
    sandbox.quiet()
    assert {one.json["api_version"] for one in receiver.received} == {"2020-08-27"}
    sandbox.close()


@pytest.fixture
def platform(tmp_path: Path, receiver: Receiver) -> Iterator[StripeSandbox]:
    """The books belong to the account acct_sandbox, which is connected to a platform."""
    process = StripeSandbox(tmp_path, receiver.url, "--stripe-platform", "acct_platform")
    yield process
    process.close()


def test_a_connected_account_must_be_named(platform: StripeSandbox, receiver: Receiver) -> None:
    platform.fail()
    with pytest.raises(InvalidRequestError, match=r"No such invoice: 'in_1'$"):
        platform.stripe.v1.invoices.retrieve("in_1")
    connected = platform.client(account="acct_sandbox")
    assert connected.v1.invoices.retrieve("in_1").id == "in_1"
    answer = connected.raw_request("get", "/v1/invoices/in_1")
    assert answer.headers["stripe-account"] == "acct_sandbox"
    with pytest.raises(NotPermitted, match="does not have access to account 'acct_other'"):
        platform.client(account="acct_other").v1.invoices.retrieve("in_1")
    assert platform.stripe.v1.accounts.retrieve_current().id == "acct_platform"
    platform.quiet()
    assert {one.json["account"] for one in receiver.received} == {"acct_sandbox"}


def test_a_call_that_is_none_is_told_so(sandbox: StripeSandbox) -> None:
    with pytest.raises(InvalidRequestError, match="Unrecognized request URL"):
        sandbox.stripe.v1.coupons.list()
    with pytest.raises(InvalidRequestError, match="Unrecognized request URL"):
        sandbox.stripe.raw_request("delete", "/v1/balance")
