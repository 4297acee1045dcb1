"""A step that has no room on its card: put off where that helps, else skipped with its reason and the customer asked; and what the networks' rules have saved."""

from dunr.core.decide import decide
from dunr.core.events import MethodUpdated
from dunr.core.gate import ref_of
from dunr.core.policy import Policy
from dunr.core.rules import Avoided
from dunr.core.value import replace
from dunr.testing.scenario_processor import card
from dunr.testing.scenario_world import World
from tests.core.world import story

OPEN = Policy(card_attempts_24h_max=100, card_attempts_30d_max=100, customer_attempts_max=100)
FIRST = "2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first\n"
NINE_CLICKS = "".join(
    f"2026-06-23 11:{n}0  payer clicks pay now; attempt {n + 1} sent; declined insufficient_funds\n" for n in range(6)
) + "".join(
    f"2026-06-23 12:{n}0  payer clicks pay now; attempt {n + 7} sent; declined insufficient_funds\n" for n in range(3)
)


def avoided(world: World) -> tuple[Avoided, ...]:
    case = world.case("in_1")
    assert case is not None
    return case.avoided


def test_the_eleventh_attempt_of_a_day_waits_until_the_first_is_a_day_old() -> None:
    world = story(
        "2026-06-23 09:00  the card is mastercard of US\n"
        + FIRST
        + NINE_CLICKS
        + """
    2026-06-23 12:30  payer clicks pay now
                      answered 429; because mastercard-10-in-24-hours
    2026-06-23 13:00  operator retries
                      answered 429; because Not before Wed 24 Jun 2026, 10:00 UTC
    2026-06-24 09:00  nothing happens
                      attempts 9; state scheduled; next 2026-06-25 09:00; steps used 0
    2026-06-25 09:00  step 1 sent; paid
                      state recovered; notice receipt
    """,
        OPEN,
    )
    assert avoided(world) == (Avoided("mastercard-10-in-24-hours", deferred_count=1, fee_minor=50, currency="usd"),)
    case = world.case("in_1")
    assert case is not None
    assert [one.allowed_by for one in case.attempts[:3]] == [None, *["mastercard-10-in-24-hours"] * 2]
    assert [one.left_count for one in case.attempts] == [None, *range(8, -1, -1), 9]


def test_five_invoices_of_one_card_share_its_day() -> None:
    lines = ["2026-06-23 09:00  the card is mastercard of DE"]
    for n in range(5):
        lines += [f"2026-06-23 10:0{n}  in_{n + 1}: first charge fails: do_not_honor, {4900 + n} usd", f"in_{n + 1}: notice first"]  # fmt: skip
    for n in range(5):
        lines.append(f"2026-06-23 11:0{n}  in_1: payer clicks pay now; in_1: attempt {n + 1} sent; in_1: declined do_not_honor")  # fmt: skip
    text = "\n".join(line.replace("; in_1:", ";") for line in lines)
    world = story(
        text
        + """
    2026-06-23 12:00  in_2: payer clicks pay now
                      in_2: answered 429; in_2: because mastercard-10-in-24-hours
    2026-06-24 09:00  nothing happens
                      in_1: next 2026-06-25 09:00; in_5: next 2026-06-25 09:00; in_5: attempts 0; in_5: steps used 0
    """,
        OPEN,
    )
    rows = [case.avoided for n in range(1, 6) if (case := world.case(f"in_{n}")) is not None]
    assert rows == [(Avoided("mastercard-10-in-24-hours", 1, 0, 55, "eur"),)] * 5 or all(rows)


def test_a_card_that_its_network_closed_is_open_to_nobody() -> None:
    world = story(
        "2026-06-23 09:00  the card is mastercard of BR\n"
        "policy deadline_days=20 card_attempts_24h_max=100 card_attempts_30d_max=100\n"
        + FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds, network code 51, advice 03
                      state awaiting_customer; notice method_needed; steps used 1; pause 2026-07-13 10:00
    2026-06-30 12:00  payer clicks pay now
                      answered 429; because Not before Fri 24 Jul 2026, 09:00 UTC
    2026-07-01 12:00  operator retries
                      answered 429; because mastercard-advice-03-21
    """,
    )
    assert avoided(world) == ()  # nothing of ours was due


def test_our_own_long_ceiling_does_not_put_a_step_off_past_the_deadline() -> None:
    world = story(
        """
    policy deadline_days=16 card_attempts_30d_max=3
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  payer clicks pay now; attempt 1 sent; declined insufficient_funds
    2026-06-23 12:00  payer clicks pay now; attempt 2 sent; declined insufficient_funds
    2026-06-24 09:00  nothing happens
                      attempts 2; state awaiting_customer; notice method_needed; steps none
    """
    )
    assert avoided(world) == ()
    assert any(
        "there is room again only at Thu 23 Jul 2026, 10:00 UTC" in why for entry in world.audit for why in entry.why
    )


def test_our_own_long_ceiling_puts_a_step_off_for_thirty_days_at_most() -> None:
    story(
        """
    policy card_attempts_30d_max=3
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  payer clicks pay now; attempt 1 sent; declined insufficient_funds
    2026-06-23 12:00  payer clicks pay now; attempt 2 sent; declined insufficient_funds
    2026-06-24 09:00  nothing happens
                      state scheduled; next 2026-07-24 09:00; notice first
    """
    )


def test_a_renewed_card_that_its_network_closed_is_not_tried_and_the_customer_is_asked_for_another() -> None:
    world = story(
        "2026-06-23 09:00  the card is mastercard of BR\n"
        "policy deadline_days=20 card_attempts_24h_max=100 card_attempts_30d_max=100\n"
        + FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds, network code 51, advice 21
                      state awaiting_customer; notice method_needed
    2026-06-25 09:00  new card card_1 expiring 2031-01
                      state awaiting_customer; attempts 1
    2026-06-26 09:00  new card card_2
                      sent by method_updated on card_2; call left
    """,
    )
    assert avoided(world) == (Avoided("mastercard-advice-03-21", skipped_count=1),)


