"""`dunr policy`: a file is checked, compared and put in force, and open cases are moved, each time with the dates first."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dunr.bootstrap import build
from dunr.core.policy import policy_hash
from dunr.facts.policies import policy_from_toml, shipped
from tests.engine.applications import case_of, intake, settings, url_of
from tests.entry.cli.terminals import Terminal
from tests.sandbox.processes import KEY, SECRETS, START, Receiver, SandboxProcess

SET = """
default = "gentle"
[policies.german]
based_on = "by_reason"
timezone = "Europe/Berlin"
[[segments]]
name = "germany"
policy = "german"
countries = ["DE", "AT"]
currencies = ["eur"]
amount_max_minor = 5000
"""


def write(terminal: Terminal, name: str, text: str) -> str:
    (terminal.folder / name).write_text(text)
    return name


def test_a_good_file_is_told_what_it_holds(terminal: Terminal) -> None:
    said = terminal.done("policy", "check", write(terminal, "mine.toml", SET))
    assert said.out == "mine.toml can be used: gentle, german; no warnings.\n"
    told = terminal.done("policy", "check", "mine.toml", "--json").json
    assert (told["ok"], told["remarks"]) == (True, [])
    assert told["policies"]["gentle"] == policy_hash(shipped("gentle"))


def test_a_bad_file_is_refused_with_its_lines_and_changes_nothing(terminal: Terminal) -> None:
    said = terminal.run("policy", "check", write(terminal, "bad.toml", "\nat_hour = 25\ndeadline_days = 3\n"))
    assert said.code == 1
    assert said.out.startswith("bad.toml:2: at_hour = 25 is out of range: write a number from 0 to 23")
    assert "1 error, no warnings; nothing was changed" in said.out
    said = terminal.run("policy", "check", "bad.toml", "--json")
    assert [(one["line"], one["level"]) for one in said.json["remarks"]] == [(2, "error")]
    assert terminal.run("policy", "apply", "bad.toml").code == 2
    assert terminal.done("policy", "show", "--json").json["policy"]["name"] == "business_days"


def test_a_brand_that_the_settings_do_not_have_is_refused_with_its_line(terminal: Terminal) -> None:
    file = write(terminal, "branded.toml", 'name = "branded"\nbrand = "premum"\n')
    (terminal.folder / "dunr.toml").write_text('[brands.premium]\nname = "Nordwind Gold"\n')
    said = terminal.run("policy", "check", file)
    assert said.code == 1
    assert said.out.startswith(
        'branded.toml:2: brand = "premum": the settings have no [brands.premum]; write brand = "premium"'
    )
    assert terminal.run("policy", "apply", file).code == 2
    write(terminal, "branded.toml", 'name = "branded"\nbrand = "premium"\n')
    assert terminal.run("policy", "check", file).code == 0


def test_a_file_that_the_processor_cannot_serve_is_refused_before_anything_is_applied(terminal: Terminal) -> None:
    file = write(terminal, "early.toml", 'name = "early"\ncard_expiring_notice_days = 30\n')
    assert terminal.run("policy", "check", file).code == 0  # the sandbox can do everything
    terminal.set(
        processor="stripe", account="acct_1", live="false", stripe_api_key="rk_test_1", webhook_secrets="whsec_1"
    )
    said = terminal.run("policy", "check", file)
    assert said.code == 1
    assert said.out.startswith("early.toml:2: card_expiring_notice_days = 30 needs a processor that can list the cards")
    assert "and stripe cannot: write card_expiring_notice_days = 0" in said.out
    said = terminal.run("policy", "apply", file)
    assert said.code == 2
    assert "early.toml:2: card_expiring_notice_days" in said.err
    assert terminal.done("policy", "show", "--json").json["policy"]["name"] == "business_days"


def test_a_warning_refuses_nothing_and_depends_on_the_rail(terminal: Terminal) -> None:
    file = write(terminal, "mine.toml", terminal.done("policy", "show", "fibonacci", "--toml").out)
    told = terminal.done("policy", "check", file, "--json").json
    assert [(one["line"], one["level"]) for one in told["remarks"]] == [(5, "warning")]
    assert "mastercard-10-in-24-hours" in told["remarks"][0]["text"]
    assert terminal.done("policy", "check", file, "--rail", "carrier", "--json").json["remarks"] == []
    assert "nacha-2-retries" in terminal.done("policy", "check", file, "--rail", "ach").out
    assert terminal.run("policy", "check", file, "--rail", "pigeon").code == 2
    assert "mastercard-10-in-24-hours" in terminal.done("policy", "apply", file).err


def test_what_ships_can_be_printed_and_checked(terminal: Terminal) -> None:
    for name in ("business_days", "by_reason", "fibonacci", "gentle", "direct_debit"):
        write(terminal, f"{name}.toml", terminal.done("policy", "show", name, "--toml").out)
        assert terminal.done("policy", "check", f"{name}.toml").code == 0
        told = terminal.done("policy", "show", f"{name}.toml", "--json").json
        assert (
            told["hash"] == terminal.done("policy", "show", name, "--json").json["hash"] == policy_hash(shipped(name))
        )
    assert terminal.run("policy", "show", "--toml").code == 2


def test_two_policies_are_compared_setting_by_setting(terminal: Terminal) -> None:
    write(terminal, "mine.toml", SET)
    told = terminal.done("policy", "diff", "by_reason", "mine.toml#german", "--json").json
    assert {one["setting"] for one in told["changed"]} == {"name", "timezone"}
    told = terminal.done("policy", "diff", "business_days", "by_reason", "--json").json
    changed = {one["setting"]: (one["before"], one["after"]) for one in told["changed"]}
    assert changed["strategy"] == ("business_days", "standard")
    assert changed["reasons.insufficient_funds"][0] is None
    assert "funds_aware" in terminal.done("policy", "diff", "business_days", "by_reason").out
    assert terminal.done("policy", "diff", "gentle", "gentle").out == "gentle and gentle are the same.\n"
    assert terminal.run("policy", "diff", "gentle", "gentler").code == 2


def test_what_is_applied_is_in_force_until_it_is_withdrawn(terminal: Terminal) -> None:
    said = terminal.done("policy", "apply", write(terminal, "mine.toml", SET))
    assert "mine.toml, by operator:" in said.out
    (terminal.folder / "mine.toml").unlink()  # it is stored, and not read again
    told = terminal.done("policy", "show", "--json").json
    assert told["policy"]["name"] == "gentle"
    assert [one["name"] for one in told["in_force"]["policies"]["segments"]] == ["germany"]
    shown = terminal.done("policy", "show").out
    assert "everything else" in shown
    assert "countries DE or AT" in shown
    assert "amounts from 0" in shown
    kept = terminal.done("policy", "show", "german", "--json").json["hash"]
    assert "business_days, by the setting policy" in terminal.done("policy", "withdraw").out
    assert terminal.done("policy", "show", kept, "--json").json["policy"]["timezone"] == "Europe/Berlin"
    assert terminal.run("policy", "withdraw").code == 1
    assert terminal.run("policy", "show", "german").code == 2


def test_a_spoilt_file_is_shown_beside_what_stays_in_force(terminal: Terminal) -> None:
    file = terminal.folder / "mine.toml"
    file.write_text("at_hour = 8\n")
    terminal.set(policy="mine.toml")
    assert terminal.done("policy", "show", "--json").json["policy"]["at_hour"] == 8
    file.write_text("at_hour = 30\n")
    told = terminal.done("policy", "show", "--json").json
    assert told["policy"]["at_hour"] == 8
    assert told["in_force"]["refused"]["text"].startswith("mine.toml:1: at_hour = 30")
    shown = terminal.done("policy", "show").out
    assert "cannot be used" in shown
    assert "mine.toml:1: at_hour = 30" in shown


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def sandbox(tmp_path: Path, receiver: Receiver) -> Iterator[SandboxProcess]:
    process = SandboxProcess(tmp_path, receiver.url)
    yield process
    process.close()


@pytest.fixture
def opened(terminal: Terminal, sandbox: SandboxProcess, receiver: Receiver) -> Terminal:
    """A case that runs under `business_days`, and a paid one."""
    terminal.set(
        sandbox_url=url_of(sandbox),
        sandbox_api_key=KEY,
        webhook_secrets=",".join(SECRETS),
        clock="manual",
        clock_start=START,
        data=terminal.folder / "data",
    )
    application = build(settings(terminal.folder, url_of(sandbox)))
    intake(receiver, application)
    sandbox.fail(invoice="in_1")
    sandbox.fail(invoice="in_2", subscription="sub_2")
    sandbox.quiet()
    application.runner.run_until_quiet()
    sandbox.control("POST", "/invoices/in_2/pay")
    sandbox.quiet()
    application.runner.run_until_quiet()
    assert case_of(application).policy_hash == policy_hash(shipped("business_days"))
    application.close()
    return terminal


def test_a_case_is_moved_after_its_dates_were_shown(opened: Terminal) -> None:
    shown = opened.done("policy", "move", "in_1", "--to", "gentle", "--dry-run")
    assert "sandbox:acct_sandbox:in_1 would be moved from business_days to gentle." in shown.out
    foreseen = opened.done("policy", "move", "in_1", "--to", "gentle", "--dry-run", "--json").json["moves"][0]
    assert opened.done("cases", "show", "in_1", "--json").json["plan"]["pause_at"] == foreseen["pause_before_at"]
    assert [(step["number"], step["before_at"]) for step in foreseen["steps"]] == [
        (1, "2026-06-24T09:00:00Z"),
        (2, "2026-06-29T09:00:00Z"),
        (3, "2026-07-02T09:00:00Z"),
        (4, "2026-07-07T09:00:00Z"),
    ]
    assert foreseen["steps"][3]["after_at"] is None
    assert foreseen["pause_after_at"] > foreseen["pause_before_at"]
    moved = opened.done("policy", "move", "in_1", "--to", "gentle", "--json").json["moves"][0]
    assert moved["steps"] == foreseen["steps"]
    assert any("moved to the policy gentle by operator:" in line for line in moved["because"])
    after = opened.done("cases", "show", "in_1", "--json").json["plan"]
    assert after["pause_at"] == foreseen["pause_after_at"]


def test_a_case_that_is_over_is_not_moved_and_the_others_are(opened: Terminal) -> None:
    said = opened.run("policy", "move", "in_1", "in_2", "--to", "direct_debit")
    assert said.code == 1
    assert "in_1 is moved from business_days to direct_debit." in said.out
    assert "in_2" in said.out
    assert "1 of 2 cases" in said.err
    assert opened.run("policy", "move", "in_9", "--to", "gentle").code == 1
    assert opened.run("policy", "move", "in_1", "--to", "gentler").code == 2


def test_a_policy_of_a_file_is_kept_when_a_case_is_moved_to_it(opened: Terminal) -> None:
    write(opened, "mine.toml", SET)
    opened.done("policy", "move", "in_1", "--to", "mine.toml#german")
    (opened.folder / "mine.toml").unlink()
    name = policy_hash(policy_from_toml("based_on = 'by_reason'\ntimezone = 'Europe/Berlin'", "german"))
    assert opened.done("policy", "show", name, "--json").json["policy"]["name"] == "german"
    opened.done("policy", "move", "in_1", "--to", "business_days")
