"""Every shipped code: it is found under its owner and its field alone, it has a reason, and the reason is the right one.

What is expected here is written down a second time, by hand, from what the codes mean; nothing of it is read from the files that are tested.
"""

import csv
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from dunr.core.declines import FIELDS, NETWORK_FIELDS, Classification, classify
from dunr.core.facts import Facts, ProcessorFacts
from dunr.core.snapshot import RawDecline
from dunr.core.terms import DeclineReason
from dunr.facts import tables
from dunr.facts.load import load_facts
from dunr.facts.tables import NETWORKS_WITH_DECLINES, PROCESSORS_WITH_DECLINES, shipped_codes, shipped_reasons

R = DeclineReason
PATHS = sorted((Path(tables.__file__).parent / "declines").glob("*.csv"))
LOADED_WITHIN_SECONDS = 0.02

# How many codes each file has, and how many of them mean each reason: a row that is lost, added or moved is noticed.
ROWS_OF = {
    "adyen": 44, "amex": 26, "bacs": 37, "braintree": 127, "checkout": 199, "elo": 37, "gocardless": 28, "iso8583": 76,
    "mastercard": 22, "mollie": 114, "nach_india": 32, "nacha": 71, "paddle": 21, "paypal": 189, "razorpay": 83,
    "recurly": 8, "sandbox": 76, "sepa": 32, "square": 81, "stripe": 204, "visa": 49,
}  # fmt: skip
ROWS_THAT_MEAN = {
    R.MERCHANT_ERROR: 248,
    R.INCORRECT_DETAILS: 148,
    R.NOT_A_DECLINE: 112,
    R.PROCESSING_ERROR: 76,
    R.ACCOUNT_BLOCKED: 75,
    R.INVALID_ACCOUNT: 74,
    R.NOT_PERMITTED: 67,
    R.AUTHORIZATION_REVOKED: 66,
    R.AUTHENTICATION_REQUIRED: 62,
    R.FRAUD_SUSPECTED: 57,
    R.CURRENCY_OR_METHOD_UNSUPPORTED: 55,
    R.GENERIC_DECLINE: 52,
    R.TECHNICAL: 50,
    R.ISSUER_UNAVAILABLE: 44,
    R.INSUFFICIENT_FUNDS: 41,
    R.VELOCITY_LIMIT: 41,
    R.LOST_OR_STOLEN: 30,
    R.DUPLICATE: 29,
    R.DO_NOT_RETRY: 24,
    R.EXPIRED_CARD: 22,
    R.DO_NOT_HONOR: 22,
    R.RISK_CHECK: 22,
    R.CREDENTIAL_UPDATED: 20,
    R.UNKNOWN: 18,
    R.AUTHORIZATION_DISPUTED: 17,
    R.PAYER_DECEASED: 8,
}  # of all files but the sandbox's, which speaks as Stripe does

