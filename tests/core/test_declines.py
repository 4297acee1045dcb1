"""What a decline means: every signal is read, the strictest wins, a network's codes are its own, and what nobody knows is named."""

import pytest

from dunr.core.attempt import MethodRef
from dunr.core.decide.draft import Draft
from dunr.core.decide.opening import alert_unknown
from dunr.core.decision import Dossier
from dunr.core.declines import classify, in_words, network_of, treated_as, with_mappings
from dunr.core.effects import Notice, RaiseAlert
from dunr.core.facts import Notifies, Tellable
from dunr.core.policy import Policy
from dunr.core.snapshot import RawDecline, UnknownCodes
from dunr.core.terms import DeclineKind, DeclineReason, Rail
from dunr.core.value import replace
from tests.core.world import facts, story, utc

R = DeclineReason

EACH_SIGNAL_STOPS = [
    RawDecline("card_declined", "stolen_card"),
    RawDecline("card_declined", "insufficient_funds", advice_code="do_not_try_again"),
    RawDecline("card_declined", "insufficient_funds", network_decline_code="43", network="visa"),
    RawDecline("card_declined", "insufficient_funds", network_advice_code="03", network="mastercard"),
]


@pytest.mark.parametrize("raw", EACH_SIGNAL_STOPS)
def test_c30_whichever_signal_forbids_another_try_wins(raw: RawDecline) -> None:
    assert facts().reasons[classify(raw, "sandbox", facts()).reason].kind is DeclineKind.HARD


@pytest.mark.parametrize("code", ["stolen_card", "lost_card", "pickup_card", "revocation_of_all_authorizations"])
def test_c30_the_four_hard_facts_are_hard_and_theft_is_not_told(code: str) -> None:
    reason = classify(RawDecline("card_declined", code), "sandbox", facts()).reason
    known = facts().reasons[reason]
    assert known.kind is DeclineKind.HARD
    assert known.stops_credential
    if reason is R.LOST_OR_STOLEN:
        assert known.tellable is Tellable.NO


def test_c31_a_block_before_the_network_stops_the_card() -> None:
    raw = RawDecline("card_declined", None, network="visa", network_decline_code="R3")
    assert classify(raw, "sandbox", facts()).reason is R.AUTHORIZATION_REVOKED


@pytest.mark.parametrize("decline_code", ["authentication_not_handled", "authentication_required"])
def test_c32_code_and_decline_code_are_both_read(decline_code: str) -> None:
    for raw in (RawDecline("authentication_required", decline_code), RawDecline("card_declined", decline_code)):
        assert classify(raw, "sandbox", facts()).reason is R.AUTHENTICATION_REQUIRED
    assert classify(RawDecline("authentication_required"), "sandbox", facts()).reason is R.AUTHENTICATION_REQUIRED


@pytest.mark.parametrize("code", ["lock_timeout", "rate_limit", "idempotency_key_in_use", "api_error"])
def test_c33_what_is_wrong_between_us_and_the_processor_is_not_the_payers_doing(code: str) -> None:
    reason = classify(RawDecline(code), "sandbox", facts()).reason
    known = facts().reasons[reason]
    assert reason is R.TECHNICAL
    assert (known.kind, known.notifies, known.tellable) == (DeclineKind.OPERATOR, Notifies.NO, Tellable.NO)
    assert treated_as(reason, facts()) is R.UNKNOWN


def test_c33_what_the_payer_did_outranks_what_went_wrong_on_our_side() -> None:
    assert classify(RawDecline("api_error", "stolen_card"), "sandbox", facts()).reason is R.LOST_OR_STOLEN
    assert classify(RawDecline("api_error", "insufficient_funds"), "sandbox", facts()).reason is R.INSUFFICIENT_FUNDS


def test_a_networks_codes_are_read_under_the_network_alone() -> None:
    raw = RawDecline("card_declined", "do_not_honor", network_advice_code="03")
    assert classify(raw, "sandbox", facts(), "mastercard").reason is R.DO_NOT_RETRY
    assert classify(raw, "sandbox", facts(), "visa").reason is R.AUTHORIZATION_REVOKED
    assert classify(raw, "sandbox", facts()).reason is R.DO_NOT_HONOR
    named_by_itself = RawDecline("card_declined", "do_not_honor", network_advice_code="03", network="mastercard")
    assert classify(named_by_itself, "sandbox", facts(), "visa").reason is R.DO_NOT_RETRY


