"""The law of this code as a test: what is agreed is checked here, and each message says what to do.

Import rules between our own packages are contracts in pyproject.toml (`make lint`); this file holds what a contract
cannot say. To change a rule, change it here, with the reason beside it, in a commit of its own.
"""

import ast
import re
from pathlib import Path

from tests.source_tree import (
    ROOT,
    SRC,
    imports_of,
    length_of,
    module_of,
    name_of,
    nodes,
    python_files,
    tracked_files,
    tree_of,
)

PACKAGE = SRC / "dunr"
CORE = PACKAGE / "core"

FUNCTION_LINES_MAX = 60
FILE_LINES_MAX = 280

# The ratchet: files that were longer when the rule came, with their length. A number may shrink and never grows, and a
# new file never joins: split it instead.
LONGER_FILES: dict[str, int] = {
    "src/dunr/ports.py": 351,  # every seam on one page
}

CORE_MAY_IMPORT = frozenset(
    {"__future__", "collections", "dataclasses", "datetime", "decimal", "enum", "functools", "hashlib", "itertools"}
    | {"math", "msgspec", "re", "typing", "zoneinfo"}
)
CLOCK_CALLS = frozenset({"now", "utcnow", "today"})
CLOCK_OWNERS = frozenset({"date", "datetime", "dt", "time"})

# Who may hold each vendor's library. A library that is not here may be imported anywhere outside the core.
LIBRARY_HOMES = {
    "alembic": ("adapters/stores/",),
    "boto3": ("adapters/",),
    "botocore": ("adapters/",),
    "psycopg": ("adapters/stores/",),
    "smtplib": ("adapters/mailers/",),
    "sqlite3": ("adapters/stores/", "sandbox/"),
    "stripe": ("adapters/processors/stripe/",),
}

BANNED_MODULE_NAMES = frozenset({"common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"})
UNFINISHED = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X])\b")  # brackets, so that this line does not find itself

# mypy proves that this case cannot be reached, and fails where a new member of an enum can reach it.
LAST_CASE = ["case", "unreachable:", "assert_never(unreachable)"]

# Started by something other than an import: the console script, `python -m`, Alembic and the cloud's runtime.
STARTED_FROM_OUTSIDE = re.compile(
    r"(^|/)__main__\.py$|/migrations/|/templates/|^dunr/entry/(cli/__init__|worker|lambdas)\.py$|^dunr/testing/"
)

# What may never be caught whole: an error that nobody named is a bug, and a bug must stop the step it is in.
NEVER_CATCH_ALL = ("engine.py", "sweep.py", "core/", "adapters/processors/", "adapters/stores/")

ADDRESSES = re.compile(
    r"/(?:work)/(?:main|shared|\.\w+)"
    r"|(?<![\w.>])/(?:root|Users|home)/[\w.-]+"
    r"|(?:pypi|pythonhosted|npmjs|deb\.debian)\.(?:org|com)"
    r"|index-url[ =]\S*:/"
)
TEXT_SUFFIXES = frozenset(
    {"", ".cfg", ".css", ".csv", ".html", ".ini", ".j2", ".js", ".json", ".lock", ".mako", ".md", ".mjml", ".py"}
    | {".sh", ".sql", ".svg", ".toml", ".txt", ".typed", ".yaml", ".yml"}
)


def inside(path: Path, homes: tuple[str, ...]) -> bool:
    return path.relative_to(PACKAGE).as_posix().startswith(homes)


def report(problems: list[str], what_to_do: str) -> None:
    assert not problems, "\n".join([what_to_do, *(f"  {problem}" for problem in dict.fromkeys(problems))])


# --- the core ---------------------------------------------------------------------------------------------------------


def test_core_imports_only_the_allow_list_and_itself() -> None:
    problems = [
        f"{name_of(path)}:{line} imports {module}"
        for path in python_files(CORE)
        for module, line in imports_of(path)
        if module.split(".")[0] not in CORE_MAY_IMPORT and not f"{module}.".startswith("dunr.core.")
    ]
    report(problems, "The core computes and nothing else. Take the value as an argument, and let the engine fetch it:")


def test_core_reads_no_clock() -> None:
    problems = [place for place, node in nodes(CORE) if reads_clock(node)]
    report(problems, "The clock is an argument: take `now` as a parameter instead:")