CHECKED_BY_HAND = """
stripe      decline_code         insufficient_funds                 insufficient_funds
stripe      decline_code         do_not_honor                       do_not_honor
stripe      decline_code         generic_decline                    generic_decline
stripe      decline_code         stolen_card                        lost_or_stolen
stripe      decline_code         lost_card                          lost_or_stolen
stripe      decline_code         pickup_card                        lost_or_stolen
stripe      decline_code         revocation_of_all_authorizations   authorization_revoked
stripe      decline_code         security_violation                 risk_check
stripe      decline_code         fraudulent                         fraud_suspected
stripe      decline_code         issuer_not_available               issuer_unavailable
stripe      decline_code         card_velocity_exceeded             velocity_limit
stripe      decline_code         restricted_card                    account_blocked
stripe      decline_code         testmode_decline                   merchant_error
stripe      advice_code          do_not_try_again                   do_not_retry
stripe      advice_code          try_again_later                    generic_decline
stripe      advice_code          confirm_card_data                  incorrect_details
stripe      outcome_reason       highest_risk_level                 fraud_suspected
stripe      outcome_reason       elevated_risk_level                risk_check
stripe      outcome_reason       previously_declined_do_not_retry   do_not_retry
stripe      outcome_reason       rule                               merchant_error
stripe      outcome_reason       could_not_process                  do_not_retry
stripe      code                 card_declined                      unknown
stripe      code                 authentication_required            authentication_required
stripe      code                 lock_timeout                       technical
stripe      code                 debit_not_authorized               authorization_disputed
stripe      code                 payment_method_provider_timeout    issuer_unavailable
sandbox     code                 card_declined                      unknown
sandbox     decline_code         revoked_authorization              authorization_revoked
visa        network_decline_code 05                                 do_not_honor
visa        network_decline_code 14                                 incorrect_details
visa        network_decline_code 46                                 invalid_account
visa        network_decline_code 54                                 expired_card
visa        network_decline_code 59                                 risk_check
visa        network_decline_code 1A                                 authentication_required
visa        network_decline_code R1                                 authorization_revoked
visa        network_decline_code 82                                 incorrect_details
visa        network_advice_code  02                                 authorization_revoked
visa        network_decline_code 06                                 processing_error
mastercard  network_decline_code 82                                 do_not_honor
mastercard  network_decline_code 79                                 credential_updated
mastercard  network_decline_code 51                                 insufficient_funds
mastercard  network_advice_code  01                                 credential_updated
mastercard  network_advice_code  02                                 generic_decline
mastercard  network_advice_code  03                                 do_not_retry
mastercard  network_advice_code  21                                 authorization_revoked
mastercard  network_advice_code  30                                 insufficient_funds
mastercard  network_advice_code  43                                 not_a_decline
discover    network_decline_code 51                                 insufficient_funds
amex        network_decline_code 116                                insufficient_funds
amex        network_decline_code 200                                lost_or_stolen
elo         network_decline_code 82                                 incorrect_details
iso8583     network_decline_code 91                                 issuer_unavailable
iso8583     network_decline_code 00                                 not_a_decline
nacha       network_decline_code R01                                insufficient_funds
nacha       network_decline_code R02                                invalid_account
nacha       network_decline_code R07                                authorization_revoked
nacha       network_decline_code R10                                authorization_disputed
nacha       network_decline_code R15                                payer_deceased
sepa        network_decline_code AM04                               insufficient_funds
sepa        network_decline_code AC01                               incorrect_details
sepa        network_decline_code MD07                               payer_deceased
sepa        network_decline_code AM06                               merchant_error
bacs        network_decline_code 0                                  insufficient_funds
bacs        network_advice_code  0                                  authorization_revoked
bacs        network_advice_code  R                                  not_a_decline
bacs        network_advice_code  auddis:G                           currency_or_method_unsupported
nach_india  network_decline_code 04                                 insufficient_funds
nach_india  network_decline_code 60                                 payer_deceased
adyen       decline_code         2                                  do_not_honor
adyen       decline_code         12                                 insufficient_funds
adyen       decline_code         31                                 risk_check
adyen       decline_code         38                                 authentication_required
adyen       decline_code         46                                 do_not_retry
adyen       code                 704                                technical
braintree   decline_code         2001                               insufficient_funds
braintree   decline_code         2099                               authentication_required
braintree   decline_code         2500                               generic_decline
braintree   decline_code         3000                               issuer_unavailable
braintree   outcome_reason       excessive_retry                    do_not_retry
checkout    decline_code         20051                              insufficient_funds
checkout    decline_code         30043                              lost_or_stolen
checkout    decline_code         200R3                              authorization_revoked
checkout    advice_code          03                                 do_not_retry
gocardless  decline_code         refer_to_payer                     insufficient_funds
gocardless  decline_code         payment_autoretried                not_a_decline
gocardless  decline_code         payer_deceased                     payer_deceased
mollie      decline_code         insufficient_funds                 insufficient_funds
mollie      outcome_reason       suspected_fraud                    risk_check
paddle      decline_code         declined_not_retryable             do_not_retry
paypal      decline_code         5120                               insufficient_funds
paypal      advice_code          visa:02                            authorization_revoked
paypal      advice_code          mastercard:02                      insufficient_funds
paypal      code                 ORDER_ALREADY_CAPTURED             duplicate
razorpay    decline_code         card_expired                       expired_card
razorpay    code                 GATEWAY_ERROR                      unknown
recurly     code                 hard                               do_not_retry
square      code                 INSUFFICIENT_FUNDS                 insufficient_funds
square      code                 BUYER_REFUSED_PAYMENT              authorization_disputed
"""


@cache
def facts() -> Facts:
    return load_facts(processors={name: ProcessorFacts() for name in PROCESSORS_WITH_DECLINES})


def classified(owner: str, field: str, code: str) -> Classification:
    """One signal alone, as the adapter of its owner would bring it."""
    signals: dict[str, str | None] = {"code": None, field: code}
    is_of_network = field in NETWORK_FIELDS
    return classify(
        RawDecline(**signals), "stripe" if is_of_network else owner, facts(), owner if is_of_network else None
    )


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_file_has_its_rows_and_there_is_no_file_that_nobody_loads() -> None:
    assert {path.stem: len(rows_of(path)) for path in PATHS} == ROWS_OF
    assert ROWS_OF.keys() <= PROCESSORS_WITH_DECLINES | NETWORKS_WITH_DECLINES
    assert ROWS_OF.keys() >= PROCESSORS_WITH_DECLINES
    assert not PROCESSORS_WITH_DECLINES & NETWORKS_WITH_DECLINES


