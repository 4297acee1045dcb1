"""What one call of an attempt comes to, against the real server: a decline is an answer, a silence is a silence."""

from collections.abc import Iterator

from dunr.adapters.processors.sandbox.processor import SandboxProcessor
from dunr.core.answers import (
    CannotSay,
    Declined,
    NotNow,
    NotThere,
    Paid,
    Pending,
    Refused,
    RefusedKind,
    Unanswered,
)
from dunr.ports import ChargeRequest
from tests.adapters.processors.sandboxes import ACCOUNT, START_AT, adapter, adapter_of, attempt, request
from tests.ports import free_port
from tests.sandbox.processes import SandboxProcess


def test_money_that_moved_is_paid_once_and_the_replay_says_the_same(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    sandbox.fail(amount_minor=4900)
    sandbox.script("succeed")
    first, again = processor.charge(request()), processor.charge(request())
    assert first == again
    assert isinstance(first, Paid)
    assert (first.amount_minor, first.at) == (4900, START_AT)
    assert sandbox.captures() == 1
    assert processor.find_charge(ACCOUNT, "in_1", attempt()) == first


def test_a_part_payment_says_how_much(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    sandbox.fail(amount_minor=4900)
    sandbox.script("succeed_partly:1000")
    answer = processor.charge(request())
    assert isinstance(answer, Paid)
    assert answer.amount_minor == 1000


def test_a_decline_carries_every_signal_and_its_replay_is_the_same_decline(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    sandbox.fail(amount_minor=4900)
    sandbox.script("decline:insufficient_funds:try_again_later:51")
    first, again = processor.charge(request()), processor.charge(request())
    assert isinstance(first, Declined)
    assert first == again
    raw = first.raw
    assert (raw.code, raw.decline_code, raw.advice_code) == ("card_declined", "insufficient_funds", "try_again_later")
    assert raw.network_decline_code == "51"
    assert processor.find_charge(ACCOUNT, "in_1", attempt()) == first
    assert sandbox.outcomes()[-1] == "replayed"


def test_an_authentication_that_is_wanted_names_its_intent(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    sandbox.fail(amount_minor=4900)
    sandbox.script("requires_action")
    answer = processor.charge(request())
    assert isinstance(answer, Declined)
    assert answer.raw.code == "authentication_required"
    assert answer.processor_intent_id is not None
    cancelled = processor.cancel_attempt(ACCOUNT, answer.processor_intent_id)
    assert (cancelled.cancelled, cancelled.succeeded) == (True, False)


def test_an_intent_that_the_customer_confirmed_first_has_succeeded(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    sandbox.fail(amount_minor=4900)
    sandbox.script("requires_action")
    answer = processor.charge(request())
    assert isinstance(answer, Declined)
    assert answer.processor_intent_id is not None
    sandbox.control("POST", f"/intents/{answer.processor_intent_id}/confirm")
    late = processor.cancel_attempt(ACCOUNT, answer.processor_intent_id)
    assert (late.cancelled, late.succeeded) == (False, True)
    nobody = processor.cancel_attempt(ACCOUNT, "pi_nobody")
    assert (nobody.cancelled, nobody.succeeded) == (False, False)


def test_a_debit_that_is_under_way_is_pending(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    sandbox.fail(amount_minor=4900)
    sandbox.script("pending:settle")
    answer = processor.charge(request())
    assert isinstance(answer, Pending)
    assert processor.find_charge(ACCOUNT, "in_1", attempt()) == answer


def scripted(sandbox: SandboxProcess, *scripts: str) -> Iterator[tuple[str, ChargeRequest]]:
    """An invoice and a card for each script, and the request that meets it."""
    for number, script in enumerate(scripts):
        invoice, customer, card = f"in_{number}", f"cus_{number}", f"pm_{number}"
        sandbox.fail(
            invoice, subscription=f"sub_{number}", customer={"id": customer}, card={"id": card}, amount_minor=4900
        )
        sandbox.script(script, "succeed", card=card)
        yield script, request(key=f"dunr-{invoice}-a1", invoice=invoice, card=card)


def test_not_now_is_no_outcome(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    codes = {
        "error:429": "rate_limit",
        "error:429:lock_timeout": "lock_timeout",
        "error:409:lock_timeout": "lock_timeout",
    }
    for script, wanted in scripted(sandbox, *codes):
        assert processor.charge(wanted) == NotNow(codes[script]), script
        assert isinstance(processor.charge(wanted), Paid), script


def test_a_first_request_that_still_runs_means_not_now(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    sandbox.fail(amount_minor=4900)
    sandbox.script("hang:45:succeed")
    assert isinstance(processor.charge(request()), Unanswered)
    assert processor.charge(request()) == NotNow("idempotency_key_in_use")
    assert isinstance(processor.find_charge(ACCOUNT, "in_1", attempt()), NotThere)
    sandbox.to("2026-06-23T10:00:45Z")
    assert isinstance(processor.find_charge(ACCOUNT, "in_1", attempt()), Paid)


def test_an_answer_that_says_nothing_is_no_answer(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    scripts = ("error:500", "error:502", "refuse:503", "lost:succeed", "broken:succeed")
    for script, wanted in scripted(sandbox, *scripts):
        assert isinstance(processor.charge(wanted), Unanswered), script


def test_a_replayed_server_error_is_still_no_answer(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    sandbox.fail(amount_minor=4900)
    sandbox.script("error:500", "succeed")
    assert isinstance(processor.charge(request()), Unanswered)
    assert isinstance(processor.charge(request()), Unanswered)
    assert sandbox.outcomes()[-1] == "replayed"


def test_a_silence_longer_than_our_patience_is_no_answer(sandbox: SandboxProcess) -> None:
    sandbox.fail(amount_minor=4900)
    sandbox.script("slow:3:succeed")
    impatient = adapter_of(sandbox, timeout_seconds=0.5)
    assert isinstance(impatient.charge(request()), Unanswered)
    assert isinstance(impatient.find_charge(ACCOUNT, "in_1", attempt()), Paid)
    impatient.close()


def test_a_refusal_is_ours_and_no_decline(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    kinds = {
        "error:400": RefusedKind.BAD_REQUEST,
        "error:400:amount_too_small": RefusedKind.AMOUNT_TOO_SMALL,
        "error:401": RefusedKind.KEY_REVOKED,
        "not_found": RefusedKind.NOT_FOUND,
        "error:422:whatever": RefusedKind.BAD_REQUEST,
    }
    for script, wanted in scripted(sandbox, *kinds):
        answer = processor.charge(wanted)
        assert isinstance(answer, Refused), script
        assert answer.kind is kinds[script], script


def test_the_gate_of_the_processor_refuses_by_name(sandbox: SandboxProcess, processor: SandboxProcessor) -> None:
    sandbox.fail(amount_minor=4900)
    sandbox.script("succeed")
    assert processor.charge(request(key="a", amount_minor=10)) == Refused(
        RefusedKind.AMOUNT_TOO_SMALL, "amount_too_small"
    )
    assert isinstance(processor.charge(request(key="b")), Paid)
    assert processor.charge(request(key="c")) == Refused(RefusedKind.NOT_PAYABLE, "invoice_not_payable")
    reused = processor.charge(request(key="b", amount_minor=3900))
    assert reused == Refused(RefusedKind.IDEMPOTENCY_KEY_REUSED, "idempotency_key_reused")
    assert processor.charge(request(key="d", invoice="in_nobody")) == Refused(RefusedKind.NOT_FOUND, "not_found")


def test_a_revoked_key_is_said_as_such(sandbox: SandboxProcess) -> None:
    sandbox.fail(amount_minor=4900)
    stranger = adapter_of(sandbox, key="sk_sandbox_other")
    assert stranger.charge(request()) == Refused(RefusedKind.KEY_REVOKED, "api_key_revoked")
    assert isinstance(stranger.find_charge(ACCOUNT, "in_1", attempt()), CannotSay)
    stranger.close()


def test_what_was_never_sent_may_be_sent_later() -> None:
    nobody = adapter(f"http://127.0.0.1:{free_port()}")
    assert nobody.charge(request()) == NotNow("not_reached")
    assert isinstance(nobody.find_charge(ACCOUNT, "in_1", attempt()), CannotSay)
    nobody.close()


def test_a_look_up_that_fails_cannot_say_and_only_a_whole_answer_means_not_there(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    sandbox.fail(amount_minor=4900)
    assert processor.find_charge(ACCOUNT, "in_1", attempt()) == NotThere()
    sandbox.set(lookups_failing=True)
    assert isinstance(processor.find_charge(ACCOUNT, "in_1", attempt()), CannotSay)


def test_a_look_up_tells_how_late_a_charge_may_still_appear(
    sandbox: SandboxProcess, processor: SandboxProcessor
) -> None:
    sandbox.fail(amount_minor=4900)
    assert processor.facts.settle_after_seconds == 900
    sandbox.set(settle_after_seconds=60)
    processor.find_charge(ACCOUNT, "in_1", attempt())
    assert processor.facts.settle_after_seconds == 60
