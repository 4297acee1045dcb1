"""The limits of the automatic brake as the core wants them."""

from dunr.core.brake import BrakeRule
from dunr.settings.values import Settings


def brake_rule(settings: Settings) -> BrakeRule:
    """Percents of the settings are shares of the rule."""
    return BrakeRule(
        sends_min=settings.brake_sends_min,
        decline_above=settings.brake_decline_percent / 100,
        unknown_above=settings.brake_unknown_percent / 100,
        hold_minutes=settings.brake_hold_minutes,
        resume_minutes=settings.brake_resume_minutes,
    )
