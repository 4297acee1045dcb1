"""How unkind a world is: rates and switches drawn from its seed once, so that each world has its own kind of trouble."""

from datetime import timedelta
from random import Random

from dunr.core.policy import Policy, ReasonRule, Step, Strategy
from dunr.core.terms import DeclineReason, FinalAction, RestoreOn, StepUnit, WhilePaused
from dunr.core.value import Value, replace

DAYS = tuple(Step(after, StepUnit.DAYS) for after in (1, 2, 3))
MINUTES = tuple(Step(after, StepUnit.MINUTES) for after in (1, 1, 2, 3, 5))
HOURS = tuple(Step(after, StepUnit.HOURS) for after in (2, 12))
ONE = (Step(1, StepUnit.DAYS),)

FRESH_FIRST = tuple(
    (reason, ReasonRule(1, Strategy.REQUIRE_UPDATER))
    for reason in (DeclineReason.EXPIRED_CARD, DeclineReason.CREDENTIAL_UPDATED)
)

POLICIES = (
    Policy(),
    Policy(name="days", steps=DAYS, floor=DAYS, final_action=FinalAction.CANCEL),
    Policy(name="minutes", steps=MINUTES, floor=ONE, while_paused=WhilePaused.FULL),
    Policy(name="hours", steps=HOURS, floor=(), deadline_days=3, restore_on=RestoreOn.PAYMENT),
    Policy(name="one", steps=ONE, floor=ONE, while_paused=WhilePaused.SKIP, first_notice_after_first_retry=True),
    Policy(name="no_end", timezone="Europe/Berlin", final_action=FinalAction.NONE),
    Policy(name="fresh", reasons=FRESH_FIRST, backup_methods=True),
    Policy(name="fresh_hours", steps=HOURS, floor=ONE, reasons=FRESH_FIRST, while_paused=WhilePaused.FULL),
    Policy(name="tight", card_attempts_24h_max=2, card_attempts_30d_max=5, customer_attempts_max=2),
)

TICKS = (timedelta(0), timedelta(milliseconds=3), timedelta(milliseconds=400))


class Weather(Value):
    """The rates of one world. A rate is a probability per occasion."""

    policy: Policy
    tick: timedelta  # how far the clock moves with each turn
    workers_count: int = 1
    kill_rate: float = 0.0  # per turn
    freeze_rate: float = 0.0
    lost_request_rate: float = 0.0  # per call
    lost_answer_rate: float = 0.0
    late_rate: float = 0.0  # the processor books it after our time-out
    busy_rate: float = 0.0  # 429
    bad_request_rate: float = 0.0
    slow_rate: float = 0.0
    partial_rate: float = 0.0
    look_up_failure_rate: float = 0.0
    snapshot_failure_rate: float = 0.0
    outages_count: int = 0  # of days, in which the processor cannot be read
    webhook_drop_rate: float = 0.0
    webhook_delay_rate: float = 0.0
    webhook_repeat_rate: float = 0.0
    mail_failure_rate: float = 0.0
    merchant_failure_rate: float = 0.0  # of the application and of the people who get alerts
    guard: bool = False  # the processor refuses a new key for a paid invoice
    shows_keys: bool = True  # its charges carry our idempotency key
    acts_count: int = 2  # what people do by themselves
    debit: bool = False  # a slow rail instead of a card
    sweeps_count: int = 0
    updater_hit_rate: float = 0.4
    token: bool = False  # the cards are kept as network tokens
    backups_count: int = 0  # further cards on file, which the customer mostly agreed to have charged


CALM = Weather(POLICIES[0], TICKS[1])


def draw(rng: Random) -> Weather:
    """The weather of a world. Half of the troubles are absent from any one world, so that each is also seen by itself."""

    def some(most: float) -> float:
        return rng.random() * most if rng.random() < 0.5 else 0.0  # noqa: PLR2004  # half of the worlds

    def some_or_all(most: float, all_rate: float) -> float:
        return 1.0 if rng.random() < all_rate else some(most)  # in a few worlds it never works while trouble lasts

    storm = some(1.0)
    return replace(
        CALM,
        policy=POLICIES[0] if rng.random() < 0.4 else rng.choice(POLICIES),  # noqa: PLR2004
        tick=rng.choice(TICKS),
        workers_count=1 if rng.random() < 0.5 else 2,  # noqa: PLR2004
        kill_rate=some(0.05),
        freeze_rate=some(0.06),
        lost_request_rate=some(0.2),
        lost_answer_rate=some(0.4),
        late_rate=some(0.4),
        busy_rate=some_or_all(0.15, 0.005),
        bad_request_rate=some(0.05),
        slow_rate=some(0.5),
        partial_rate=some(0.1),
        look_up_failure_rate=some_or_all(0.5, 0.05),
        snapshot_failure_rate=some(0.2),
        outages_count=rng.choice((0, 0, 1, 2)) if storm else 0,
        webhook_drop_rate=some(0.3),
        webhook_delay_rate=some(0.5),
        webhook_repeat_rate=some(0.3),
        mail_failure_rate=some_or_all(0.4, 0.05),
        merchant_failure_rate=some(0.3),
        guard=rng.random() < 0.15,  # noqa: PLR2004
        shows_keys=rng.random() < 0.8,  # noqa: PLR2004
        acts_count=rng.choice((0, 1, 2, 3, 5, 8)),
        debit=rng.random() < 0.2,  # noqa: PLR2004
        sweeps_count=rng.choice((0, 0, 1)),
        updater_hit_rate=rng.choice((0.0, 0.4, 0.8)),
        token=rng.random() < 0.2,  # noqa: PLR2004
        backups_count=rng.choice((0, 0, 1, 2)),
    )


def healed(weather: Weather) -> Weather:
    """The same world when all its faults are mended; what it is by nature stays."""
    return replace(
        CALM,
        policy=weather.policy,
        tick=weather.tick,
        guard=weather.guard,
        shows_keys=weather.shows_keys,
        debit=weather.debit,
        updater_hit_rate=weather.updater_hit_rate,
        token=weather.token,
        backups_count=weather.backups_count,
    )


def in_words(weather: Weather) -> str:
    """What is unkind in a world, for people: the policy by its name, and everything that differs from a calm day."""
    troubles = [
        f"{name.removesuffix('_rate').replace('_', ' ')} {value:.0%}"
        if isinstance(value, float)
        else f"{name.replace('_', ' ')} {value}"
        for name in Weather.__struct_fields__
        for value in (getattr(weather, name),)
        if name != "policy" and value != getattr(CALM, name)
    ]
    return f"policy {weather.policy.name}; {', '.join(troubles) or 'nothing goes wrong by itself'}"
