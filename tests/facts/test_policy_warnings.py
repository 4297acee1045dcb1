"""What a policy file may say and may not mean: flagged with its line and the rule that it breaks, and not refused."""

import pytest

from dunr.core.terms import Rail
from dunr.facts.complaints import Level
from dunr.facts.policies import policies_from_toml, shipped_text

# what the file says, its line, what is flagged
FLAGGED = [
    ("strategy = 'fibonacci'\nattempts_max = 14\ncard_attempts_24h_max = 15", 1, "mastercard-10-in-24-hours"),
    ("final_action = 'none'\ndeadline_days = 20", 2, "has no effect, since nothing pauses"),
    ("window = {from_hour = 9, until_hour = 17}\nsnap = false", 1, "no effect with snap = false"),
    (
        "strategy = 'fibonacci'\nattempts_max = 14\ncard_attempts_24h_max = 15\n[window]\nfrom_hour = 9",
        4,
        "binds steps in days",
    ),
    ("steps = []\ndeadline_days = 9\nfirst_notice_after_first_retry = true", 3, "there is no retry"),
    ("reasons.merchant_error = {steps_max = 1}", 1, "treated as unknown"),
    ("strategy = 'funds_aware'\ndeadline_days = 30", 2, "steps go on after the pause"),
    ("deadline_days = 15\n[window]\nweekdays_only = true", 1, "steps go on after the pause"),
    ("default = 'gentle'\n[policies.mine]\nat_hour = 8", 2, "no case gets the policy mine"),
]


@pytest.mark.parametrize(("text", "line", "flagged"), FLAGGED)
def test_what_may_not_be_meant_is_flagged_with_the_rule_that_it_breaks(text: str, line: int, flagged: str) -> None:
    warnings = policies_from_toml(text, "mine.toml", "mine").warnings
    (warning,) = [one for one in warnings if flagged in one.text]
    assert warning.level is Level.WARNING
    assert str(warning).startswith(f"mine.toml:{line}: warning: ")


def test_a_policy_is_weighed_by_the_rails_that_it_serves() -> None:
    rules = {rail: _rules_broken("business_days", rail) for rail in Rail}
    assert rules == {
        Rail.CARD: [],
        Rail.ACH: ["nacha-2-retries"],
        Rail.UPI: ["upi-3-retries"],
        Rail.SEPA: [],
        Rail.BACS: [],
        Rail.CARRIER: [],
    }
    assert all(_rules_broken("direct_debit", rail) == [] for rail in (Rail.ACH, Rail.SEPA, Rail.BACS))
    segment = "default = 'gentle'\n[policies.mine]\nstrategy = 'business_days'\n[[segments]]\nname = 'a'\npolicy = 'mine'\nrails = ['ach']"
    (warning,) = policies_from_toml(segment, "mine.toml", "mine").warnings
    assert (warning.line, "nacha-2-retries" in warning.text) == (3, True)


def _rules_broken(name: str, rail: Rail) -> list[str]:
    warnings = policies_from_toml(shipped_text(name), name, name, (rail,)).warnings
    return [one.text.split("(")[-1].split(")")[0] for one in warnings]


def test_what_the_acquirer_allows_is_taken_into_account() -> None:
    steps = "steps = [" + "{after = 1, unit = 'days'}," * 17 + "]\nattempts_max = 18\ncard_attempts_30d_max = 18\n"
    assert [one for one in policies_from_toml(steps, "m", "m").warnings if "visa-15-in-30-days" in one.text]
    allowed = policies_from_toml(steps + "acquirer_allows = ['visa-20-in-30-days']", "m", "m")
    assert not [one for one in allowed.warnings if "visa" in one.text]
