"""How the code reads itself: the files, their syntax trees, what they import. The rules are in test_tidy."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"


def python_files(*folders: Path) -> list[Path]:
    found: list[Path] = []
    for folder in folders:
        found += sorted(folder.rglob("*.py")) if folder.is_dir() else [folder] if folder.is_file() else []
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a file, found once for all the rules."""
    return tuple(ast.walk(tree_of(path)))


def nodes(*folders: Path) -> Iterator[tuple[str, ast.AST]]:
    """Every node of every file, with the place to name in a message."""
    for path in python_files(*folders):
        name = name_of(path)
        for node in nodes_of(path):
            located = node.pattern if isinstance(node, ast.match_case) else node
            yield f"{name}:{getattr(located, 'lineno', 1)}", node


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[tuple[str, int]]:
    """Every imported module, with its line. `from a import b` gives `a` and `a.b`, since b may be a module."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = absolute(path, node)
            yield source, node.lineno
            yield from ((f"{source}.{alias.name}", node.lineno) for alias in node.names)


def absolute(path: Path, node: ast.ImportFrom) -> str:
    """Name the source of an import in full, also where it is written with leading dots."""
    if not node.level:
        return node.module or ""
    package = path.relative_to(SRC).parent.parts
    return ".".join([*package[: len(package) + 1 - node.level], *([node.module] if node.module else [])])


@cache
def tracked_files() -> tuple[Path, ...]:
    """What git would commit: tracked files and new ones that are not ignored."""
    command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-z"]
    command += ["--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("this is not a git checkout, so there is no list of files to read")
    paths = (ROOT / name for name in listed.stdout.decode().split("\0") if name)
    return tuple(path for path in paths if path.is_file())


def length_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines()) if path.is_file() else 0
