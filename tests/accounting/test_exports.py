"""The accountant's side: what dunr says of the money is read by programs that we did not write, and a figure that was touched is found."""

import csv
import json
import sqlite3
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from dunr.accounting.beancount import beancount_lines
from dunr.accounting.pages import all_postings
from dunr.accounting.table import plain
from dunr.core.ledger import DELINQUENT, RECEIVABLE
from dunr.facts.load import load_facts
from dunr.simulate.clock import WORLD_BEGINS_AT
from dunr.simulate.world import World
from tests import nursery

BIN = Path(sys.executable).parent


def run(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = nursery.run("dunr", *map(str, arguments))
    assert done.returncode == code, done.stderr + done.stdout
    return done


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The books of the demo's eight customers."""
    folder = tmp_path_factory.mktemp("books") / "data"
    run("demo", "--keep", folder)
    return folder


def test_bean_check_accepts_the_ledger_of_the_demo(data: Path, tmp_path: Path) -> None:
    run("--data", data, "ledger", "export", "--format", "beancount", "--output", tmp_path / "books.beancount")
    checked = subprocess.run(
        [BIN / "bean-check", tmp_path / "books.beancount"], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
    assert (tmp_path / "books.beancount").read_text().count(" * ") > 16


@pytest.mark.parametrize("place", ["nowhere/books.csv", "."])
def test_a_place_where_no_file_can_be_is_named_and_nothing_is_left_there(
    data: Path, tmp_path: Path, place: str
) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    done = run("--data", data, "ledger", "export", "--output", folder / place, code=1)
    assert "cannot be written" in done.stderr
    assert "name a file in a folder that is there" in done.stderr
    assert sorted(tmp_path.rglob("*")) == [folder]


@pytest.mark.parametrize("first_seed", [0, 500])
def test_bean_check_accepts_the_ledgers_of_worlds_full_of_trouble(tmp_path: Path, first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 6):
        world = World(seed, load_facts())
        world.live()
        file = tmp_path / f"{seed}.beancount"
        file.write_text("".join(beancount_lines(all_postings(world.store), WORLD_BEGINS_AT.date())))
        checked = subprocess.run([BIN / "bean-check", file], capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def test_bean_check_refuses_a_ledger_in_which_a_cent_is_missing(data: Path, tmp_path: Path) -> None:
    """A check that cannot fail proves nothing."""
    text = run("--data", data, "ledger", "export", "--format", "beancount").stdout
    line = next(line for line in text.splitlines() if "Assets:Dunr:Processor" in line and "open" not in line)
    (tmp_path / "wrong.beancount").write_text(text.replace(line, line.replace(".00", ".01"), 1))
    checked = subprocess.run(
        [BIN / "bean-check", tmp_path / "wrong.beancount"], capture_output=True, text=True, check=False
    )
    assert "does not balance" in checked.stdout + checked.stderr


def test_the_table_comes_to_nothing_and_owes_what_the_open_cases_owe(data: Path) -> None:
    rows = list(csv.DictReader(StringIO(run("--data", data, "ledger", "export").stdout)))
    assert sum(int(row["amount_minor"]) for row in rows) == 0
    owed = sum(int(row["amount_minor"]) for row in rows if row["account"] in (RECEIVABLE, DELINQUENT))
    cases = json.loads(run("--data", data, "cases", "--json").stdout)["cases"]
    assert owed == sum(case["amount_due_minor"] for case in cases)
    balance = json.loads(run("--data", data, "ledger", "balance", "--json").stdout)["balance"]
    assert sum(row["amount_minor"] for row in balance) == 0


def test_an_id_that_looks_like_a_formula_stays_text() -> None:
    assert plain("=HYPERLINK(1)") == "'=HYPERLINK(1)"
    assert plain("sandbox:a:in_1") == "sandbox:a:in_1"


def test_the_month_tells_what_failed_and_what_came_in(data: Path, tmp_path: Path) -> None:
    june = json.loads(run("--data", data, "report", "--month", "2026-06", "--format", "json").stdout)
    july = json.loads(run("--data", data, "report", "--month", "2026-07", "--format", "json").stdout)
    assert sum(one["opened_count"] for one in june["money"]) == 8
    came_in = [one for month in (june, july) for one in month["money"]]
    assert sum(one["came_in_count"] for one in came_in) >= 7
    assert all(0 <= rung["succeeded_count"] <= rung["tried_count"] for rung in june["funnel"])
    run("--data", data, "report", "--month", "2026-06", "--output", tmp_path / "june.html")
    page = (tmp_path / "june.html").read_text()
    assert "Recovery in June 2026" in page
    assert "<script" not in page
    table = run("--data", data, "report", "--month", "2026-06", "--format", "csv").stdout
    assert "failed_invoices,sandbox,EUR" in table or "failed_invoices,sandbox,USD" in table
    assert "Write a month as 2026-06" in run("--data", data, "report", "--month", "June", code=2).stderr


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE audit SET why = '[\"nothing to see\"]' WHERE number = 2", "is not as it was written"),
        ("DELETE FROM audit WHERE number = 1", "does not follow the one before it"),
        ("UPDATE posting_lines SET amount_minor = amount_minor + 1 WHERE line = 0", "is off by 1"),
        ("UPDATE posting_lines SET amount_minor = amount_minor * 2", "the ledger says that"),
        ("UPDATE postings SET currency = 'xxx'", "is in xxx"),
    ],
)
def test_books_that_somebody_has_touched_are_found_out(data: Path, tmp_path: Path, statement: str, found: str) -> None:
    copy = _copied(data, tmp_path)
    with sqlite3.connect(copy / "dunr.db") as database:
        database.execute(statement)
    told = run("--data", copy, "audit", "verify", code=1)
    assert found in told.stdout


def test_books_that_nobody_has_touched_are_verified(data: Path) -> None:
    assert json.loads(run("--data", data, "audit", "verify", "--json").stdout) == {"verified": True, "problems": []}
    assert "ChargeFailed" in run("--data", data, "audit", "show", "in_farid").stdout


def _copied(data: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    copy = tmp_path / "copy"
    copy.mkdir()
    with sqlite3.connect(data / "dunr.db") as original, sqlite3.connect(copy / "dunr.db") as database:
        original.backup(database)
    return copy
