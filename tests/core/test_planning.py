"""Which dates a case gets, and what becomes of those that pass."""

from tests.core.world import story

FIRST = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""


def test_c35_four_retries_and_one_original() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      notice reminder
    2026-07-02 09:00  step 3 sent; declined insufficient_funds
                      notice final_warning
    2026-07-07 09:00  step 4 sent; declined insufficient_funds
                      state exhausted; attempts 4; paused at 2026-07-07 09:00; notice paused
    """
    )


def test_c35_the_same_when_the_failure_is_heard_before_the_call_returns() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined elsewhere insufficient_funds as ch_a1_in_1; declined insufficient_funds
                      notice reminder; next 2026-06-29 09:00; steps used 1
    2026-06-29 09:00  step 2 sent; declined insufficient_funds; somebody looks
                      notice reminder; next 2026-07-02 09:00; steps used 2
    """
    )


def test_c36_the_payer_s_own_tries_spend_no_step() -> None:
    clicks = "".join(
        f"""
    2026-06-23 10:{minute}  payer clicks pay now; attempt {number} sent; declined insufficient_funds
                      steps used 0; state scheduled; access grace; next 2026-06-24 09:00; no notice; answered 202"""
        for number, minute in ((1, 10), (2, 20), (3, 30), (4, 40), (5, 50))
    )
    story(
        FIRST
        + clicks
        + """
    2026-06-23 11:00  payer clicks pay now
                      answered 429; attempts 5; no notice
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      steps used 1; notice reminder
    2026-06-24 10:09  payer clicks pay now
                      answered 429
    2026-06-24 10:10  payer clicks pay now; attempt 7 sent; paid
                      state recovered; notice receipt; steps used 1
    """
    )


def test_c49_the_deadline_counts_from_today_s_failure() -> None:
    story("""
    policy deadline_days=14
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      pause 2026-07-07 10:00; access grace; notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      notice reminder
    2026-07-02 09:00  step 3 sent; declined insufficient_funds
                      notice final_warning
    2026-07-07 09:00  step 4 sent; declined insufficient_funds
                      state exhausted; access grace; pause 2026-07-07 10:00
    2026-07-07 10:00  nothing happens
                      access paused; notice paused
    """)


def test_steps_may_go_on_after_an_explicit_deadline() -> None:
    story("""
    policy deadline_days=2 steps=1d,3d
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      pause 2026-06-25 10:00; notice first
    2026-06-24 10:00  step 1 sent; declined insufficient_funds
                      notice final_warning
    2026-06-25 10:00  nothing happens
                      access paused; state scheduled; notice paused
    2026-06-27 10:00  step 2 sent; paid
                      state recovered; access granted; notice receipt
    """)


# --- missed steps ---------------------------------------------------------------------------------------------------------


def test_a_step_late_by_half_an_hour_runs() -> None:
    story(
        FIRST
        + """
    2026-06-24 08:59  nobody is awake for 31 minutes; somebody looks
                      in flight 1; call left
    2026-06-24 09:31  declined insufficient_funds
                      next 2026-06-29 09:00; notice reminder
    """
    )


def test_a_step_late_by_more_than_an_hour_is_laid_anew() -> None:
    story(
        FIRST
        + """
    2026-06-24 08:59  nobody is awake for 62 minutes; somebody looks
                      attempts 0; steps 1 2026-06-25 09:00, 2 2026-06-30 09:00, 3 2026-07-03 09:00, 4 2026-07-08 09:00
                      pause 2026-07-08 09:00; no notice
    """
    )


def test_a_failure_heard_of_half_an_hour_after_its_first_step_runs_that_step_now() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd, unseen
    2026-06-24 09:30  the webhook arrives
                      in flight 1; call left; no notice
    2026-06-24 09:31  paid
                      state recovered; notice receipt
    """)


def test_a_failure_heard_of_days_later_is_laid_out_from_then() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd, unseen
    2026-06-26 12:00  the webhook arrives
                      steps 1 2026-06-29 09:00, 2 2026-07-02 09:00, 3 2026-07-07 09:00, 4 2026-07-10 09:00; notice first
    """)


def test_a_case_held_across_two_steps_runs_one_of_them() -> None:
    story(
        FIRST
        + """
    2026-06-23 12:00  operator holds until 2026-07-03 12:00
                      holds operator; answered 202
    2026-07-03 11:59  nothing happens
                      attempts 0; no notice; access grace
    2026-07-03 12:00  nothing happens
                      holds none; attempts 0
                      steps 1 2026-07-06 09:00, 2 2026-07-09 09:00, 3 2026-07-14 09:00, 4 2026-07-17 09:00; notice first
    2026-07-06 09:00  step 1 sent; declined insufficient_funds
                      notice reminder; next 2026-07-09 09:00
    """
    )


def test_missed_minutes_are_skipped_and_later_steps_keep_their_times() -> None:
    story("""
    policy steps=1m,1m,2m,3m,5m,8m,13m,21m floor=1d
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 10:01  step 1 sent
    2026-06-23 10:01:30  no answer; look-ups find it declined insufficient_funds
    2026-06-23 10:02:30  nothing happens
                      attempt 1 declined; notice reminder
                      steps 3 2026-06-23 10:04, 4 2026-06-23 10:07, 5 2026-06-23 10:12, 6 2026-06-23 10:20, 7 2026-06-23 10:33, 8 2026-06-23 10:54
    2026-06-23 10:04  step 3 sent; declined insufficient_funds
                      notice reminder; steps used 3
                      steps 4 2026-06-23 10:07, 5 2026-06-23 10:12, 6 2026-06-23 10:20, 7 2026-06-23 10:33, 8 2026-06-23 10:54
    2026-06-23 10:05  operator holds until 2026-06-23 11:30
    2026-06-23 11:30  nothing happens
                      state exhausted; attempts 2; no notice
    """)


def test_a_mixed_ladder_skips_its_minutes_and_lays_the_rest_anew() -> None:
    story("""
    policy steps=30m,12h,2d floor=1d
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd, unseen
    2026-06-23 11:00  the webhook arrives
                      steps 2 2026-06-23 22:30, 3 2026-06-25 22:30; notice reminder
    """)
    story("""
    policy steps=30m,12h,2d floor=1d
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd, unseen
    2026-06-24 09:00  the webhook arrives
                      attempts 1; call left; in flight 1; steps 2 2026-06-24 09:00, 3 2026-06-26 09:00
                      no notice
    2026-06-24 09:01  declined insufficient_funds
                      steps 3 2026-06-26 09:00; notice final_warning
    """)
