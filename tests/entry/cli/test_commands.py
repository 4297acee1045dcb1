"""What the other commands answer, and with which code: 0 done, 1 failed, 2 wrong use; never a traceback."""

from pathlib import Path

import pytest

from dunr import __version__
from tests.entry.cli.terminals import Terminal

COMMANDS = (
    *(
        "init",
        "serve",
        "worker",
        "sandbox",
        "demo",
        "plan",
        "classify",
        "chaos",
        "report",
        "reconcile",
        "import",
        "doctor",
        "notices",
    ),
    *(
        "stop",
        "resume",
        "adopt",
        "cases",
        "deadletters",
        "ledger",
        "audit",
        "declines",
        "subscriptions",
        "token",
        "db",
        "policy",
        "charges",
        "connect",
        "connector",
    ),
)


def test_help_names_every_command(terminal: Terminal) -> None:
    _, _, listed = terminal.done("--help").out.partition("Commands:\n")
    assert {line.split()[0] for line in listed.splitlines() if line.strip()} == set(COMMANDS)


def test_the_version_is_told(terminal: Terminal) -> None:
    assert terminal.done("--version").out == f"dunr {__version__}\n"


def test_help_is_quick_because_nothing_is_imported_for_it() -> None:
    import subprocess
    import sys

    code = "import sys, dunr.entry.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"sqlalchemy", "alembic", "uvicorn", "starlette", "httpx", "babel", "mrml", "holidays", "dunr.bootstrap"}
    assert not heavy & set(loaded)


def test_init_makes_what_serve_needs_and_spoils_nothing(terminal: Terminal) -> None:
    assert terminal.done("init", "--json").json["file"] == "dunr.toml"
    assert (terminal.folder / "dunr-data" / "link-secret").stat().st_mode & 0o077 == 0
    terminal.done("policy", "show")  # the file can be read
    again = terminal.run("init")
    assert again.code == 1
    assert "--force" in again.err
    secret = (terminal.folder / "dunr-data" / "link-secret").read_text()
    terminal.done("init", "--force")
    assert (terminal.folder / "dunr-data" / "link-secret").read_text() == secret


def test_the_data_folder_can_be_named(terminal: Terminal) -> None:
    terminal.done("--data", "elsewhere", "db", "migrate")
    assert (terminal.folder / "elsewhere" / "dunr.db").is_file()
    assert not (terminal.folder / "dunr-data").exists()


def test_tokens_are_shown_once_and_kept_as_their_hash(terminal: Terminal) -> None:
    made = terminal.done("token", "create", "ci", "--scope", "act", "--json").json
    assert made["token"].startswith("dunr_")
    listed = terminal.done("token", "list", "--json")
    assert [(one["name"], one["scope"]) for one in listed.json["tokens"]] == [("ci", "act")]
    assert made["token"] not in listed.out
    for path in Path("dunr-data").rglob("*"):
        assert not path.is_file() or made["token"].encode() not in path.read_bytes()
    assert terminal.run("token", "create", "ci").code == 1
    terminal.done("token", "revoke", "ci")
    assert terminal.run("token", "revoke", "ci").code == 1
    assert terminal.done("token", "list", "--json").json == {"tokens": []}
    assert terminal.run("token", "create", "x", "--scope", "everything").code == 2


def test_the_brake_holds_what_was_named_until_it_is_released(terminal: Terminal) -> None:
    stops = terminal.done("stop", "--mail", "--why", "the mails are wrong", "--json").json["stops"]
    assert stops == [{"kind": "mail", "scope": "*", "why": "the mails are wrong"}]
    assert {one["kind"] for one in terminal.done("stop", "--json").json["stops"]} == {"charges", "pauses", "mail"}
    assert [one["kind"] for one in terminal.done("resume", "--charges", "--pauses", "--json").json["stops"]] == ["mail"]
    assert terminal.done("resume").out == "Nothing is stopped.\n"


