"""What the contract demands of a billing system: keys that live for two days, and answers to a look-up that are never older than the charge."""

from dunr.core.facts import ProcessorFacts

KEY_LIFETIME_SECONDS = 48 * 3600
ADVISING_FACTS = ProcessorFacts(
    key_lifetime_seconds=KEY_LIFETIME_SECONDS, settle_after_seconds=3600, unsettled_alert_seconds=24 * 3600
)  # advice holds for an hour, and its report may take a day
FACTS = ProcessorFacts(key_lifetime_seconds=KEY_LIFETIME_SECONDS, settle_after_seconds=15 * 60, calls_spend_steps=True)
