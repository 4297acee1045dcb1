"""The merchant is asked before a charge: a yes lets it go, a no and silence hold it; nothing is spent, no access is lost, and the story says why."""

from tests.core.test_step_calls import UNANSWERED, billed
from tests.core.world import story

FIRST = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""


def test_what_the_merchant_permits_is_charged_and_the_story_says_that_they_were_asked() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  the merchant permits charges
    2026-06-24 09:00  nothing happens
                      call left; attempt 1 None
    2026-06-24 09:00  paid
                      state recovered; notice receipt
    """
    )


def test_what_the_merchant_forbids_is_not_charged_spends_nothing_and_pauses_nobody() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  the merchant forbids charges until 2026-07-20 08:00
    2026-06-24 09:00  nothing happens
                      attempts 0; steps used 0; access grace; holds merchant
    2026-07-19 09:00  nothing happens
                      attempts 0; steps used 0; state scheduled; access grace; no notice
    2026-07-19 10:00  the merchant permits charges
    2026-07-20 09:00  nothing happens
                      holds none; call left; attempt 1 None; notice first
    """
    )


def test_without_a_word_about_when_a_no_counts_for_a_day() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  the merchant forbids charges
    2026-06-24 09:00  nothing happens
                      holds merchant; wakes 2026-06-25 09:00
    """
    )


def test_the_merchant_may_say_when_to_ask_again() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  the merchant forbids charges until 2026-06-24 09:30
    2026-06-24 09:00  nothing happens
                      holds merchant
    2026-06-24 09:10  the merchant permits charges
    2026-06-24 09:30  step 1 sent; paid
                      state recovered; notice receipt
    """
    )


def test_silence_charges_nothing_is_asked_again_soon_and_a_person_hears_of_it_once_a_day() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  the merchant is silent
    2026-06-24 09:00  nothing happens
                      attempts 0; holds merchant
    2026-06-24 09:10  nothing happens
                      no alert
    2026-06-24 09:59  nothing happens
                      alert permission_unanswered
    2026-06-24 10:10  the merchant permits charges
    2026-06-24 12:00  nothing happens
                      attempts 0; access grace
    2026-06-25 09:00  step 1 sent; paid
                      state recovered; notice receipt
    """
    )


def test_a_first_charge_is_made_however_late_once_the_merchant_permits_it() -> None:
    story(
        """
    2026-06-23 09:59  the merchant forbids charges
    2026-06-23 10:00  charge falls due: 4900 usd
                      attempts none; access granted; state scheduled; told of charge none
    2026-06-23 12:00  the merchant permits charges
    2026-06-24 10:00  attempt 0 sent; paid
                      state recovered; notice receipt
    """
    )


def test_a_click_on_what_is_forbidden_is_answered_and_leaves_no_hold() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  the merchant forbids charges
    2026-06-23 12:00  payer clicks pay now
                      answered 409; because the merchant forbids it: hardship; holds none
    """
    )


def test_a_new_card_is_not_charged_for_what_is_forbidden_and_the_next_step_uses_it() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  the merchant forbids charges
    2026-06-23 12:00  new card card_2
                      attempts 0; holds merchant; because the merchant forbids it: hardship
    2026-06-23 13:00  the merchant permits charges
    2026-06-24 12:00  nothing happens
                      call left; sent by method_updated on card_2
    """
    )


def test_a_further_call_of_an_attempt_that_nobody_answered_is_asked_about_too() -> None:
    billed(
        UNANSWERED
        + """
    2026-06-23 10:00:10  look-ups find nothing
    2026-06-23 10:00:20  the merchant forbids charges until 2026-06-23 10:03
    2026-06-23 10:01  nothing happens
                      in flight 0 unknown; steps used 0; holds merchant
    2026-06-23 10:02  the merchant permits charges
    2026-06-23 10:04  sent again; paid
                      attempt 0 succeeded; state recovered; notice receipt
    """
    )


def test_what_the_processor_had_not_begun_is_withdrawn_when_the_merchant_forbids_it_meanwhile() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; not now for 30 s
    2026-06-24 09:00:10  the merchant forbids charges
    2026-06-24 09:02  nothing happens
                      attempt 1 withdrawn; steps used 0; holds merchant
    """
    )


def test_a_backup_method_waits_for_permission_as_the_default_one_does() -> None:
    story(
        """
    policy steps=3d backup_methods=yes
    2026-06-23 09:00  backup card_2
    2026-06-23 09:30  the merchant forbids charges
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      attempts 0; holds merchant; because the merchant forbids it: hardship
    """
    )
