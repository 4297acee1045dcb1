"""C08 at Stripe: work that died is taken up again thirty hours later, when Stripe has forgotten its key: it is looked up first, and never sent blindly."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.cases.rehearsal import payer, until
from tests.cases.stripe.rehearsal import StripeRehearsal

MONDAY, TUESDAY = "2026-06-29T09:00:00Z", "2026-06-30T15:00:00Z"


def test_c08_what_worked_before_the_crash_is_found_and_what_never_began_is_made_under_a_new_key(
    stripe: StripeRehearsal,
) -> None:
    stripe.script("card_worked", "decline:insufficient_funds", "slow:3:succeed")
    stripe.script("card_never", "decline:insufficient_funds", "refuse:503", "succeed")
    for name in ("never", "worked"):
        stripe.fail(f"in_{name}", card=f"card_{name}", customer=payer(name))
    stripe.advance("2026-06-29T08:59:59Z")
    stripe.set(drop_webhooks=True)
    with ThreadPoolExecutor(1) as aside:
        moving = aside.submit(stripe.advance, MONDAY)
        until(lambda: stripe.captures("in_worked") == 1)
        assert len(stripe.requests("in_never")) == 2
        stripe.kill("serve")
        with pytest.raises(httpx.TransportError):
            moving.result()
    stripe.start_serve()
    stripe.set(lookups_failing=True, snapshots_failing=True)
    assert [stripe.case(f"in_{name}")["attempt_in_flight"] for name in ("never", "worked")] == [2, 2]
    stripe.advance(TUESDAY)

    assert [stripe.case(f"in_{name}")["attempt_in_flight"] for name in ("never", "worked")] == [2, 2]
    assert len(stripe.alerts("unsettled_attempt")) == 2
    stripe.set(drop_webhooks=False, lookups_failing=False, snapshots_failing=False)
    # An operator takes the work up again; the look that comes first finds the payment.
    redriven = [stripe.act(f"in_{name}", "retry") for name in ("never", "worked")]
    assert [answer.status_code for answer in redriven] == [409, 409]
    assert "recovered" in redriven[1].json()["detail"]
    assert "processing" in redriven[0].json()["detail"]
    stripe.advance("2026-07-20T00:00:00Z")

    assert [request["key"] for request in stripe.requests("in_worked")] == ["dunr-in_worked-a1", "dunr-in_worked-a2"]
    assert (stripe.captures("in_worked"), stripe.case("in_worked")["state"]) == (1, "recovered")
    assert stripe.mails_to("worked@example.com") == ["first", "reminder", "receipt"]
    assert stripe.balance("in_worked") == {"receivable": 0, "billed": -4900, "processor": 4900}
    asked = [(request["key"], request["at"] > TUESDAY) for request in stripe.requests("in_never")]
    assert asked == [("dunr-in_never-a1", False), ("dunr-in_never-a2", False), ("dunr-in_never-a3", True)]
    assert stripe.captures("in_never") == 1
    outcomes = [attempt["outcome"] for attempt in stripe.case("in_never")["attempts"]]
    assert outcomes == ["declined", "declined", "withdrawn", "succeeded"]