def reads_clock(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_CALLS
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in CLOCK_OWNERS:
        return node.attr in CLOCK_CALLS | {"time"}
    return False


def test_core_knows_no_any() -> None:
    problems = [
        place
        for place, node in nodes(CORE)
        if (isinstance(node, ast.Name) and node.id == "Any") or (isinstance(node, ast.Attribute) and node.attr == "Any")
    ]
    report(problems, "`Any` hides a case that nobody decided. Name the type, or a union of the types that may come:")


def test_core_has_no_wildcard_case() -> None:
    problems = [
        place for place, node in nodes(CORE) if isinstance(node, ast.match_case) and takes_anything(node.pattern)
    ]
    report(problems, "`case _:` would swallow a member that is added later. Write each case out, with its reason:")


def takes_anything(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchSequence | ast.MatchOr):
        return all(takes_anything(part) for part in pattern.patterns)
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None


def test_every_match_in_core_is_proved_exhaustive() -> None:
    problems = [
        place
        for place, node in nodes(CORE)
        if isinstance(node, ast.Match) and ast.unparse(node.cases[-1]).split() != LAST_CASE
    ]
    report(problems, "End this match with `case unreachable: assert_never(unreachable)`, so that mypy finds a gap:")


# --- size and names ---------------------------------------------------------------------------------------------------


def test_functions_are_short() -> None:
    problems = [
        f"{place} {node.name}"
        for place, node in nodes(SRC, ROOT / "tests")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES_MAX
    ]
    report(problems, f"A function has at most {FUNCTION_LINES_MAX} lines. Name a part of it and move that out:")


def test_files_are_short() -> None:
    problems = [
        f"{name_of(path)} has {length_of(path)} lines"
        for path in python_files(SRC, ROOT / "tests")
        if length_of(path) > LONGER_FILES.get(name_of(path), FILE_LINES_MAX)
    ]
    report(problems, f"A file has at most {FILE_LINES_MAX} lines. Split it where its docstring says `and`:")


def test_the_ratchet_only_turns_one_way() -> None:
    problems = [name for name, allowed in LONGER_FILES.items() if length_of(ROOT / name) < allowed]
    report(problems, "This file became shorter: write its new length into LONGER_FILES, or take it off the list:")


def test_no_module_is_named_after_nothing() -> None:
    problems = [
        name_of(path)
        for path in python_files(SRC)
        if BANNED_MODULE_NAMES & {path.stem, *path.relative_to(SRC).parent.parts}
    ]
    report(problems, "A name such as `utils` or `manager` attracts anything. Name the module after what it knows:")


def test_each_module_has_a_docstring() -> None:
    problems = [name_of(path) for path in python_files(SRC, ROOT / "tests") if not ast.get_docstring(tree_of(path))]
    report(problems, "Begin this file with a docstring that says what the module knows:")


def test_nothing_is_left_unfinished() -> None:
    problems = [
        f"{name_of(path)}:{number}"
        for path in python_files(SRC, ROOT / "tests", ROOT / "benchmarks")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if UNFINISHED.search(line)
    ]
    report(problems, "Finish this, or file an issue and take the note out:")


def test_no_file_in_src_is_dead() -> None:
    imported = {module for path in python_files(SRC) for module, _ in imports_of(path)}
    problems = [
        name_of(path)
        for path in python_files(SRC)
        if module_of(path) not in imported
        and path.name != "__init__.py"
        and not STARTED_FROM_OUTSIDE.search(path.relative_to(SRC).as_posix())
    ]
    report(problems, "Nothing imports this file. Use it, or delete it:")


# --- errors and borders -----------------------------------------------------------------------------------------------


def test_errors_are_caught_by_name() -> None:
    problems = [
        place
        for place, node in nodes(*(PACKAGE / part for part in NEVER_CATCH_ALL))
        if isinstance(node, ast.ExceptHandler) and catches_all(node)
    ]
    report(problems, "Catch the errors that can come here by name; a bug must not look like an answer:")


def catches_all(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"} for kind in caught)


def test_the_sandbox_imports_nothing_of_ours() -> None:
    problems = [
        f"{name_of(path)}:{line} imports {module}"
        for path in python_files(PACKAGE / "sandbox")
        for module, line in imports_of(path)
        if module.split(".")[0] == "dunr" and not f"{module}.".startswith("dunr.sandbox.")
    ]
    report(problems, "The sandbox is a witness and must not share our bugs. Write the few lines again, its own way:")


def test_each_vendor_library_stays_at_home() -> None:
    problems = [
        f"{name_of(path)}:{line} imports {module}; its home is {LIBRARY_HOMES[module.split('.')[0]]}"
        for path in python_files(PACKAGE)
        for module, line in imports_of(path)
        if module.split(".")[0] in LIBRARY_HOMES and not inside(path, LIBRARY_HOMES[module.split(".")[0]])
    ]
    report(problems, "A vendor's library is imported in its own adapter only. Go through the port:")


def test_no_file_names_a_machine_or_a_package_index() -> None:
    problems = [
        f"{name_of(path)}:{number}: {found.group()}"
        for path in tracked_files()
        if path.suffix in TEXT_SUFFIXES
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if (found := ADDRESSES.search(line))
    ]
    report(problems, "What is committed works on any machine. Use a relative path, and name no package index:")


def test_the_lock_file_holds_hashes_and_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = [line for line in lock.splitlines() if re.match(r"[a-z0-9]", line)]
    bare = [pin for pin in pins if "==" not in pin or not pin.endswith("\\")]
    report(bare, "Each line pins one version with its hashes. Run `make lock`:")
    assert ":/" + "/" not in lock, "The lock file must hold no address. Run `make lock`, which leaves them out."
