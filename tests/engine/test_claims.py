"""Recorded effects are done by one worker at a time, and a mail leaves once whoever dies around it."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from dunr.application import Application
from dunr.core.effects import Notice
from dunr.core.model import Payer
from dunr.core.terms import NoticeKind
from dunr.manual_clock import StoreClock
from dunr.notifying import HANDED_OVER
from dunr.ports import Delivery, Undone
from tests.engine.applications import intake, notices, running, settings, url_of
from tests.sandbox.processes import Receiver, SandboxProcess


class Killed(BaseException):
    """What a worker sees of its own SIGKILL: nothing after it."""


class MailServer:
    """Counts what it took; a story says what happens while it does."""

    def __init__(self) -> None:
        self.took: list[NoticeKind] = []
        self.dies_before = False
        self.dies_after = False

    def send(self, notice: Notice, payer: Payer, policy_timezone: str, also: Sequence[Notice] = ()) -> Delivery:  # noqa: ARG002
        if self.dies_before:
            raise Killed
        self.took.append(notice.kind)
        if self.dies_after:
            raise Killed
        return Delivery.SENT


@pytest.fixture
def post() -> MailServer:
    return MailServer()


@pytest.fixture
def workers(
    tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver, post: MailServer
) -> Iterator[tuple[Application, Application]]:
    """Two processes on one file, as far as the store can tell. The first mail of a failed charge waits."""
    wanted = settings(tmp_path, url_of(sandbox))
    with running(wanted) as one, running(wanted) as other:
        intake(receiver, one)
        for application in (one, other):
            application.performer.notifier.mailer = post
        sandbox.fail(customer={"id": "cus_1", "email": "ada@example.com"})
        sandbox.quiet()
        [inbound] = one.store.unapplied(one.clock.now(), 9)
        one.intake.apply(inbound)
        yield one, other


def waiting_mail(application: Application) -> Undone:
    undone = application.store.undone(application.clock.now(), 99)
    return next(one for one in undone if isinstance(one.effect, Notice))


def lease_passes(application: Application) -> None:
    assert isinstance(application.clock, StoreClock)
    application.clock.move(application.clock.now() + timedelta(seconds=application.settings.lease_seconds))


def test_of_two_workers_that_read_a_mail_one_sends_it(
    workers: tuple[Application, Application], post: MailServer
) -> None:
    one, other = workers
    read = waiting_mail(one)
    assert waiting_mail(other) == read
    one.performer.perform(read)
    other.performer.perform(read)
    assert post.took == [NoticeKind.FIRST]
    assert notices(one) == [(NoticeKind.FIRST, "sent")]


def test_a_worker_that_froze_before_it_sent_does_not_send_after_its_lease(
    workers: tuple[Application, Application], post: MailServer
) -> None:
    one, other = workers
    with one.performer.claims.holding(waiting_mail(one)) as held:
        assert held is not None
        lease_passes(one)  # frozen with the mail in hand
        other.performer.perform(waiting_mail(other))
        one.performer._perform(held)
    assert post.took == [NoticeKind.FIRST]


@pytest.mark.parametrize("when", ["dies_before", "dies_after"])
def test_a_mail_that_may_have_left_is_not_repeated(
    workers: tuple[Application, Application], post: MailServer, when: str
) -> None:
    one, other = workers
    setattr(post, when, True)
    with pytest.raises(Killed):
        one.performer.perform(waiting_mail(one))
    setattr(post, when, False)
    lease_passes(one)
    found = waiting_mail(other)
    assert found.note == HANDED_OVER
    other.performer.perform(found)
    assert len(post.took) == (when == "dies_after")
    assert notices(one) == [(NoticeKind.FIRST, "maybe_sent")]


def test_a_worker_that_leaves_gives_back_what_it_has_in_hand(workers: tuple[Application, Application]) -> None:
    one, other = workers
    read = waiting_mail(one)
    with one.performer.claims.holding(read) as held:
        assert held is not None
        other.performer.perform(read)
        assert notices(one) == [(NoticeKind.FIRST, "")], "it is in the hands of the first one"
        assert one.performer.claims.give_back() == 1
        other.performer.perform(waiting_mail(other))
    assert notices(one) == [(NoticeKind.FIRST, "sent")]
    assert one.performer.claims.give_back() == 0
