"""C39: when the customer or the subscription goes, nothing more is charged or written, what ended stays ended, and the debt waits for a person."""

from tests.cases.rehearsal import Rehearsal, payer

RETRY = ["2026-06-24T09:00"]  # the one before anything ended


def test_a_deleted_customer_and_a_cancelled_subscription_are_left_alone_and_late_news_revives_nothing(
    world: Rehearsal,
) -> None:
    told = {}
    for name in ("gone", "left", "stays"):
        told[name] = world.fail(f"in_{name}", card=f"card_{name}", customer=payer(name))
    world.advance("2026-06-27T12:00:00Z")  # day 4; the next retry is planned for the 29th
    world.tell("/sandbox/customers/cus_gone", method="DELETE")
    world.tell("/sandbox/subscriptions/sub_in_left/cancel")
    mails_before = {name: world.mails_to(f"{name}@example.com") for name in ("gone", "left")}

    reasons = {"gone": ("customer_deleted", "subscription_ended"), "left": ("subscription_ended",)}
    for name, because in reasons.items():
        case = world.case(f"in_{name}")
        assert case["state"] == "closed"
        assert case["closed_because"] in because
        assert (case["next_attempt_at"], case["amount_due_minor"]) == (None, 4900)
        assert world.access(f"sub_in_{name}") == "ended"

    # Late and stale news: the first failure again, a new event about it, and an update that was true before.
    world.tell(f"/sandbox/webhooks/{told['left']['event']}/resend")
    about = {"invoice": "in_left", "subscription": "sub_in_left", "customer": "cus_left"}
    assert world.event(data=about) == [200]
    assert world.event(type="subscription.updated", data=about, created=1782200000) == [200]

    world.advance("2026-07-20T00:00:00Z")
    for name in reasons:
        assert world.times(f"in_{name}") == RETRY
        assert world.mails_to(f"{name}@example.com") == mails_before[name]
        assert world.case(f"in_{name}")["state"] == "closed"
        assert world.access(f"sub_in_{name}") == "ended"
        assert world.balance(f"in_{name}")["receivable"] == 4900
        assert world.pay_now(f"in_{name}").status_code == 409
        assert len([a for a in world.alerts("debt_left_open") if a["case"].endswith(f":in_{name}")]) == 1
    assert len(world.times("in_stays")) == 4