def test_what_is_stopped_for_one_account_says_how_it_goes_on(terminal: Terminal) -> None:
    terminal.done("stop", "--charges", "--account", "sandbox:acct_1")
    assert "dunr resume --account sandbox:acct_1" in terminal.done("resume").out
    assert terminal.done("resume", "--account", "sandbox:acct_1").out == "Nothing is stopped.\n"


@pytest.mark.parametrize(("group", "listed"), [("cases", "cases"), ("deadletters", "deadletters"), ("token", "tokens")])
def test_the_bare_name_of_a_group_lists(terminal: Terminal, group: str, listed: str) -> None:
    assert terminal.done(group, "--json").json == {listed: []}
    assert terminal.done(group).out == terminal.done(group, "list").out
    refused = terminal.run(group, "--json", "list")
    assert (refused.code, "Write it after 'list'" in refused.err) == (2, True)


def test_an_empty_database_is_in_order(terminal: Terminal) -> None:
    assert terminal.done("db", "check", "--json").json == {"problems": []}
    assert terminal.done("cases", "list", "--json").json == {"cases": []}
    assert terminal.done("deadletters", "list", "--json").json == {"deadletters": []}
    assert terminal.done("cases", "list").code == 0


def test_adopting_the_original_is_harmless_and_raises_the_epoch(terminal: Terminal) -> None:
    terminal.done("db", "migrate")
    assert terminal.done("adopt", "--json").json == {"epoch": 1, "looked_at_count": 0, "unreadable": []}


def test_the_policy_in_force_has_a_hash(terminal: Terminal) -> None:
    told = terminal.done("policy", "show", "--json").json
    assert (told["policy"]["name"], len(told["hash"])) == ("business_days", 16)
    assert "3 business_days" in terminal.done("policy", "show").out
    assert terminal.run("policy", "show", "nosuch").code == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("cases", "show", "in_nobody"), 1),
        (("cases", "retry", "in_nobody"), 1),
        (("cases", "hold", "in_nobody", "--why", "x"), 1),
        (("cases", "release", "in_nobody"), 1),
        (("deadletters", "redrive", "nosuch"), 1),
        (("cases", "list", "--state", "happy"), 2),
        (("cases", "list", "--limit", "0"), 2),
        (("cases", "hold", "in_1"), 2),
        (("cases", "postpone", "in_1", "--to", "tomorrow"), 2),
        (("nosuch",), 2),
        (("stop", "--nosuch"), 2),
        (("serve", "--port", "99999"), 2),
        (("serve", "--clock", "broken"), 2),
        (("chaos", "--worlds", "0"), 2),
    ],
)
def test_every_failure_has_its_code_and_words(terminal: Terminal, arguments: tuple[str, ...], code: int) -> None:
    said = terminal.run(*arguments)
    assert said.code == code, said.err
    assert said.err.strip()
    assert "Traceback" not in said.err
    assert "internal error" not in said.err


def test_a_wrong_setting_says_what_to_write(terminal: Terminal) -> None:
    terminal.set(prot=1)
    said = terminal.run("cases", "list")
    assert said.code == 2
    assert "DUNR_PORT" in said.err


def test_a_worker_has_no_work_under_the_manual_clock(terminal: Terminal) -> None:
    terminal.set(clock="manual")
    said = terminal.run("worker")
    assert said.code == 2
    assert "dunr serve" in said.err


def test_an_internal_error_is_one_line_unless_asked(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("dunr.bootstrap.build", broken)
    said = terminal.run("cases", "list")
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert "ZeroDivisionError" in said.err
    assert "Traceback" in terminal.run("--debug", "cases", "list").err


def test_a_port_that_is_taken_is_said_before_anything_is_made(terminal: Terminal) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        said = terminal.run("serve", "--sandbox", "--port", str(taken.getsockname()[1]))
    assert said.code == 1
    assert "--port" in said.err
    assert not (terminal.folder / "dunr-data").exists()


def test_importing_from_another_processor_than_the_settings_name_is_refused(terminal: Terminal) -> None:
    said = terminal.run("import", "stripe")
    assert said.code == 2
    assert "The settings name the processor 'sandbox'" in said.err
