"""`dunr plan`: the dates that were promised (C60), with their reasons, notices and pause."""

from datetime import date

import pytest

from tests.entry.cli.terminals import Terminal

TUESDAY = "2026-06-23T10:00:00Z"


def dates(terminal: Terminal, *arguments: str) -> list[str]:
    return [one["at"] for one in terminal.done("plan", "--json", *arguments).json["attempts"]]


def test_the_unconfigured_policy(terminal: Terminal) -> None:
    told = terminal.done("plan", "--policy", "business_days", "--failed-at", TUESDAY, "--json").json
    assert {"policy", "attempts", "pause_at", "pause_why", "notices", "access", "turns", "undated"} <= set(told)
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


# --- explain --------------------------------------------------------------------------------------------------------------


def test_a_payday_in_london_a_window_and_a_month_s_end_are_explained(terminal: Terminal) -> None:
    told = terminal.done(
        *("plan", "--failed-at", "2026-06-19T10:00:00Z", "--policy", "by_reason", "--processor", "stripe"),
        *("--decline", "insufficient_funds", "--country", "GB", "--network", "visa", "--json"),
    ).json
    assert (told["reason"], told["kind"], told["strategy"]) == ("insufficient_funds", "soft", "funds_aware")
    assert (told["timezone"], told["country"], told["network"]) == ("Europe/London", "GB", "visa")
    assert told["timezone_why"] == "the time zone of GB, since the payer's own is not known"
    # Thursday 25 June is a payday, and so is Tuesday 30 June, although the month ends there; then nothing until the middle of July.
    assert [one["at"] for one in told["attempts"]] == [
        "2026-06-25T08:00:00Z",
        "2026-06-30T08:00:00Z",
        "2026-07-07T08:00:00Z",
        "2026-07-14T08:00:00Z",
    ]
    assert told["attempts"][0]["why"] == [
        "3 days after Fri 19 Jun 2026, 10:00 UTC",
        "moved on to Thu 25 Jun 2026, 09:00 Europe/London, the next payday in GB",
    ]
    assert [(one["at"], one["access"]) for one in told["access"]] == [
        ("2026-06-19T10:00:00Z", "grace"),
        (told["pause_at"], "paused"),
    ]
    assert all(one["why"] for one in (*told["notices"], *told["access"], *told["turns"]))


def test_the_network_s_advice_moves_every_attempt(terminal: Terminal) -> None:
    told = terminal.done(
        *("plan", "--failed-at", TUESDAY, "--policy", "by_reason", "--decline", "insufficient_funds"),
        *("--network", "mastercard", "--network-advice", "28", "--json"),  # six days
    ).json
    # Monday 29 June 10:00, then Sunday, so Monday 6 July, and on in weeks.
    assert [one["at"] for one in told["attempts"]][:2] == ["2026-06-29T10:00:00Z", "2026-07-06T09:00:00Z"]
    assert any("asked to wait" in text for text in told["attempts"][0]["why"])


def test_fibonacci_on_a_carrier_is_fourteen_and_on_a_mastercard_fewer(terminal: Terminal) -> None:
    fibonacci = ("plan", "--failed-at", TUESDAY, "--policy", "fibonacci", "--decline", "issuer_unavailable", "--json")
    free = terminal.done(*fibonacci, "--rail", "carrier").json
    assert (len(free["attempts"]), free["undated"]) == (14, [])
    capped = terminal.done(*fibonacci, "--network", "mastercard").json
    assert len(capped["attempts"]) < 14
    assert any("no date" in text for text in capped["undated"])


def test_a_policy_that_pauses_nothing_promises_no_pause(terminal: Terminal) -> None:
    said = terminal.done(
        "plan", "--failed-at", TUESDAY, "--policy", "fibonacci", "--network", "mastercard", "--json"
    ).json
    last = next(one for one in said["notices"] if one["kind"] == "final_warning")
    assert (said["pause_at"], last["pause_at"]) == (None, None)
    assert last["why"] == ["the last step is planned", "it tells the reason"]


def test_an_expired_card_is_refreshed_first(terminal: Terminal) -> None:
    told = terminal.done(
        *("plan", "--failed-at", TUESDAY, "--policy", "by_reason", "--decline", "expired_card", "--json")
    ).json
    assert len(told["attempts"]) == 1
    assert any("refreshed" in text for text in told["attempts"][0]["why"])
    assert told["notices"][0]["kind"] == "method_needed"


def test_where_the_processor_cannot_refresh_a_card_the_customer_is_asked(terminal: Terminal) -> None:
    told = terminal.done(
        *("plan", "--failed-at", TUESDAY, "--policy", "by_reason", "--decline", "expired_card", "--processor", "adyen"),
        "--json",
    ).json
    assert told["attempts"] == []
    assert [one["kind"] for one in told["notices"]] == ["method_needed", "paused"]


def test_people_get_a_calendar(terminal: Terminal) -> None:
    said = terminal.done("plan", "--failed-at", TUESDAY).out
    week = next(line for line in said.splitlines() if line.startswith("22"))
    assert week.split() == ["22", "23", "Fm", "24", "1m", "25", "26", "27", "28"]
    assert "June 2026" in said
    assert "July 2026" in said
    assert "Days in UTC." in said


def test_days_are_those_of_the_payer(terminal: Terminal) -> None:
    said = terminal.done("plan", "--failed-at", "2026-06-26T23:30:00Z", "--timezone", "Australia/Sydney").out
    week = next(line for line in said.splitlines() if line.startswith("22"))
    assert week.split()[-2:] == ["F", "28"]  # Saturday there


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
        ("--failed-at", TUESDAY, "--processor", "nosuch"),
        ("--failed-at", TUESDAY, "--country", "Britain"),
        ("--failed-at", TUESDAY, "--network", "nosuch"),
        ("--failed-at", TUESDAY, "--rail", "nosuch"),
        ("--failed-at", TUESDAY, "--network", "mastercard", "--network-advice", "XX"),
        ("--failed-at", TUESDAY, "--network-advice", "30"),
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
