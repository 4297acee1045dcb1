"""The shipped tables: every reason has a row, every code has a reason, and what the merchant adds counts."""

import csv
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from dunr.core.declines import classify
from dunr.core.facts import Facts, Notifies, ProcessorFacts, Tellable, Timing
from dunr.core.policy import Strategy
from dunr.core.snapshot import RawDecline
from dunr.core.terms import DeclineKind, DeclineReason
from dunr.errors import SettingsError
from dunr.facts import tables
from dunr.facts.load import load_facts
from dunr.facts.tables import NETWORKS_WITH_DECLINES, shipped_codes, shipped_reasons

FOLDER = Path(tables.__file__).parent
STRIPE_AND_SANDBOX = {"stripe": ProcessorFacts(), "sandbox": ProcessorFacts()}

# What document 004 says of each of its names: the reason that it must become, and the kind.
DOCUMENT_004 = (
    ("insufficient_funds", DeclineReason.INSUFFICIENT_FUNDS, DeclineKind.SOFT),
    ("issuer_unavailable", DeclineReason.ISSUER_UNAVAILABLE, DeclineKind.SOFT),
    ("try_again_later", DeclineReason.GENERIC_DECLINE, DeclineKind.SOFT),
    ("do_not_honor", DeclineReason.DO_NOT_HONOR, DeclineKind.SOFT),
    ("expired_card", DeclineReason.EXPIRED_CARD, DeclineKind.ACTION),
    ("pickup_card", DeclineReason.LOST_OR_STOLEN, DeclineKind.HARD),
    ("stolen_card", DeclineReason.LOST_OR_STOLEN, DeclineKind.HARD),
    ("lost_card", DeclineReason.LOST_OR_STOLEN, DeclineKind.HARD),
    ("revoked_authorization", DeclineReason.AUTHORIZATION_REVOKED, DeclineKind.HARD),
    ("revocation_of_all_authorizations", DeclineReason.AUTHORIZATION_REVOKED, DeclineKind.HARD),
    ("invalid_account", DeclineReason.INVALID_ACCOUNT, DeclineKind.HARD),
)


def both() -> Facts:
    return load_facts(processors=STRIPE_AND_SANDBOX)


def test_every_reason_has_one_row_and_no_row_is_left_over() -> None:
    with (FOLDER / "reasons.csv").open(encoding="utf-8") as file:
        named = Counter(row["reason"] for row in csv.DictReader(file))
    assert named == Counter({str(reason): 1 for reason in DeclineReason})
    assert set(shipped_reasons()) == set(DeclineReason)


