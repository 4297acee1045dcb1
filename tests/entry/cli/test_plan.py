"""`dunr plan`: the dates that were promised (C60), with their reasons, notices and pause."""

from datetime import date

import pytest

from tests.entry.cli.terminals import Terminal

TUESDAY = "2026-06-23T10:00:00Z"


def dates(terminal: Terminal, *arguments: str) -> list[str]:
    return [one["at"] for one in terminal.done("plan", "--json", *arguments).json["attempts"]]


def test_the_unconfigured_policy(terminal: Terminal) -> None:
    told = terminal.done("plan", "--policy", "business_days", "--failed-at", TUESDAY, "--json").json
    assert set(told) == {"policy", "attempts", "pause_at", "pause_why", "notices"}
    assert told["policy"] == "business_days"
    assert [(one["number"], one["at"]) for one in told["attempts"]] == [
        (1, "2026-06-24T09:00:00Z"),
        (2, "2026-06-29T09:00:00Z"),
        (3, "2026-07-02T09:00:00Z"),
        (4, "2026-07-07T09:00:00Z"),
    ]
    assert all(one["why"] for one in told["attempts"])
    assert told["pause_at"] == "2026-07-07T09:00:00Z"
    assert told["pause_why"]
    assert [(one["kind"], one["at"]) for one in told["notices"]] == [
        ("first", TUESDAY),
        ("reminder", "2026-06-24T09:00:00Z"),
        ("reminder", "2026-06-29T09:00:00Z"),
        ("final_warning", "2026-07-02T09:00:00Z"),
        ("paused", "2026-07-07T09:00:00Z"),
    ]


def test_c60_a_saturday_in_sydney(terminal: Terminal) -> None:
    found = dates(terminal, "--failed-at", "2026-06-26T23:30:00Z", "--timezone", "Australia/Sydney")
    assert found[0] == "2026-06-28T23:00:00Z"  # Monday 09:00 there


def test_c60_holidays(terminal: Terminal) -> None:
    days = ["--holidays", "2026-12-25,2026-12-28,2027-01-01"]
    found = dates(terminal, "--failed-at", "2026-12-24T10:00:00Z", *days)
    assert [one[:10] for one in found] == ["2026-12-29", "2027-01-04", "2027-01-07", "2027-01-12"]
    assert dates(terminal, "--failed-at", "2026-12-24T10:00:00Z")[0][:10] == "2026-12-25"


def test_a_calendar_by_name_gives_the_same_christmas(terminal: Terminal) -> None:
    assert dates(terminal, "--failed-at", "2026-12-24T10:00:00Z", "--holidays", "GB-ENG")[0][:10] == "2026-12-29"


def test_c60_a_saturday(terminal: Terminal) -> None:
    found = dates(terminal, "--failed-at", "2026-06-27T10:00:00Z")
    assert [one[:10] for one in found] == ["2026-06-29", "2026-07-02", "2026-07-07", "2026-07-10"]
    assert all(date.fromisoformat(one[:10]).weekday() < 5 for one in found)


def test_a_dead_card_is_not_tried_and_the_pause_is_warned_of(terminal: Terminal) -> None:
    for decline in ("lost_or_stolen", "stolen_card"):
        told = terminal.done("plan", "--failed-at", TUESDAY, "--decline", decline, "--json").json
        assert told["attempts"] == []
        assert told["pause_at"] == "2026-07-07T09:00:00Z"
        assert [one["kind"] for one in told["notices"]] == ["method_needed", "paused"]
        assert told["notices"][0]["pause_at"] == told["pause_at"]


def test_a_deceased_payer_gets_nothing(terminal: Terminal) -> None:
    told = terminal.done("plan", "--failed-at", TUESDAY, "--decline", "payer_deceased", "--json").json
    assert (told["attempts"], told["notices"], told["pause_at"]) == ([], [], None)


def test_a_policy_of_ones_own(terminal: Terminal) -> None:
    steps = 'steps = [{after = 2, unit = "days"}]\nfloor = [{after = 1, unit = "days"}]\n'
    (terminal.folder / "mine.toml").write_text(steps)
    told = terminal.done("plan", "--failed-at", TUESDAY, "--policy", "mine.toml", "--json").json
    assert told["policy"] == "mine"
    assert [one["at"] for one in told["attempts"]] == ["2026-06-25T10:00:00Z"]


def test_people_get_a_table(terminal: Terminal) -> None:
    said = terminal.done("plan", "--failed-at", TUESDAY)
    assert "Wed 24 Jun 2026 09:00:00 UTC" in said.out
    assert "Access pauses Tue 07 Jul 2026 09:00:00 UTC" in said.out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--failed-at", "yesterday"),
        ("--failed-at", "2026-06-23T10:00:00"),
        ("--failed-at", TUESDAY, "--timezone", "Mars/Base"),
        ("--failed-at", TUESDAY, "--timezone", "../../etc/passwd"),
        ("--failed-at", TUESDAY, "--holidays", "2026-13-01"),
        ("--failed-at", TUESDAY, "--holidays", "Atlantis"),
        ("--failed-at", TUESDAY, "--policy", "nosuch"),
        ("--failed-at", TUESDAY, "--policy", "nosuch.toml"),
        ("--failed-at", TUESDAY, "--decline", "nosuch"),
        ("--failed-at", "9999-12-31T23:59:59Z"),
        ("--failed-at", "0001-01-01T00:00:00+14:00"),
    ],
)
def test_wrong_use_is_2_with_words_and_no_traceback(terminal: Terminal, arguments: tuple[str, ...]) -> None:
    said = terminal.run("plan", "--json", *arguments)
    assert said.code == 2, said.err
    assert said.out == ""
    assert said.err.strip()
    assert "Traceback" not in said.err
    assert "internal error" not in said.err
