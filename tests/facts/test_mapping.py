"""A merchant's own meanings: what is wrong with one is said with what to write; and what an unknown code probably means."""

import pytest

from dunr.core.terms import DeclineReason
from dunr.facts.mapping import as_keys, problem_with, problems_in
from dunr.facts.proposing import proposal_for

R = DeclineReason
SANDBOX = frozenset({"sandbox"})


@pytest.mark.parametrize(
    ("key", "says"),
    [
        (("stripe", "decline", "new"), "names no field of a decline: write one of code, decline_code"),
        (("stripe", "network_decline_code", "05"), "is a network's code under a processor: write the network first"),
        (("visa", "decline_code", "05"), "is a processor's code under a network: write the processor first"),
        (("stripe", "decline_code", ""), "holds no code"),
        (("stripe", "decline_code", " new "), "holds no code"),
        (("stripe", "decline_code", "x" * 101), "holds no code"),
        (
            ("stripe", "decline_code", "new\x1b[31m"),
            r"decline_code, 'new\x1b[31m' holds a character that cannot be seen",
        ),
        (("stripe", "decline_code", "a\0b"), "holds a character that cannot be seen"),
        (("stripe", "decline_code", "\u202enew"), "holds a character that cannot be seen"),
    ],
)
def test_a_key_that_no_decline_could_have_is_refused(key: tuple[str, str, str], says: str) -> None:
    assert says in (problem_with(key) or "")


@pytest.mark.parametrize(
    "key",
    [
        ("stripe", "decline_code", "new"),
        ("a billing system of our own", "code", "17"),
        ("visa", "network_decline_code", "8X"),
        ("interac", "network_advice_code", "1"),
    ],
)
def test_a_key_that_a_decline_may_have_is_not(key: tuple[str, str, str]) -> None:
    assert problem_with(key) is None


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ({"strip": {"decline_code": {"new": "do_not_honor"}}}, "names 'strip', which is neither"),
        ({"strip": {"decline_code": {"new": "do_not_honor"}}}, "write stripe"),
        ({"stripe": {"decline_code": {"new": "do_not_honour"}}}, "write do_not_honor"),
        ({"stripe": {"decline_code": {"new": "zzz"}}}, "write one of insufficient_funds"),
        ({"zzz": {}}, "write one of adyen"),
        ({"stripe": {"reason": {"new": "do_not_honor"}}}, "names no field"),
    ],
)
def test_what_is_wrong_in_the_settings_is_said_with_what_to_write(
    written: dict[str, dict[str, dict[str, str]]], says: str
) -> None:
    [problem] = problems_in(written, SANDBOX)
    assert says in problem


def test_what_is_right_in_the_settings_becomes_keys() -> None:
    written = {
        "stripe": {"decline_code": {"new": "do_not_honor"}},
        "visa": {"network_decline_code": {"8X": "expired_card"}},
    }
    assert list(problems_in(written, SANDBOX)) == []
    assert as_keys(written) == {
        ("stripe", "decline_code", "new"): R.DO_NOT_HONOR,
        ("visa", "network_decline_code", "8X"): R.EXPIRED_CARD,
    }


@pytest.mark.parametrize(
    ("code", "reason", "because"),
    [
        ("CARD-EXPIRED", R.EXPIRED_CARD, "the same code elsewhere"),
        ("refused_by_issuer", R.DO_NOT_HONOR, "the same code elsewhere: mollie's decline_code"),
        ("insufficient_fund", R.INSUFFICIENT_FUNDS, "a similar spelling"),
        ("stolen_cards", R.LOST_OR_STOLEN, "a similar spelling"),
        ("51", R.INSUFFICIENT_FUNDS, "the number as ISO 8583 has it"),
        ("0054", R.EXPIRED_CARD, "the number as ISO 8583 has it"),
    ],
)
def test_an_unknown_code_gets_the_nearest_meaning_proposed(code: str, reason: R, because: str) -> None:
    proposal = proposal_for(("a billing system of our own", "decline_code", code))
    assert proposal is not None
    assert proposal.reason is reason
    assert because in proposal.why


@pytest.mark.parametrize("code", ["over_the_moon", "2001", "77", "R01", "X"])
def test_where_nothing_is_near_nothing_is_proposed(code: str) -> None:
    """A number of another processor says nothing: 2001 is one thing at Braintree and another elsewhere."""
    assert proposal_for(("a billing system of our own", "decline_code", code)) is None
