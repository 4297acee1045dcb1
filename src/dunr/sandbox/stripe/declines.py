"""How Stripe words a decline: the fields that say why, the sentence, and the public test methods that cause it."""

from __future__ import annotations

from dataclasses import dataclass

from dunr.sandbox.records import Charge

from .errors import DOCS

MESSAGES = {
    "expired_card": "Your card has expired.",
    "incorrect_cvc": "Your card's security code is incorrect.",
    "incorrect_number": "Your card number is incorrect.",
    "processing_error": "An error occurred while processing your card. Try again in a little bit.",
    "insufficient_funds": "Your card has insufficient funds.",
    "authentication_required": "Your card was declined. This transaction requires authentication.",
    "card_not_supported": "Your card is not supported.",
    "currency_not_supported": "Your card does not support this currency.",
}
DECLINED = "Your card was declined."


@dataclass(frozen=True)
class TestMethod:
    """A method that anybody may name in test mode, and what its charges answer."""

    network: str
    last4: str
    script: str = "succeed"


TEST_METHODS = {
    "pm_card_visa": TestMethod("visa", "4242"),
    "pm_card_visa_debit": TestMethod("visa", "5556"),
    "pm_card_mastercard": TestMethod("mastercard", "4444"),
    "pm_card_mastercard_debit": TestMethod("mastercard", "8210"),
    "pm_card_mastercard_prepaid": TestMethod("mastercard", "5100"),
    "pm_card_amex": TestMethod("amex", "8431"),
    "pm_card_discover": TestMethod("discover", "1117"),
    "pm_card_diners": TestMethod("diners", "0004"),
    "pm_card_jcb": TestMethod("jcb", "0505"),
    "pm_card_unionpay": TestMethod("unionpay", "0005"),
    "pm_card_chargeCustomerFail": TestMethod("visa", "0341", "decline:generic_decline"),
    "pm_card_chargeDeclined": TestMethod("visa", "0002", "decline:generic_decline"),
    "pm_card_visa_chargeDeclined": TestMethod("visa", "0002", "decline:generic_decline"),
    "pm_card_chargeDeclinedInsufficientFunds": TestMethod("visa", "9995", "decline:insufficient_funds"),
    "pm_card_visa_chargeDeclinedInsufficientFunds": TestMethod("visa", "9995", "decline:insufficient_funds"),
    "pm_card_visa_chargeDeclinedLostCard": TestMethod("visa", "9987", "decline:lost_card"),
    "pm_card_visa_chargeDeclinedStolenCard": TestMethod("visa", "9979", "decline:stolen_card"),
    "pm_card_chargeDeclinedFraudulent": TestMethod("visa", "0019", "decline:fraudulent"),
    "pm_card_chargeDeclinedExpiredCard": TestMethod("visa", "0069", "decline:expired_card"),
    "pm_card_chargeDeclinedIncorrectCvc": TestMethod("visa", "0127", "decline:incorrect_cvc"),
    "pm_card_chargeDeclinedProcessingError": TestMethod("visa", "0119", "decline:processing_error"),
    "pm_card_visa_chargeDeclinedVelocityLimitExceeded": TestMethod("visa", "6975", "decline:card_velocity_exceeded"),
    "pm_card_authenticationRequired": TestMethod("visa", "3184", "requires_action"),
    "pm_card_threeDSecure2Required": TestMethod("visa", "3220", "requires_action"),
    "pm_card_authenticationRequiredChargeDeclinedInsufficientFunds": TestMethod(
        "visa", "8260", "decline:insufficient_funds"
    ),
}


def message_of(charge: Charge) -> str:
    for code in (charge.decline_code, charge.error_code):
        if code in MESSAGES:
            return MESSAGES[code]
    return DECLINED


def error_of(charge: Charge) -> dict[str, object]:
    """The fields of a card error that come from the issuer and the network; those that were not given are absent."""
    code = charge.error_code or "card_declined"
    given = {
        "advice_code": charge.advice_code,
        "code": code,
        "decline_code": charge.decline_code,
        "doc_url": f"{DOCS}#{code.replace('_', '-')}",
        "message": message_of(charge),
        "network_advice_code": charge.network_advice_code,
        "network_decline_code": charge.network_decline_code,
    }
    return {name: value for name, value in given.items() if value is not None}