def test_every_column_of_the_reasons_is_written_in_full() -> None:
    with (FOLDER / "reasons.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert row["stops_credential"] in {"yes", "no"}, row["reason"]
            assert row["sentence"], row["reason"]
            assert not row["sentence"].endswith("."), row["reason"]


def test_only_time_earns_steps_and_an_unknown_code_earns_one() -> None:
    for reason, row in shipped_reasons().items():
        cautious = reason in (DeclineReason.UNKNOWN, DeclineReason.RISK_CHECK)
        wanted = (1 if cautious else None) if row.kind is DeclineKind.SOFT else 0
        assert row.steps_default_max == wanted, reason
        assert (row.steps_suggested_max > 0) == (row.strategy is not Strategy.NONE), reason


def test_a_dead_credential_is_named_as_one() -> None:
    stopped = {reason for reason, row in shipped_reasons().items() if row.stops_credential}
    hard = {reason for reason, row in shipped_reasons().items() if row.kind is DeclineKind.HARD}
    until_it_changes = {
        DeclineReason.EXPIRED_CARD,
        DeclineReason.CREDENTIAL_UPDATED,
        DeclineReason.INCORRECT_DETAILS,
    }
    assert stopped == hard | until_it_changes


def test_nobody_is_told_of_theft_fraud_or_death() -> None:
    reasons = shipped_reasons()
    for reason in (DeclineReason.LOST_OR_STOLEN, DeclineReason.FRAUD_SUSPECTED, DeclineReason.PAYER_DECEASED):
        assert reasons[reason].tellable is Tellable.NO, reason
    assert reasons[DeclineReason.RISK_CHECK].tellable is Tellable.NO
    assert reasons[DeclineReason.PAYER_DECEASED].notifies is Notifies.NEVER
    assert reasons[DeclineReason.AUTHORIZATION_DISPUTED].notifies is Notifies.MANUAL
    assert reasons[DeclineReason.AUTHENTICATION_REQUIRED].notifies is Notifies.YES


def test_the_customer_never_hears_of_what_is_not_his_fault() -> None:
    for reason, row in shipped_reasons().items():
        if row.kind in (DeclineKind.NEUTRAL, DeclineKind.OPERATOR):
            assert row.notifies is Notifies.NO, reason
            assert row.tellable is Tellable.NO, reason


@pytest.mark.parametrize(("code", "reason", "kind"), DOCUMENT_004)
def test_the_names_of_document_004_mean_what_it_says(code: str, reason: DeclineReason, kind: DeclineKind) -> None:
    facts = both()
    assert facts.declines["sandbox", "decline_code", code] is reason
    assert facts.reasons[reason].kind is kind


def test_the_sandbox_knows_every_decline_code_of_stripe() -> None:
    stripe = {
        code: reason for (_, field, code), reason in shipped_codes("stripe").declines.items() if field == "decline_code"
    }
    sandbox = {code: reason for (_, _, code), reason in shipped_codes("sandbox").declines.items()}
    assert len(stripe) == 50
    assert stripe.items() <= sandbox.items()


def test_stripe_repeats_its_decline_code_in_the_outcome() -> None:
    table = shipped_codes("stripe").declines
    for (_, field, code), reason in table.items():
        if field == "decline_code":
            assert table["stripe", "outcome_reason", code] is reason


def test_a_wrapper_does_not_hide_the_code_inside() -> None:
    for decline_code, reason in (
        ("insufficient_funds", DeclineReason.INSUFFICIENT_FUNDS),
        ("generic_decline", DeclineReason.GENERIC_DECLINE),
        ("stolen_card", DeclineReason.LOST_OR_STOLEN),
    ):
        assert classify(RawDecline("card_declined", decline_code), "stripe", both()).reason is reason
        assert classify(RawDecline("card_declined", decline_code), "sandbox", both()).reason is reason


def test_the_issuers_advice_to_stop_outranks_a_soft_code() -> None:
    raw = RawDecline("card_declined", "insufficient_funds", advice_code="do_not_try_again")
    assert classify(raw, "stripe", both()).reason is DeclineReason.DO_NOT_RETRY


def test_the_advice_of_a_network_is_keyed_by_the_network_and_by_no_processor() -> None:
    facts = both()
    assert facts.declines["mastercard", "network_advice_code", "03"] is DeclineReason.DO_NOT_RETRY
    assert facts.declines["mastercard", "network_advice_code", "24"] is DeclineReason.INSUFFICIENT_FUNDS
    assert ("stripe", "network_advice_code", "03") not in facts.declines


def test_only_the_tables_of_the_processors_in_use_are_loaded() -> None:
    owners = {processor for processor, _, _ in load_facts().declines}
    assert owners == {"sandbox"} | NETWORKS_WITH_DECLINES


def test_a_merchant_adds_a_code_and_corrects_another() -> None:
    facts = load_facts(
        merchant_declines={
            ("sandbox", "decline_code", "over_the_moon"): DeclineReason.VELOCITY_LIMIT,
            ("sandbox", "decline_code", "do_not_honor"): DeclineReason.INSUFFICIENT_FUNDS,
        }
    )
    assert classify(RawDecline(None, "over_the_moon"), "sandbox", facts).reason is DeclineReason.VELOCITY_LIMIT
    assert classify(RawDecline(None, "do_not_honor"), "sandbox", facts).reason is DeclineReason.INSUFFICIENT_FUNDS
    untouched = load_facts()
    assert classify(RawDecline(None, "over_the_moon"), "sandbox", untouched).reason is DeclineReason.UNKNOWN
    assert classify(RawDecline(None, "do_not_honor"), "sandbox", untouched).reason is DeclineReason.DO_NOT_HONOR


def test_a_mapping_under_a_field_that_no_decline_has_is_refused() -> None:
    with pytest.raises(SettingsError, match="sandbox, reason, over_the_moon") as refused:
        load_facts(merchant_declines={("sandbox", "reason", "over_the_moon"): DeclineReason.UNKNOWN})
    assert "write one of code, decline_code, advice_code" in str(refused.value)


def test_facts_carry_what_the_adapters_and_the_settings_say() -> None:
    timing = Timing(lease_seconds=120)
    facts = load_facts(
        processors={"sandbox": ProcessorFacts(key_lifetime_seconds=60)},
        timing=timing,
        years=range(2026, 2028),
    )
    assert facts.processors["sandbox"].key_lifetime_seconds == 60
    assert facts.timing is timing
    assert len(facts.calendars["GB-ENG"]) > 14


def test_no_country_named_no_holidays_imported() -> None:
    script = "import sys, dunr.facts.load as facts; facts.load_facts(); sys.exit('holidays' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
