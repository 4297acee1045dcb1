"""Where a document names a test, there is that test: a table of threats or of failures proves nothing that is not run."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
DOCUMENTS = sorted(path for path in (ROOT / "docs").rglob("*.md") if NAMED.search(path.read_text()))


def named(document: Path) -> list[tuple[str, str]]:
    return NAMED.findall(document.read_text())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_test_that_a_document_names_exists(document: Path) -> None:
    missing = [
        f"{file}::{name}"
        for file, name in named(document)
        if not (ROOT / file).is_file() or name not in functions(ROOT / file)
    ]
    assert missing == []


def functions(file: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)}


def test_every_threat_has_its_test() -> None:
    rows = re.findall(r"^\|.*\|$", (ROOT / "docs" / "security.md").read_text().partition("## Threats")[2], re.MULTILINE)
    assert [row for row in rows[2:] if not NAMED.search(row)] == []
    assert len(rows) > 40


def test_every_case_that_a_test_names_stands_in_the_table_of_failures_with_a_test_of_its_own() -> None:
    told = (ROOT / "docs" / "failures.md").read_text()
    rows = dict(re.findall(r"^\| (C\d\d) \|.*?`(tests/\S+)::\w+` \|$", told, re.MULTILINE))
    files = [path.as_posix() for path in (ROOT / "tests" / "cases").rglob("test_*C[0-9][0-9]_*.py")]
    known = {case for path in files for case in re.findall(r"C\d\d", path.rpartition("/")[2])}
    assert set(rows) == known
    assert [case for case, file in rows.items() if case not in file] == []