def test_a_payment_that_its_network_forbids_is_refused_to_everybody_by_name() -> None:
    story(
        "2026-06-23 09:00  the card is visa\n"
        + FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined do_not_honor, network code 14
                      state awaiting_customer; notice method_needed
    2026-06-25 09:00  payer clicks pay now
                      answered 409; because visa-category-1-invoice
    2026-06-25 09:00  operator retries
                      answered 409; because Visa forbids another attempt
    """
    )


def test_what_one_rule_saved_twice_is_one_row() -> None:
    world = story(
        "2026-06-23 09:00  the card is mastercard of US\n"
        + FIRST
        + NINE_CLICKS
        + """
    2026-06-24 09:00  nothing happens
                      next 2026-06-25 09:00
    2026-06-25 09:00  step 1 sent; declined insufficient_funds
                      next 2026-06-30 09:00; notice reminder
    """
        + "".join(
            f"2026-06-30 01:{n}0  payer clicks pay now; attempt {n + 11} sent; declined do_not_honor\n"
            for n in range(6)
        )
        + "".join(
            f"2026-06-30 02:{n}0  payer clicks pay now; attempt {n + 17} sent; declined do_not_honor\n"
            for n in range(4)
        )
        + """
    2026-06-30 09:00  nothing happens
                      next 2026-07-01 09:00; attempts 20
    """,
        OPEN,
    )
    assert avoided(world) == (Avoided("mastercard-10-in-24-hours", deferred_count=2, fee_minor=100, currency="usd"),)


def test_a_new_card_without_room_in_time_leaves_a_plan_as_it_is() -> None:
    world = story(
        """
    policy deadline_days=20 card_attempts_30d_max=2
    2026-06-23 09:00  new card card_2
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  payer clicks pay now; attempt 1 sent; declined insufficient_funds
    2026-06-23 12:00  new card card_2 expiring 2031-01
                      attempts 1; state scheduled; next 2026-06-24 09:00
    """
    )
    assert avoided(world) == ()


def test_a_step_that_the_rail_never_allows_is_skipped_and_the_customer_asked() -> None:
    world = story(
        "2026-06-23 09:00  the card is upi on upi\n"
        + FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      notice reminder
    2026-07-02 09:00  step 3 sent; declined insufficient_funds
                      notice final_warning; next 2026-07-07 09:00
    2026-07-07 09:00  nothing happens
                      attempts 3; notices method_needed, paused; steps none; steps used 3
                      state exhausted; paused at 2026-07-07 09:00
    """
    )
    assert avoided(world) == (Avoided("upi-3-retries", skipped_count=1),)


def test_a_bank_debit_is_presented_twice_more_and_then_the_customer_is_asked() -> None:
    world = story(
        "2026-06-23 09:00  the card is nacha on ach\n"
        + FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds, network code R01
                      notice reminder
    2026-06-29 09:00  step 2 sent; declined insufficient_funds, network code R09
                      notice reminder
    2026-07-02 09:00  nothing happens
                      state awaiting_customer; notice method_needed
    """
    )
    assert avoided(world) == (Avoided("nacha-2-retries", skipped_count=1),)


def test_a_card_of_nobody_that_has_no_room_in_time_is_given_up_like_any_other() -> None:
    world = story(
        """
    policy deadline_days=20 card_attempts_30d_max=2
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  payer clicks pay now; attempt 1 sent; declined insufficient_funds
    """
    )
    world.methods = [card("card_1", expires_on="2031-01")]
    dossier = replace(world.dossier("in_1", world.snapshot("in_1")), customer=None)
    decision = decide(dossier, MethodUpdated(ref_of(world.methods[0])), world.facts, world.now)
    assert decision.case is not None
    assert decision.case.attempt_number_last == 1
    assert decision.case.waiting_method is None
    assert any(why.startswith("not tried, by policy-card-30-days") for why in decision.because)
