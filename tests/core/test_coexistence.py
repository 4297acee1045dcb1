"""Two who collect: an invoice that the processor tries by itself is observed, unless the policy says otherwise."""

from dunr.core.decide import decide
from dunr.core.events import PolicyMoved
from dunr.core.policy import Policy
from dunr.core.value import replace
from tests.core.world import facts, story

OWN = """
    2026-06-23 10:00  processor tries again by itself at 2026-06-26 10:00
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      state scheduled; next 2026-06-26 10:00; notice first; alert coexistence; access grace
"""


def test_the_processors_own_date_is_the_only_one_and_a_try_of_ours_never_goes_out() -> None:
    world = story(
        OWN
        + """
    2026-06-26 10:05  nothing happens
                      attempts 0; next 2026-06-26 10:00
    2026-06-26 12:00  processor tries again by itself at 2026-07-01 10:00
    2026-06-26 12:00  somebody looks
                      next 2026-07-01 10:00; attempts 0; notice reminder; no alert
    2026-07-01 11:00  paid elsewhere 4900 as ch_own
                      state recovered; access granted
    """
    )
    assert world.sent == []


def test_a_pause_waits_for_the_processor_and_a_silent_one_is_not_taken_for_one_that_has_given_up() -> None:
    story(
        OWN
        + """
    2026-06-26 10:30  processor does not try by itself
    2026-06-26 10:30  somebody looks
                      state awaiting_customer; steps none; pause 2026-07-07 09:00; no notice
    2026-06-26 18:00  processor tries again by itself at 2026-07-10 10:00
    2026-06-26 18:00  somebody looks
                      state scheduled; next 2026-07-10 10:00; pause 2026-07-10 10:00; notice reminder
    2026-07-09 09:00  nothing happens
                      access grace; attempts 0; no notice
    2026-07-10 10:30  processor does not try by itself
    2026-07-10 10:30  somebody looks
                      state awaiting_customer; pause 2026-07-14 08:00; no notice
    2026-07-13 09:00  nothing happens
                      notice method_needed; access grace
    2026-07-14 10:00  nothing happens
                      access paused; notice paused; state exhausted
    """
    )


def test_a_dead_card_is_not_promised_a_try_and_access_stays_while_the_processor_goes_on() -> None:
    story("""
    2026-06-23 10:00  processor tries again by itself at 2026-07-20 10:00
    2026-06-23 10:00  first charge fails: stolen_card, 4900 usd
                      state awaiting_customer; steps none; notice method_needed; alert coexistence
    2026-07-20 09:00  nothing happens
                      access grace
    2026-07-20 13:00  nothing happens
                      access grace; attempts 0
    2026-07-20 13:30  processor does not try by itself
    2026-07-20 15:00  nothing happens
                      access paused; notice paused
    """)


def test_nobody_here_moves_the_processors_date_or_charges_beside_it() -> None:
    story(
        OWN
        + """
    2026-06-23 11:00  payer clicks pay now
                      answered 409; because by itself; attempts 0
    2026-06-23 11:01  operator postpones to 2026-07-01 09:00
                      answered 409; because processor's own
    2026-06-23 11:02  payer promises for 2026-07-01 09:00
                      answered 409; because processor's own
    2026-06-23 11:03  new card card_2
                      attempts 0; next 2026-06-26 10:00; no notice
    """
    )


def test_backups_are_not_tried_beside_the_processor() -> None:
    story("""
    policy backup_methods=yes
    2026-06-23 09:00  backup card_2
    2026-06-23 10:00  processor tries again by itself at 2026-06-26 10:00
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      attempts 0; notice first; alert coexistence
    """)


def test_the_processor_may_write_about_its_own_tries() -> None:
    story("""
    policy notices_beside_processor=no
    2026-06-23 10:00  processor tries again by itself at 2026-06-26 10:00
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      no notice; alert coexistence; next 2026-06-26 10:00
    """)


def test_a_retry_of_the_processor_that_is_seen_late_replaces_our_plan_once_our_attempt_is_settled() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      next 2026-06-24 09:00; notice first
    2026-06-24 09:00  step 1 sent; no answer
                      in flight 1
    2026-06-24 09:00:30  processor tries again by itself at 2026-06-26 10:00
    2026-06-24 09:00:30  somebody looks
                      alert coexistence; in flight 1
    2026-06-24 09:10  declined insufficient_funds
                      next 2026-06-26 10:00; notice first
    """)


def test_an_attempt_that_never_got_out_gives_way_to_the_processors_date() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent
                      in flight 1
    2026-06-24 09:00  processor tries again by itself at 2026-06-24 15:00
    2026-06-24 09:00  somebody looks
                      alert coexistence; in flight 1
    2026-06-24 09:00  the gate closes: the processor will try again by itself
                      next 2026-06-24 15:00; no notice
    """)


def test_a_hold_comes_before_the_processors_date_and_leaves_it_as_it_is() -> None:
    story(
        OWN
        + """
    2026-06-23 11:00  operator holds
                      holds operator
    2026-06-23 12:00  processor tries again by itself at 2026-06-25 10:00
    2026-06-23 12:00  somebody looks
                      next 2026-06-25 10:00; no notice
    2026-06-23 13:00  operator releases
                      next 2026-06-25 10:00; no notice
    """
    )


def test_a_policy_that_waited_for_an_attempt_takes_over_what_was_left_meanwhile() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; no answer
                      in flight 1
    2026-06-24 09:01  processor tries again by itself at 2026-06-26 10:00
    2026-06-24 09:01  somebody looks
                      alert coexistence
    2026-06-24 09:01  operator moves the policy to coexistence=take_over
                      no alert; no notice
    2026-06-24 09:01  declined insufficient_funds
                      next 2026-06-26 10:00; notice first
    2026-06-24 09:02  somebody looks
                      take-over asked; alert coexistence; next 2026-06-29 09:00; notice reminder
    """)


def test_a_case_moves_to_another_policy_although_the_processor_cannot_be_read() -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    """)
    dossier = replace(world.dossier("in_1", None), policy_next=Policy(name="other"))
    moved = decide(dossier, PolicyMoved("alex", "other"), facts(), world.now).case
    assert moved is not None
    assert (moved.beside, moved.policy_next_hash) == (None, None)


def test_a_payer_who_has_died_is_held_whoever_collects() -> None:
    story("""
    2026-06-23 10:00  processor tries again by itself at 2026-06-26 10:00
    2026-06-23 10:00  first charge fails: r15, 4900 usd
                      alert coexistence, payer_deceased; no notice; state awaiting_customer
    """)


def test_an_invoice_that_waited_for_access_is_left_to_the_processor_all_the_same() -> None:
    story("""
    policy steps=1bd floor=1bd
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
    2026-06-24 10:00  nothing happens
                      state exhausted; access paused; notice paused
    2026-07-23 10:00  in_2: processor tries again by itself at 2026-08-25 10:00
    2026-07-23 10:00  in_2: first charge fails: insufficient_funds, 4900 usd
                      in_2: steps none; in_2: notice method_needed; in_2: alert coexistence
    2026-08-20 10:01  in_1: paid elsewhere 4900 as ch_x
                      in_2: state scheduled; in_2: next 2026-08-25 10:00; in_2: notice first
    """)
