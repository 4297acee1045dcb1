"""One case told to a person at a terminal, in the order in which one asks: how it stands, what was tried, what is planned, what was said, and why."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dunr.entry.cli.terminal import money, say, show_table, shown

if TYPE_CHECKING:
    from dunr.entry.web.shapes import AttemptAnswer, AvoidedAnswer, StoryAnswer


NO_PROCESSOR = ""  # a network's fees are counted as ISO 4217 does


def tell_story(told: "StoryAnswer") -> None:
    """The whole story."""
    due, total = (
        money(part, told.currency, told.processor) for part in (told.amount_due_minor, told.amount_total_minor)
    )
    say(f"{told.id} is {told.shown}: {due} of {total} due.")
    if told.subscription_access is not None:
        say(f"Access of {told.subscription}: {told.subscription_access.access} ({told.subscription_access.reason}).")
    for hold in told.holds:
        say(f"Held ({hold.ref}): {hold.why}{f', until {shown(hold.until_at)}' if hold.until_at else ''}.")
    _table(
        "Attempts",
        ("No.", "Trigger", "Step", "Outcome", "Reason", "Begun", "Key", "Allowed by"),
        [
            (one.number, one.trigger, one.step_number, one.outcome, one.reason, one.begun_at, one.key, _allowed(one))
            for one in told.attempts
        ],
    )
    _table(
        "Kept from the network",
        ("Rule", "Put off", "Skipped", "Fees avoided"),
        [(one.rule, one.deferred_count, one.skipped_count, _fee(one)) for one in told.avoided],
    )
    _table("Planned", ("Step", "At", "Why"), [(one.number, one.at, "; ".join(one.why)) for one in told.plan.steps])
    if told.plan.pause_at is not None:
        say(f"Access pauses {shown(told.plan.pause_at)}: {'; '.join(told.plan.pause_why)}.")
    _table(
        "Notices",
        ("Kind", "Recorded", "Done", "Note"),
        [(n.kind, n.recorded_at, n.done_at, n.note) for n in told.notices],
    )
    _table("Alerts", ("Kind", "At", "Text"), [(alert.kind, alert.at, alert.text) for alert in told.alerts])
    _table(
        "Ledger",
        ("At", "Kind", "Lines"),
        [
            (
                posting.at,
                posting.kind,
                ", ".join(
                    f"{account} {money(amount_minor, posting.currency, told.processor)}"
                    for account, amount_minor in posting.lines
                ),
            )
            for posting in told.postings
        ],
    )
    _table(
        "What happened, and why",
        ("At", "Who", "What", "Why"),
        [(entry.at, entry.actor, entry.what, "; ".join(entry.because)) for entry in told.audit],
    )


def _allowed(attempt: "AttemptAnswer") -> str | None:
    """The rule that left the least room, and how much."""
    return None if attempt.allowed_by is None else f"{attempt.allowed_by}, {attempt.left_count} left"


def _fee(avoided: "AvoidedAnswer") -> str:
    """What the attempts would have cost."""
    if avoided.currency is None:
        return "no figure is published"
    return money(avoided.fee_minor, avoided.currency, NO_PROCESSOR)


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table, unless there is nothing in it."""
    if rows:
        show_table(title, columns, rows)