def test_the_codes_of_a_network_without_a_table_are_not_read_and_nobody_is_woken_for_them() -> None:
    raw = RawDecline("card_declined", "do_not_honor", network_decline_code="05")
    found = classify(raw, "sandbox", facts(), "interac")
    assert (found.reason, found.unknown) == (R.DO_NOT_HONOR, ())
    assert "interac's network_decline_code '05' is not read: there is no table for interac" in found.why


def test_the_longest_wait_that_is_asked_for_counts() -> None:
    raw = RawDecline("card_declined", "insufficient_funds", network_decline_code="51", network_advice_code="26")
    assert classify(raw, "sandbox", facts(), "mastercard").wait_seconds == 48 * 3600
    assert classify(raw, "sandbox", facts(), "visa").wait_seconds is None


def test_each_signal_says_what_it_means_and_which_one_decided() -> None:
    raw = RawDecline("card_declined", "insufficient_funds", advice_code="do_not_try_again")
    assert classify(raw, "sandbox", facts()).why == (
        "sandbox's code 'card_declined': no table says why; it gets one cautious step",
        "sandbox's decline_code 'insufficient_funds': the card or account holds too little money at the moment",
        "sandbox's advice_code 'do_not_try_again': the bank or the network forbids another try with this card",
        "the strictest of these decides: do_not_retry",
    )


def test_what_is_missing_from_the_tables_is_named_by_its_key() -> None:
    raw = RawDecline("card_declined", "brand_new", "brand_new", network_decline_code="0X", network="visa")
    found = classify(raw, "sandbox", facts())
    assert found.reason is R.UNKNOWN
    assert found.unknown == (
        ("sandbox", "decline_code", "brand_new"),
        ("sandbox", "advice_code", "brand_new"),
        ("visa", "network_decline_code", "0X"),
    )
    assert in_words(found.unknown[0]) == "sandbox's decline_code 'brand_new'"


def test_a_meaning_of_the_merchants_own_counts_before_the_shipped_one() -> None:
    own = {
        ("sandbox", "decline_code", "brand_new"): R.VELOCITY_LIMIT,
        ("interac", "network_decline_code", "05"): R.EXPIRED_CARD,
    }
    known = with_mappings(facts(), own)
    assert classify(RawDecline("card_declined", "brand_new"), "sandbox", known).reason is R.VELOCITY_LIMIT
    raw = RawDecline("card_declined", "do_not_honor", network_decline_code="05")
    assert classify(raw, "sandbox", known, "interac").reason is R.EXPIRED_CARD
    missing = RawDecline("card_declined", "do_not_honor", network_decline_code="06")
    assert classify(missing, "sandbox", known, "interac").unknown == (("interac", "network_decline_code", "06"),)


def test_one_alert_for_each_unknown_code_however_many_cases_meet_it() -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: brand_new_code, 4900 usd
                      steps 1 2026-06-24 09:00; notice first; alert unknown_decline
    2026-06-23 10:00  in_2: first charge fails: brand_new_code, 4900 usd
                      in_2: notice first; no alert
    2026-06-23 10:00  in_3: first charge fails: another_code, 4900 usd
                      in_3: notice first; alert unknown_decline
    """)
    case = world.case("in_2")
    assert case is not None
    assert case.attempts[0].unknown_codes == UnknownCodes(
        (("sandbox", "decline_code", "brand_new_code"),), RawDecline(None, "brand_new_code")
    )


def test_c10_a_retry_that_the_processor_reports_is_no_decline() -> None:
    """GoCardless tells of its own retry as of a cause: it says nothing of the payer, and never outranks what does."""
    mapped = with_mappings(facts(), {("sandbox", "outcome_reason", "payment_autoretried"): R.NOT_A_DECLINE})
    alone = classify(RawDecline(None, outcome_reason="payment_autoretried"), "sandbox", mapped)
    assert mapped.reasons[alone.reason].kind is DeclineKind.NEUTRAL
    assert treated_as(alone.reason, mapped) is R.UNKNOWN
    beside = RawDecline(None, "insufficient_funds", outcome_reason="payment_autoretried")
    assert classify(beside, "sandbox", mapped).reason is R.INSUFFICIENT_FUNDS


def test_a_limit_that_was_reached_is_written_about_only_when_the_first_retry_did_not_settle_it() -> None:
    story("""
    2026-06-23 10:00  first charge fails: card_velocity_exceeded, 4900 usd
                      steps 1 2026-06-24 09:00, 2 2026-06-29 09:00, 3 2026-07-02 09:00, 4 2026-07-07 09:00; no notice
    2026-06-24 09:00  step 1 sent; declined card_velocity_exceeded
                      notice reminder
    """)


def test_a_card_that_is_blocked_reads_as_any_other_refusal() -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: restricted_card, 4900 usd
                      state awaiting_customer; notice method_needed; pause 2026-07-07 09:00
    """)
    [told] = [effect for effect in world.effects.values() if isinstance(effect, Notice)]
    assert told.reason is R.GENERIC_DECLINE


