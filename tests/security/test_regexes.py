"""Every regular expression of the product against long hostile texts: none of them may need more than a moment, whoever wrote the text.

The bound is processor time, a thousand times what an expression needs that walks its text once; one that walks it again for each of its characters needs minutes.
"""

import ast
import importlib
import pkgutil
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

import dunr
from tests.source_tree import SRC, name_of, python_files, tree_of

PACKAGE = SRC / "dunr"
pytestmark = pytest.mark.endurance

LENGTH = 60_000
SECONDS_MAX = 3.0
VERBS = frozenset({"compile", "match", "search", "sub", "subn", "fullmatch", "split", "findall", "finditer"})
TESTERS = re.compile(r"\.testing\.scenario")  # they read stories that somebody writes for a test
NOT_TRIED = re.compile(r"\.migrations\.|__main__$|\.testing\.")
SIGNS = (
    *[
        "a",
        "A",
        "1",
        "_",
        "-",
        ".",
        ",",
        ":",
        "/",
        "@",
        "=",
        "!",
        "'",
        "*",
        "`",
        "[",
        "]",
        "<",
        ">",
        "{",
        "}",
        "(",
        ")",
        "#",
        "?",
    ],
    " ",
    "\t",
    "\n",
    "\r\n",
    '"',
    "\\",
    "é",
)
PAIRS = (
    "-a",
    "a.",
    "a ",
    "1 ",
    "1-",
    "a@",
    "a:",
    "://",
    "a=",
    "[]",
    "[a",
    "{a}",
    "\\a",
    '"a',
    "'a",
    '""',
    "''",
    "#\n",
    "a\n",
    " \n",
)
PHRASES = (
    "AB12 ",
    "Bearer ",
    "sk_live_",
    "<!-- block a -->",
    "{# block a #}\n",
    "<mj-",
    "on",
    "Expected `a",
    "&password=",
    " (at line 1",
)


def patterns() -> dict[str, tuple[re.Pattern[str] | re.Pattern[bytes], frozenset[str]]]:
    """By the text of the expression, with how it is asked: those that modules keep, and those that stand in the middle of a function."""
    found: dict[str, tuple[re.Pattern[str] | re.Pattern[bytes], frozenset[str]]] = {}
    of_testers: set[str] = set()  # also where another module writes what they read
    for module in pkgutil.walk_packages(dunr.__path__, "dunr."):
        if TESTERS.search(module.name):
            kept = [one for value in vars(importlib.import_module(module.name)).values() for one in kept_in(value)]
            of_testers |= {repr(pattern.pattern) for pattern in kept}
        if NOT_TRIED.search(module.name):
            continue
        loaded = importlib.import_module(module.name)
        for name, value in vars(loaded).items():
            for pattern in kept_in(value):
                asked = found.get(repr(pattern.pattern), (pattern, frozenset()))[1]
                found[repr(pattern.pattern)] = (pattern, asked | verbs_of(loaded.__file__ or "", name))
    for _, call in calls():
        written = call.args[0] if call.args else None
        verb = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if isinstance(written, ast.Constant) and isinstance(written.value, str | bytes) and verb != "compile":
            found.setdefault(repr(written.value), (re.compile(written.value), frozenset({verb})))
    return {written: kept for written, kept in found.items() if written not in of_testers}


def verbs_of(file: str, name: str) -> frozenset[str]:
    """How a module asks an expression that it keeps under a name; by every verb where it hands it on."""
    asked = {
        node.attr
        for node in ast.walk(tree_of(Path(file)))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        and node.attr in VERBS
    }
    return frozenset(asked or {"search", "fullmatch"})


def kept_in(value: object) -> Iterator[re.Pattern[str] | re.Pattern[bytes]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from (inner for kept in value.values() for inner in kept_in(kept))
    elif isinstance(value, tuple | list):
        yield from (inner for kept in value for inner in kept_in(kept))


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Every use of the library, with its place."""
    for path in python_files(PACKAGE):
        if path.is_relative_to(PACKAGE / "testing"):
            continue
        for node in ast.walk(tree_of(path)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and (node.func.value.id, node.func.attr in VERBS) == ("re", True)
            ):
                yield f"{name_of(path)}:{node.lineno}", node


def hostile_texts() -> Iterator[str]:
    """Long ones of one sign, of a few signs again and again, and of those with an end that fits nothing."""
    for piece in (*SIGNS, *PAIRS, *PHRASES):
        text = piece * (LENGTH // len(piece))
        yield text + "\x00"
        yield f'"{text}'


def out_of_time(_: int, __: FrameType | None) -> None:
    raise TimeoutError


ALL = patterns()


def test_all_expressions_are_known_here() -> None:
    """One that is put together while the product runs could not be tried."""
    module_level = {
        (name_of(path), node.lineno)
        for path in python_files(PACKAGE)
        for statement in tree_of(path).body
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
    }
    unknown = []
    for place, call in calls():
        name, _, line = place.rpartition(":")
        is_plain = bool(call.args) and isinstance(call.args[0], ast.Constant)
        if not is_plain and (name, int(line)) not in module_level:
            unknown.append(place)
    assert unknown == []
    assert len(ALL) > 60


@pytest.mark.parametrize("written", sorted(ALL))
def test_no_text_keeps_an_expression_busy(written: str) -> None:
    pattern, asked = ALL[written]
    verbs = ["fullmatch" if asked == {"fullmatch"} else "search", *({"match"} & asked)]
    before = signal.signal(signal.SIGVTALRM, out_of_time)
    try:
        for text in hostile_texts():
            given = text.encode() if isinstance(pattern.pattern, bytes) else text
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_MAX)
            try:
                for verb in verbs:
                    getattr(pattern, verb)(given)
            except TimeoutError:
                pytest.fail(f"{written} is still busy with {text[:12]!r} × many after {SECONDS_MAX} s")
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)
