"""A plan from a few words: who pays, where, after which decline, and the dates that come of it."""

from datetime import datetime

from dunr.core.circumstances import Circumstances
from dunr.core.policy import Policy, ReasonRule, Strategy, Window
from dunr.core.schedule import Laid, lay
from dunr.core.strategies import rungs
from dunr.core.terms import DeclineReason
from tests.core.world import facts, utc

FUNDS = DeclineReason.INSUFFICIENT_FUNDS
OFFICE = Window(from_hour=9, until_hour=18, weekdays_only=True)


def by(
    strategy: Strategy,
    steps_max: int,
    *,
    reason: DeclineReason = FUNDS,
    window: Window | None = None,
    snap: bool = True,
    calendar: str | None = None,
) -> Policy:
    """A policy that gives one reason one strategy."""
    rule = ReasonRule(steps_max, strategy)
    return Policy(name=strategy, reasons=((reason, rule),), window=window, snap=snap, calendar=calendar)


def around(
    policy: Policy,
    failed_at: datetime,
    zone: str = "UTC",
    country: str | None = None,
    *,
    wait_until_at: datetime | None = None,
) -> Circumstances:
    """The circumstances of a payer in a zone and a country, whose bank may have asked to wait."""
    return Circumstances(
        policy,
        facts(),
        failed_at,
        zone,
        "the payer's own time zone",
        country,
        floor_at=wait_until_at,
        floor_why="the bank or its network asked to wait until then",
        issuer_wait_until_at=wait_until_at,
    )


def laid(
    policy: Policy,
    failed: str,
    zone: str = "UTC",
    country: str | None = None,
    *,
    reason: DeclineReason = FUNDS,
    wait_until: str | None = None,
) -> Laid:
    """The plan of a charge that failed at an instant (UTC), declined for one reason again and again."""
    failed_at = utc(failed)
    wait_until_at = utc(wait_until) if wait_until is not None else None
    where = around(policy, failed_at, zone, country, wait_until_at=wait_until_at)
    return lay(rungs(policy, facts(), reason, 0, 0, 0), failed_at, where)


def dates(plan: Laid) -> list[str]:
    """The instants of a plan (UTC), seconds left out where there are none."""
    return [f"{step.at:%Y-%m-%d %H:%M:%S}".removesuffix(":00") for step in plan.steps]
