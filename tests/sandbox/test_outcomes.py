"""The language of card scripts, line by line."""

import pytest

from dunr.sandbox.outcomes import (
    BadScript,
    BreakAnswer,
    Decline,
    Fail,
    Hang,
    LoseAnswer,
    Outcome,
    Pend,
    RequireAction,
    SlowAnswer,
    Succeed,
    parse,
)


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("succeed", Succeed()),
        ("succeed_partly:1000", Succeed(1000)),
        ("decline:insufficient_funds", Decline("card_declined", "insufficient_funds")),
        ("decline:expired_card", Decline("expired_card", "expired_card")),
        ("decline:do_not_honor:try_again_later:51", Decline("card_declined", "do_not_honor", "try_again_later", "51")),
        ("decline:authentication_not_handled", Decline("authentication_required", "authentication_not_handled")),
        ("requires_action", RequireAction()),
        ("pending:settle", Pend(None)),
        ("pending:fail", Pend(Decline("card_declined", "insufficient_funds"))),
        ("pending:fail:account_closed", Pend(Decline("card_declined", "account_closed"))),
        ("not_found", Fail(404, "not_found", stored=False)),
        ("error:500", Fail(500, "api_error", stored=True)),
        ("error:429", Fail(429, "rate_limit", stored=False)),
        ("error:429:lock_timeout", Fail(429, "lock_timeout", stored=False)),
        ("error:400:amount_too_small", Fail(400, "amount_too_small", stored=False)),
        ("error:401", Fail(401, "api_key_revoked", stored=False)),
        ("refuse:503", Fail(503, "api_error", stored=False)),
        ("hang:45:succeed", Hang(45.0, Succeed())),
        ("hang:0.5:decline:do_not_honor", Hang(0.5, Decline("card_declined", "do_not_honor"))),
        ("hang:45:error:500", Hang(45.0, Fail(500, "api_error", stored=True))),
        ("slow:2:succeed", SlowAnswer(2.0, Succeed())),
        ("lost:succeed", LoseAnswer(Succeed())),
        ("broken:pending:settle", BreakAnswer(Pend(None))),
    ],
)
def test_a_line_means_one_outcome(line: str, outcome: Outcome) -> None:
    assert parse(line) == outcome


@pytest.mark.parametrize(
    "line",
    [
        *("", "sucees", "succeed:1", "succeed_partly", "succeed_partly:0", "decline", "decline:", "pending"),
        *("pending:maybe", "error", "error:200", "error:abc", "lost:", "hang:45", "hang:x:succeed"),
        *("hang:-1:succeed", "hang:1:hang:1:succeed", "hang:nan:succeed", "hang:inf:succeed"),
    ],
)
def test_a_line_that_means_nothing_is_refused(line: str) -> None:
    with pytest.raises(BadScript):
        parse(line)