def test_all_codes_classify_and_no_two_fields_share_a_key() -> None:
    keys: Counter[tuple[str, str, str]] = Counter()
    meant: Counter[DeclineReason] = Counter()
    for path in PATHS:
        for row in rows_of(path):
            owner, field, code = path.stem, row["field"], row["code"]
            keys[owner, field, code] += 1
            first = code.partition("-")[0] if code[0].isdigit() else code
            found = classified(owner, field, first)
            assert found.unknown == (), (owner, field, code)
            assert found.reason is DeclineReason(row["reason"]), (owner, field, code)
            assert found.why, (owner, field, code)
            if owner != "sandbox":
                meant[found.reason] += 1
    assert sum(keys.values()) == sum(ROWS_OF.values()) == 1556
    assert keys.most_common(1)[0][1] == 1
    assert {field for _, field, _ in keys} == set(FIELDS)
    assert meant == ROWS_THAT_MEAN


@pytest.mark.parametrize("line", CHECKED_BY_HAND.strip().splitlines(), ids=lambda line: "-".join(line.split()[:3]))
def test_a_code_means_what_its_owner_says(line: str) -> None:
    owner, field, code, reason = line.split()
    assert classified(owner, field, code).reason is DeclineReason(reason)


def test_every_reason_is_meant_by_some_code_and_has_its_row() -> None:
    assert set(ROWS_THAT_MEAN) == set(DeclineReason) == set(shipped_reasons())


@pytest.mark.parametrize(
    ("advice", "hours"),
    [("24", 1), ("25", 24), ("26", 48), ("27", 96), ("28", 144), ("29", 192), ("30", 240), ("02", 72)],
)
def test_mastercard_says_how_long_to_wait(advice: str, hours: int) -> None:
    raw = RawDecline(None, network_decline_code="51", network_advice_code=advice)
    found = classify(raw, "stripe", facts(), "mastercard")
    assert found.reason is R.INSUFFICIENT_FUNDS
    assert found.wait_seconds == hours * 3600
    assert classify(raw, "stripe", facts(), "visa").wait_seconds is None
    assert classified("paypal", "advice_code", f"mastercard:{advice}").wait_seconds == hours * 3600


def test_the_same_number_means_something_else_to_each_network() -> None:
    raw = RawDecline(None, network_decline_code="82")
    reasons = {network: classify(raw, "stripe", facts(), network).reason for network in ("visa", "mastercard", "elo")}
    assert reasons == {"visa": R.INCORRECT_DETAILS, "mastercard": R.DO_NOT_HONOR, "elo": R.INCORRECT_DETAILS}
    stopped = RawDecline(None, network_advice_code="02")
    assert classify(stopped, "stripe", facts(), "visa").reason is R.AUTHORIZATION_REVOKED
    assert classify(stopped, "stripe", facts(), "mastercard").reason is R.GENERIC_DECLINE
    assert classify(raw, "stripe", facts()).reason is R.UNKNOWN


@pytest.mark.parametrize(
    ("code", "advice", "reason"),
    [
        ("79", "02", R.GENERIC_DECLINE),
        ("79", "01", R.CREDENTIAL_UPDATED),
        ("83", "03", R.DO_NOT_RETRY),
        ("83", "24", R.INSUFFICIENT_FUNDS),
        ("79", "43", R.CREDENTIAL_UPDATED),
        ("83", "05", R.RISK_CHECK),
        ("82", None, R.DO_NOT_HONOR),
        ("05", "02", R.DO_NOT_HONOR),
    ],
)
def test_what_mastercard_folds_into_one_code_its_advice_decides(code: str, advice: str | None, reason: R) -> None:
    raw = RawDecline(None, network_decline_code=code, network_advice_code=advice)
    assert classify(raw, "stripe", facts(), "mastercard").reason is reason


def test_codes_of_a_processor_without_a_table_are_none() -> None:
    assert shipped_codes("a billing system of our own").declines == {}


def test_all_tables_load_within_20_ms() -> None:
    """In time of the processor, in a process of its own, with everything imported and nothing read."""
    script = (
        "import time; from dunr.facts.tables import *; owners = PROCESSORS_WITH_DECLINES | NETWORKS_WITH_DECLINES\n"
        "begun = time.process_time(); [shipped_codes(owner) for owner in owners]; shipped_reasons()\n"
        "print(time.process_time() - begun)"
    )
    took = min(
        float(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, timeout=60).stdout)
        for _ in range(3)
    )
    assert took < LOADED_WITHIN_SECONDS
