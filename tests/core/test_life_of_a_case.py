"""The baseline: one failed charge, four retries, a pause, and a way back."""

from tests.core.world import story


def test_the_whole_life_of_a_case_that_is_never_paid() -> None:
    story("""
        policy business_days
        2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                          state scheduled; access grace; next 2026-06-24 09:00; notice first
                          steps 1 2026-06-24 09:00, 2 2026-06-29 09:00, 3 2026-07-02 09:00, 4 2026-07-07 09:00
                          pause 2026-07-07 09:00; booked opened 4900
        2026-06-24 09:00  step 1 sent; declined insufficient_funds
                          attempt 1 declined, key dunr-in_1-a1, amount 4900
                          state scheduled; access grace; next 2026-06-29 09:00; notice reminder
        2026-06-29 09:00  step 2 sent; declined insufficient_funds
                          state scheduled; access grace; next 2026-07-02 09:00; notice reminder
        2026-07-02 09:00  step 3 sent; declined insufficient_funds
                          state scheduled; access grace; next 2026-07-07 09:00; notice final_warning
        2026-07-07 09:00  step 4 sent; declined insufficient_funds
                          state exhausted; access paused; next none; notice paused
                          booked opened 4900, delinquent 4900
        2026-12-31 09:00  nothing happens
                          state exhausted; access paused; attempts 4; wakes none
    """)