@pytest.mark.parametrize("code", ["stolen_card", "fraudulent", "security_violation", "do_not_honor"])
def test_what_may_not_be_told_is_not_in_the_notice(code: str) -> None:
    kind = "first" if code in ("security_violation", "do_not_honor") else "method_needed"
    world = story(f"""
    2026-06-23 10:00  first charge fails: {code}, 4900 usd
                      notice {kind}
    """)
    [told] = [effect for effect in world.effects.values() if isinstance(effect, Notice)]
    assert told.reason is None


def test_a_check_for_risk_gets_one_later_try() -> None:
    story("""
    2026-06-23 10:00  first charge fails: security_violation, 4900 usd
                      steps 1 2026-06-24 09:00; notice first; no alert
    2026-06-24 09:00  step 1 sent; declined security_violation
                      state exhausted; no alert
    """)


def test_a_bank_debit_speaks_the_codes_of_its_scheme() -> None:
    account = MethodRef("ba_1", "ba_1", "ba_1/-", Rail.ACH)
    assert network_of(account) == "nacha"
    assert network_of(replace(account, rail=Rail.SEPA)) == "sepa"
    assert network_of(replace(account, rail=Rail.UPI)) is None
    assert network_of(replace(account, rail=Rail.CARD, network="visa")) == "visa"
    raw = RawDecline(None, network_decline_code="R10")
    assert classify(raw, "sandbox", facts(), network_of(account)).reason is R.AUTHORIZATION_DISPUTED


@pytest.mark.parametrize(
    ("code", "advice", "reason"),
    [
        ("83", "02", R.GENERIC_DECLINE),
        ("83", "43", R.RISK_CHECK),
        ("83", None, R.RISK_CHECK),
        ("05", "43", R.DO_NOT_HONOR),
    ],
)
def test_a_code_that_defers_counts_where_the_advice_says_nothing_of_the_payer(
    code: str, advice: str | None, reason: DeclineReason
) -> None:
    raw = RawDecline(None, network_decline_code=code, network_advice_code=advice)
    assert classify(raw, "sandbox", facts(), "mastercard").reason is reason


def test_a_debit_that_comes_back_is_read_by_the_codes_of_its_scheme() -> None:
    world = story("""
    2026-06-23 09:00  new card bank_1 on ach
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; paid
                      state recovered; notice receipt
    2026-06-30 10:00  ch_a1_in_1 returned R02
                      state awaiting_customer; alert payment_returned; notice method_needed
    """)
    case = world.case("in_1")
    assert case is not None
    assert case.deciding_reason is R.INVALID_ACCOUNT


def test_a_return_code_that_nobody_knows_is_shown_like_any_other() -> None:
    world = story("""
    2026-06-23 09:00  new card bank_1 on ach
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; paid
                      state recovered; notice receipt
    2026-06-30 10:00  ch_a1_in_1 returned R99
                      state awaiting_customer; alert unknown_decline, payment_returned; notice method_needed
    """)
    case = world.case("in_1")
    assert case is not None
    [codes] = [one.unknown_codes for one in case.attempts if one.unknown_codes is not None]
    assert codes.keys == (("nacha", "network_decline_code", "R99"),)


def test_the_alert_says_what_the_decline_counts_as_meanwhile() -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: expired_card, 4900 usd
                      notice method_needed
    """)
    case = world.case("in_1")
    assert case is not None
    draft = Draft(Dossier(case.id, case, None, None, None, Policy()), case, facts(), utc("2026-06-23 10:00"))
    raw = RawDecline("card_declined", "expired_card", "brand_new")
    alert_unknown(draft, UnknownCodes((("sandbox", "advice_code", "brand_new"),), raw), R.EXPIRED_CARD)
    [told] = [effect for effect in draft.effects if isinstance(effect, RaiseAlert)]
    assert told.text.startswith(
        "sandbox's advice_code 'brand_new' is in no table; beside it other signals were known, and the decline counts as expired_card."
    )
