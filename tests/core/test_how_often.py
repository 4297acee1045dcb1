"""How often the customer is written to: never once a rung, and the last word once; and in whose name."""

from dunr.core.effects import Notice
from dunr.core.policy import Policy
from tests.core.test_warnings_and_pauses import UNTIL_STEP_4
from tests.core.world import story


def test_steps_that_are_minutes_apart_do_not_mean_a_mail_each_but_the_warning_goes_out() -> None:
    story("""
    policy steps=10m,30m,3d floor=1d
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      no notice
    2026-06-23 10:10  step 1 sent; declined insufficient_funds
                      no notice
    2026-06-23 10:40  step 2 sent; declined insufficient_funds
                      notice final_warning
    """)


def test_the_last_word_is_said_once_however_often_somebody_looks() -> None:
    story(
        UNTIL_STEP_4
        + """
    2026-07-02 09:00  step 3 sent; declined insufficient_funds
                      notice final_warning
    2026-07-07 09:00  step 4 sent; declined insufficient_funds
                      access paused; notice paused
    2026-07-07 09:05  somebody looks
                      no notice
    2026-07-08 09:00  somebody looks
                      no notice
    2026-07-20 09:00  somebody looks
                      no notice
    """
    )


def test_a_notice_names_the_brand_of_the_policy_that_the_case_runs_under() -> None:
    world = story(
        """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    """,
        Policy(name="gold", brand="premium"),
    )
    assert [effect.brand for effect in world.effects.values() if isinstance(effect, Notice)] == ["premium"]
