"""Which policy a new case gets: what the setting names, what somebody applied, and what stays when a file is spoilt."""

import os
from pathlib import Path

import msgspec
import pytest

from dunr.application import Application
from dunr.core.policy import policy_hash
from dunr.core.terms import AlertKind
from dunr.errors import SettingsError, WishRejected
from dunr.facts.policies import policies_from_toml, policies_named, shipped
from dunr.policies_in_force import APPLIED, InForce
from tests.engine.applications import alerts, case_of, intake, running, settings, url_of
from tests.sandbox.processes import Receiver, SandboxProcess

MINE = 'steps = [{after = 2, unit = "days"}]\nfloor = [{after = 1, unit = "days"}]\n'
SEGMENTS = """
default = "business_days"
[[segments]]
name = "team"
policy = "gentle"
products = ["prod_team"]
[[segments]]
name = "large euro"
policy = "by_reason"
currencies = ["eur"]
amount_min_minor = 10000
countries = ["DE", "AT"]
"""


def rewrite(file: Path, text: str) -> None:
    """Write a file so that its time differs, however coarse the clock of the file system is."""
    written_at = file.stat().st_mtime if file.exists() else 0
    file.write_text(text)
    os.utime(file, (written_at + 1, written_at + 1))


def first_gap(application: Application) -> int:
    return application.rulebook.policy_for_new_case("sandbox", None).policy.steps[0].after


def test_a_file_that_changes_is_in_force_for_the_next_case_without_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    with running(settings(tmp_path, policy=str(file))) as application:
        assert first_gap(application) == 2
        rewrite(file, MINE.replace("after = 2", "after = 3"))
        assert first_gap(application) == 3
        assert application.policies.now().refused is None


def test_a_spoilt_file_leaves_the_running_policy_and_alerts_once_in_all_processes(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    wanted = settings(tmp_path, policy=str(file))
    with running(wanted) as one, running(wanted) as other:
        rewrite(file, "steps = [\n")
        assert [first_gap(one), first_gap(other), first_gap(one)] == [2, 2, 2]
        (told,) = alerts(one, AlertKind.POLICY_REFUSED)
        assert "mine.toml:2: this is not TOML" in told
        assert "new cases go on with what it said before" in told
        refused = one.policies.now().refused
        assert refused is not None
        assert "mine.toml:2" in refused.text
        rewrite(file, "at_hour = 25\n")  # another mistake, another alert
        assert (first_gap(one), first_gap(other)) == (2, 2)
        assert len(alerts(one, AlertKind.POLICY_REFUSED)) == 2
        rewrite(file, MINE)
        assert first_gap(one) == 2
        assert one.policies.now().refused is None


def test_a_restart_on_a_spoilt_file_goes_on_with_what_it_said_before(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    wanted = settings(tmp_path, policy=str(file))
    with running(wanted):
        pass
    file.unlink()
    with running(wanted) as application:
        assert first_gap(application) == 2
        assert "cannot be read" in alerts(application, AlertKind.POLICY_REFUSED)[0]


def test_a_file_that_could_never_be_read_is_refused_at_the_start(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    with running(settings(tmp_path, policy=str(file))):
        pass
    (tmp_path / "yours.toml").write_text("steps = 4")
    with (
        pytest.raises(SettingsError, match=r"yours\.toml:1"),
        running(settings(tmp_path, policy=str(tmp_path / "yours.toml"))),
    ):
        pass


def test_what_was_applied_is_in_force_in_every_process_until_it_is_withdrawn(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as one, running(settings(tmp_path)) as other:
        applied = one.policies.apply(policies_named("gentle").policies, "gentle.toml", "operator:kim")
        assert first_gap(other) == 3
        now = other.policies.now()
        assert (now.origin, now.actor, now.since_at) == ("gentle.toml", "operator:kim", applied.since_at)
        assert now.set_hash == applied.set_hash
        assert other.policies.withdraw().origin == "business_days"
        assert first_gap(one) == 1
        with pytest.raises(WishRejected, match="Nothing was applied"):
            one.policies.withdraw()


def test_of_two_that_apply_at_the_same_time_one_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(settings(tmp_path)) as application:
        gentle = policies_named("gentle").policies
        body = msgspec.json.encode(InForce(gentle, "theirs.toml", application.clock.now(), "operator:lou"))
        put = application.store.put_document

        def slow(name: str, ours: bytes, version: int) -> bool:
            monkeypatch.undo()
            assert put(name, body, version)
            return put(name, ours, version)

        monkeypatch.setattr(application.store, "put_document", slow)
        with pytest.raises(WishRejected, match="at the same time"):
            application.policies.apply(gentle, "ours.toml", "operator:kim")
        assert application.policies.now().origin == "theirs.toml"
        document = application.store.document(APPLIED)
        assert document is not None
        assert document.version == 1


def test_a_case_says_which_segment_gave_it_its_policy_and_keeps_it(
    sandbox: SandboxProcess, receiver: Receiver, tmp_path: Path
) -> None:
    german = {"id": "cus_de", "country": "DE"}
    with running(settings(tmp_path, url_of(sandbox))) as application:
        application.policies.apply(policies_from_toml(SEGMENTS, "segments.toml", "s").policies, "segments.toml", "kim")
        intake(receiver, application)
        sandbox.fail(invoice="in_1", subscription="sub_1", products=["prod_team"])
        sandbox.fail(
            invoice="in_2",
            subscription="sub_2",
            customer=german,
            card={"id": "pm_2"},
            amount_minor=10000,
            currency="eur",
        )
        sandbox.fail(
            invoice="in_3",
            subscription="sub_3",
            customer=german,
            card={"id": "pm_2"},
            amount_minor=9999,
            currency="eur",
        )
        sandbox.quiet()
        application.runner.run_until_quiet()
        chosen = {name: case_of(application, name).policy_hash for name in ("in_1", "in_2", "in_3")}
        assert chosen == {
            "in_1": policy_hash(shipped("gentle")),
            "in_2": policy_hash(shipped("by_reason")),
            "in_3": policy_hash(shipped("business_days")),
        }
        assert why(application, "in_1") == "runs under the policy gentle: segment team (product prod_team)"
        assert why(application, "in_2") == (
            "runs under the policy by_reason: segment large euro (currency eur, country DE, the amount is within its bounds)"
        )
        assert why(application, "in_3") == "runs under the policy business_days: no segment fits, so the default does"
        application.policies.withdraw()
        assert case_of(application, "in_1").policy_hash == policy_hash(shipped("gentle"))


def why(application: Application, invoice: str) -> str:
    told = application.reports.audit(f"sandbox:acct_sandbox:{invoice}", 10)
    return next(line for line in told[0].why if line.startswith("runs under"))
