"""Fields that a rehearsal of dunning never uses, as they are where nobody uses them. A reader may expect them."""

from __future__ import annotations

from typing import Final

ISSUER: Final = {"type": "self"}
AUTOMATIC_TAX: Final = {"disabled_reason": None, "enabled": False, "liability": None}
PAYMENT_SETTINGS: Final = {"payment_method_options": None, "payment_method_types": None}

NULL_IN_INVOICE: Final = """
    account_name account_tax_ids application automatically_finalizes_at custom_fields customer_address
    customer_phone customer_shipping effective_at footer from_invoice invoice_pdf latest_revision on_behalf_of
    receipt_number rendering shipping_cost shipping_details statement_descriptor test_clock
"""
INVOICE: Final[dict[str, object]] = {
    **dict.fromkeys(NULL_IN_INVOICE.split()),
    "amount_shipping": 0,
    "automatic_tax": {**AUTOMATIC_TAX, "provider": None, "status": None},
    "customer_tax_exempt": "none",
    "customer_tax_ids": [],
    "default_tax_rates": [],
    "discounts": [],
    "issuer": ISSUER,
    "payment_settings": {"default_mandate": None, **PAYMENT_SETTINGS},
    "total_discount_amounts": [],
}

NULL_IN_SUBSCRIPTION: Final = """
    application application_fee_percent billing_thresholds days_until_due description
    next_pending_invoice_item_invoice on_behalf_of pending_invoice_item_interval pending_setup_intent
    pending_update schedule test_clock transfer_data
"""
SUBSCRIPTION: Final[dict[str, object]] = {
    **dict.fromkeys(NULL_IN_SUBSCRIPTION.split()),
    "automatic_tax": AUTOMATIC_TAX,
    "billing_mode": {"type": "classic", "flexible": None},
    "billing_schedules": [],
    "cancellation_details": dict.fromkeys(("comment", "feedback", "reason")),
    "default_tax_rates": [],
    "discounts": [],
    "invoice_settings": {"account_tax_ids": None, "issuer": ISSUER},
    "payment_settings": {**PAYMENT_SETTINGS, "save_default_payment_method": "off"},
    "trial_settings": {"end_behavior": {"missing_payment_method": "create_invoice"}},
}

NULL_IN_CHARGE: Final = """
    application_fee application_fee_amount calculated_statement_descriptor failure_balance_transaction
    on_behalf_of receipt_email receipt_number receipt_url review shipping source_transfer statement_descriptor
    statement_descriptor_suffix transfer_data transfer_group
"""
CHARGE: Final[dict[str, object]] = {
    **dict.fromkeys(NULL_IN_CHARGE.split()),
    "fraud_details": {},
}

NULL_IN_INTENT: Final = """
    application application_fee_amount automatic_payment_methods on_behalf_of payment_method_configuration_details
    receipt_email review shipping statement_descriptor statement_descriptor_suffix transfer_data transfer_group
"""
INTENT: Final[dict[str, object]] = {
    **dict.fromkeys(NULL_IN_INTENT.split()),
    "payment_method_options": {},
}

DISPUTE: Final[dict[str, object]] = {
    "enhanced_eligibility_types": [],
    "evidence": {"enhanced_evidence": {}},
    "evidence_details": {
        "due_by": None,
        "enhanced_eligibility": {},
        "has_evidence": False,
        "past_due": False,
        "submission_count": 0,
        "submission_method": None,
    },
}

ACCOUNT_SETTINGS: Final[dict[str, object]] = {
    "branding": dict.fromkeys(("icon", "logo", "primary_color", "secondary_color")),
    "card_payments": dict.fromkeys(
        ("statement_descriptor_prefix", "statement_descriptor_prefix_kana", "statement_descriptor_prefix_kanji")
    ),
    "dashboard": {"display_name": "Sandbox", "timezone": "Etc/UTC"},
    "payments": dict.fromkeys(("statement_descriptor", "statement_descriptor_kana", "statement_descriptor_kanji")),
}
