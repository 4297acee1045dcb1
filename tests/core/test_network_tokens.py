"""A network token gets a fresh cryptogram before each step, where the processor offers it; what the network says does not undo a theft."""

from dunr.core.value import replace
from dunr.facts.load import load_facts
from dunr.testing.scenario import play
from tests.core.world import FRESH, story

TOKEN = """
    2026-06-23 10:00  card card_1 is a network token; first charge fails: insufficient_funds, 4900 usd
                      notice first; no refresh
    2026-06-24 09:00  nothing happens
                      refresh asked; attempts 0
"""


def test_a_network_token_gets_a_fresh_cryptogram_before_each_step() -> None:
    story(
        TOKEN
        + """
    2026-06-24 09:01  updater finds a fresh cryptogram
                      call left; sent by timer on card_1; refreshes hit
    2026-06-24 09:01  declined insufficient_funds
                      next 2026-06-29 09:00; notice reminder
    2026-06-29 09:00  nothing happens
                      refresh asked; attempts 1
    2026-06-29 09:01  updater misses
                      call left; attempts 2; refreshes hit, miss
    2026-06-29 09:01  paid
                      state recovered; steps used 2; notice receipt
    """
    )


def test_a_token_whose_card_had_expired_may_be_charged_with_a_fresh_cryptogram() -> None:
    story(
        """
    2026-06-23 10:00  card card_1 is a network token; first charge fails: expired_card, 4900 usd
                      refresh asked
    2026-06-23 10:00  updater finds a fresh cryptogram
                      call left; sent by updater on card_1
    2026-06-23 10:00  paid
                      state recovered; notice receipt
    """,
        FRESH,
    )


def test_a_processor_that_renews_no_cryptogram_is_not_asked_for_one() -> None:
    bare = load_facts()
    bare = replace(bare, processors={"sandbox": replace(bare.processors["sandbox"], capabilities=frozenset())})
    play(
        TOKEN.split("2026-06-24", maxsplit=1)[0] + "2026-06-24 09:00  step 1 sent; paid\n notice receipt; no refresh\n",
        bare,
    )


def test_a_token_that_was_reported_stolen_stays_stopped_whatever_the_network_says() -> None:
    world = story(
        """
    2026-06-22 10:00  card card_1 is a network token
    2026-06-22 10:00  in_2: subscription sub_2
    2026-06-23 10:00  in_1: first charge fails: expired_card, 4900 usd
                      refresh asked
    2026-06-23 10:00  in_2: first charge fails: stolen_card, 1000 usd
                      in_2: notice method_needed
    2026-06-23 10:01  in_1: updater finds a fresh cryptogram
                      in_1: attempts 0; in_1: state awaiting_customer; in_1: notice method_needed
    """,
        FRESH,
    )
    assert world.case("in_1") is not None
