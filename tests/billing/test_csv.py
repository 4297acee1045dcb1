"""Subscriptions and charges from CSV files and from the command line: a bad row is named by its line, and a file twice is a file once."""

from pathlib import Path

import pytest

from tests.billing.merchant import SECRET
from tests.entry.cli.conftest import terminal
from tests.entry.cli.terminals import Terminal

__all__ = ["terminal"]

SUBSCRIPTIONS = """id,customer,email,instrument,rail,price_minor,currency,period_count,period_unit,anchor_on,timezone,catch_up,products
sub_1,cus_1,ada@example.com,wallet_1,carrier,4900,usd,1,months,2026-07-31,Europe/Berlin,latest,gold|addon
sub_2,cus_2,,wallet_2,,900,eur,14,days,2026-07-01,,,
"""
CHARGES = """id,amount_minor,currency,customer,instrument,subscription,due_at,failed_id,failed_at,failed_reason_code
ch_1,4900,usd,cus_1,wallet_1,sub_1,2026-07-01T08:00:00Z,,,
ch_2,900,usd,cus_2,wallet_2,,,own_1,2026-06-23T09:59:30Z,NO_CREDIT
"""


@pytest.fixture
def shop(terminal: Terminal) -> Terminal:
    """A merchant whose billing system is not reachable just now."""
    terminal.set(processor="billing_http", account="acct_1", billing_secret=SECRET, webhook_secrets=SECRET)
    terminal.set(billing_charge_url="http://127.0.0.1:9/charge", billing_look_up_url="http://127.0.0.1:9/look-up")
    terminal.set(clock="manual", clock_start="2026-06-23T10:00:00Z", policy="fibonacci", data=terminal.folder / "data")
    terminal.set(billing_retryable_codes="NO_CREDIT")
    return terminal


def written(shop: Terminal, text: str) -> str:
    path = Path(shop.folder) / "rows.csv"
    path.write_text(text)
    return str(path)


def test_subscriptions_come_from_a_file_and_the_same_file_again_is_no_news(shop: Terminal) -> None:
    file = written(shop, SUBSCRIPTIONS)
    assert shop.done("subscriptions", "import", file, "--json").json == {
        "read_count": 2,
        "new_count": 2,
        "known_count": 0,
        "bad": [],
    }
    again = shop.done("subscriptions", "import", file, "--json").json
    assert (again["new_count"], again["known_count"]) == (0, 2)
    assert "2 subscriptions read: 0 new, 2 known already, 0 bad." in shop.done("subscriptions", "import", file).out
    first = shop.done("subscriptions", "show", "sub_1", "--json").json
    assert (first["next_charge_at"], first["amount_minor"]) == ("2026-07-31T07:00:00Z", 4900)
    assert shop.done("subscriptions", "pause", "sub_1", "--json").json["paused"] is True
    assert "Charged next: Fri 31 Jul 2026 07:00:00 UTC" in shop.done("subscriptions", "resume", "sub_1").out


def test_a_file_that_was_taken_in_by_half_is_finished_by_the_next_run(shop: Terminal) -> None:
    header, first, second = SUBSCRIPTIONS.splitlines()
    shop.done("subscriptions", "import", written(shop, f"{header}\n{first}\n"))
    rest = shop.done("subscriptions", "import", written(shop, f"{header}\n{first}\n{second}\n"), "--json").json
    assert (rest["new_count"], rest["known_count"]) == (1, 1)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (
            "sub_3,cus_3,,wallet_3,,abc,usd,1,months,2026-07-31,,,",
            "line 4: Expected `int`, got `str` - at `$.price_minor`",
        ),
        ("sub_3,cus_3,,wallet_3,,900,usd,1,moons,2026-07-31,,,", "line 4: Invalid enum value 'moons'"),
        ("sub_3,cus_3,,wallet_3,,900,usd,1,months,31.07.2026,,,", "line 4: Invalid RFC3339 encoded date"),
        (
            "sub_3,cus_3,,wallet_3,,900,usd,1,months,2026-07-31,Mars/Olympus,,",
            "line 4: timezone 'Mars/Olympus' does not",
        ),
        ("sub_3,,,wallet_3,,900,usd,1,months,2026-07-31,,,", "line 4: Object missing required field `customer`"),
        ("sub_3,cus_3,,wallet_3,,900,usd,1,months,2026-07-31,,,,too,many", "line 4: Object contains unknown field"),
    ],
)
def test_a_bad_row_is_named_by_its_line_and_nothing_is_taken_in_unless_it_is_skipped(
    shop: Terminal, row: str, says: str
) -> None:
    file = written(shop, SUBSCRIPTIONS + row + "\n")
    said = shop.run("subscriptions", "import", file)
    assert (said.code, said.err.count("line 4:")) == (1, 1)
    assert says in said.err
    assert "Nothing was taken in" in said.err
    assert shop.run("subscriptions", "show", "sub_1").code == 1
    skipped = shop.run("subscriptions", "import", file, "--skip-bad", "--json")
    assert (skipped.code, skipped.json["new_count"], skipped.json["bad"][0]["line"]) == (1, 2, 4)
    assert shop.done("subscriptions", "show", "sub_1").code == 0


def test_a_row_that_contradicts_what_is_there_is_named_and_the_others_are_taken_in(shop: Terminal) -> None:
    shop.done("subscriptions", "import", written(shop, SUBSCRIPTIONS))
    dearer = written(shop, SUBSCRIPTIONS.replace("4900", "5900") + "sub_3,cus_3,,w_3,,900,usd,1,months,2026-07-31,,,\n")
    said = shop.run("subscriptions", "import", dearer, "--json")
    assert (said.code, said.json["new_count"], said.json["known_count"]) == (1, 1, 1)
    assert said.json["bad"][0]["line"] == 2
    assert "renewed already, and otherwise" in said.json["bad"][0]["why"]


@pytest.mark.parametrize(
    "text",
    ["", "id,customer\nsub_1,cus_1\n", SUBSCRIPTIONS.replace("price_minor", "price"), 'id,"customer\n'],
)
def test_a_file_that_is_no_such_table_is_wrong_use(shop: Terminal, text: str) -> None:
    said = shop.run("subscriptions", "import", written(shop, text))
    assert said.code == 2, said.err


def test_charges_come_from_a_file_and_are_shown_and_taken_back(shop: Terminal) -> None:
    file = written(shop, CHARGES)
    assert shop.done("charges", "import", file, "--json").json["new_count"] == 2
    assert shop.done("charges", "import", file, "--json").json["known_count"] == 2
    shown = shop.done("charges", "show", "ch_1", "--json").json
    assert (shown["amount_due_minor"], shown["next_attempt_at"]) == (4900, "2026-07-01T08:00:00Z")
    retried = shop.done("charges", "show", "ch_2", "--json").json
    assert retried["next_attempt_at"] == "2026-06-23T10:00:30Z", "a minute after the failure that the merchant told"
    back = shop.done("charges", "take-back", "ch_1", "--status", "written_off", "--json").json
    assert back["status"] == "CHARGE_CLOSED"
    assert "CHARGE_CLOSED" in shop.done("charges", "show", "ch_1").out
    assert shop.run("charges", "show", "ch_9").code == 1


def test_where_a_processor_keeps_the_subscriptions_nothing_is_renewed_here(terminal: Terminal) -> None:
    terminal.set(data=terminal.folder / "data")
    for group in ("subscriptions", "charges"):
        said = terminal.run(group, "show", "one")
        assert (said.code, "billing_http" in said.err) == (1, True)
