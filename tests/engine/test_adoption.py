"""A copy is harmless: `cp`, a restore and a move trip it, a restart does not, and adopting looks before it sends."""

import shutil
from dataclasses import replace
from pathlib import Path

from dunr.adoption import adopt, identified, is_stopped_as_copy
from dunr.application import Application
from dunr.core.terms import AlertKind
from dunr.manual_clock import SandboxClock, advance
from dunr.settings import Settings
from tests.engine.applications import alerts, case_of, intake, notices, running, settings, url_of
from tests.sandbox.processes import Receiver, SandboxProcess


def copied(source: Path, target: Path) -> None:
    """As an operator copies a stopped service."""
    shutil.copytree(source / "data", target / "data")


def is_copy(wanted: Settings) -> bool:
    with running(wanted) as application:
        return is_stopped_as_copy(application.rulebook)


def adopted(application: Application) -> bool:
    store = identified(application.store)
    assert store is not None
    return adopt(application, store).is_done


def test_restarts_do_not_trip_it(tmp_path: Path) -> None:
    assert not any(is_copy(settings(tmp_path)) for _ in range(4))


def test_two_processes_may_start_at_once(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as one, running(settings(tmp_path)) as two:
        assert not is_stopped_as_copy(one.rulebook)
        assert not is_stopped_as_copy(two.rulebook)


def test_a_copy_elsewhere_stops_itself_and_not_the_original(tmp_path: Path) -> None:
    is_copy(settings(tmp_path / "one"))
    copied(tmp_path / "one", tmp_path / "two")
    assert is_copy(settings(tmp_path / "two"))
    assert is_copy(settings(tmp_path / "two"))  # a restart is no way out
    assert not is_copy(settings(tmp_path / "one"))


def test_an_older_file_put_back_is_a_copy(tmp_path: Path) -> None:
    is_copy(settings(tmp_path))
    backup = tmp_path / "backup.db"
    shutil.copy2(tmp_path / "data" / "dunr.db", backup)
    with running(settings(tmp_path)) as application:
        application.rulebook.stop("mail", "*", "work goes on")
    for suffix in ("-wal", "-shm"):
        (tmp_path / "data" / f"dunr.db{suffix}").unlink(missing_ok=True)
    (tmp_path / "data" / "dunr.db").write_bytes(backup.read_bytes())
    assert is_copy(settings(tmp_path))


def test_another_instance_is_a_copy(tmp_path: Path) -> None:
    is_copy(settings(tmp_path, instance="eu-1"))
    assert is_copy(settings(tmp_path, instance="eu-2"))


def test_resuming_is_not_adopting(tmp_path: Path) -> None:
    is_copy(settings(tmp_path / "one"))
    copied(tmp_path / "one", tmp_path / "two")
    with running(settings(tmp_path / "two")) as application:
        for kind in ("charges", "pauses", "mail"):
            application.rulebook.stop(kind, "*", "an operator")
            application.rulebook.resume(kind)
        assert application.rulebook.standing("sandbox", "acct_sandbox").stops.charges
        assert len(alerts(application, AlertKind.COPIED_STORE)) == 1
        assert adopted(application)
        assert not application.rulebook.standing("sandbox", "acct_sandbox").stops.charges
    assert not is_copy(settings(tmp_path / "two"))


def test_adopting_leaves_an_operators_own_brake_on(tmp_path: Path) -> None:
    with running(settings(tmp_path / "one")) as application:
        application.rulebook.stop("charges", "*", "an operator")
    copied(tmp_path / "one", tmp_path / "two")
    with running(settings(tmp_path / "two")) as application:
        assert adopted(application)
        assert application.rulebook.standing("sandbox", "acct_sandbox").stops.charges == ("an operator",)


def test_a_copy_charges_mails_and_pauses_nobody_until_it_is_adopted(
    tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver
) -> None:
    first = settings(tmp_path, url_of(sandbox))
    clock = SandboxClock(url_of(sandbox))
    with running(first) as original:
        intake(receiver, original)
        payer = {"id": "cus_1", "email": "zoe@example.com"}
        sandbox.fail(amount_minor=4900, customer=payer)
        sandbox.script("decline:insufficient_funds")
        advance(original, clock, seconds=0)
    (tmp_path / "copy").mkdir()
    copied(tmp_path, tmp_path / "copy")
    with running(first) as original:
        intake(receiver, original)
        advance(original, clock, seconds=2 * 86_400)  # attempt 1 is declined, the reminder leaves
        assert [one.number for one in case_of(original).attempts] == [0, 1]
    with running(replace(first, data=tmp_path / "copy" / "data", store="")) as copy:
        receiver.answer = lambda _: 200
        advance(copy, clock, seconds=22 * 86_400)
        assert len(sandbox.requests()) == 1
        assert case_of(copy).paused_at is None
        assert [fate for kind, fate in notices(copy) if kind != "first" and fate == "sent"] == []
        assert adopted(copy)
        sandbox.script("succeed")
        advance(copy, clock, seconds=20 * 86_400)
        keys = [row["key"] for row in sandbox.requests()]
        assert keys[0] == "dunr-in_1-a1"
        assert keys[1:]
        assert all(str(key).endswith("e1") for key in keys[1:])
        assert sandbox.captures() == 1
    clock.close()


def test_a_case_that_cannot_be_looked_at_keeps_the_copy_stopped(
    tmp_path: Path, sandbox: SandboxProcess, receiver: Receiver
) -> None:
    with running(settings(tmp_path, url_of(sandbox))) as original:
        intake(receiver, original)
        sandbox.fail(amount_minor=4900)
        sandbox.quiet()
        original.runner.run_until_quiet()
        case_of(original)
    (tmp_path / "copy").mkdir()
    copied(tmp_path, tmp_path / "copy")
    sandbox.set(snapshots_failing=True)
    with running(replace(settings(tmp_path, url_of(sandbox)), data=tmp_path / "copy" / "data", store="")) as copy:
        assert not adopted(copy)
        assert copy.rulebook.epoch() == 0
        assert is_stopped_as_copy(copy.rulebook)
        sandbox.set(snapshots_failing=False)
        assert adopted(copy)
        assert copy.rulebook.epoch() == 1
