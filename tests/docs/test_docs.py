"""The documents are true: every command in a `console` block is run, and must answer what the block shows.

`…` stands for anything. Blocks that speak to port 8080 get a dunr of their own there, as `make run` starts it, on a free port.
"""

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import nursery
from tests.cases.rehearsal import until
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
DUNR = Path(sys.executable).with_name("dunr")
DOCUMENTS = sorted(
    path for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")] if "```console" in path.read_text()
)
PATIENCE_SECONDS = 15.0
SHELL = re.compile(r"[|&;<>$`*?(){}~#!]")  # what only a shell understands
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def conversation(document: Path) -> list[tuple[str, str]]:
    """The commands of a document in order, each with the answer that it shows."""
    found = []
    for block in BLOCK.findall(document.read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append((command, shown))
    return found


def matches(shown: str, said: str) -> bool:
    pieces = [" ".join(piece.split()) for piece in shown.split("…")]
    return re.search(".*".join(re.escape(piece) for piece in pieces), " ".join(said.split()), re.DOTALL) is not None


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """A dunr as `make run` starts it."""
    port = free_port()
    recipe = re.search(r"^run:.*\n\t(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    arguments = shlex.split(recipe.group(1).replace("$(ARGS)", ""))[1:]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DUNR_")}
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        process = nursery.start(
            "dunr", *arguments, "--port", str(port), environment=environment, folder=tmp_path, stdout=nowhere
        )
    try:
        until(lambda: answers(port))
        yield port
    finally:
        process.terminate()
        process.wait(timeout=20)


def answers(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def say(command: str, port: int, folder: Path) -> subprocess.CompletedProcess[str]:
    """A plain command of ours is spared the imports; everything else is for the shell."""
    words = shlex.split(command)
    if words[0] == ".venv/bin/dunr" and not SHELL.search(command):
        here = [word.replace("127.0.0.1:8080", f"127.0.0.1:{port}") for word in words[1:]]
        return nursery.run("dunr", *here, folder=folder)
    ours = command.replace(".venv/bin/dunr", str(DUNR)).replace("127.0.0.1:8080", f"127.0.0.1:{port}")
    return subprocess.run(ours, shell=True, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def asks_only(command: str) -> bool:
    """A question may be asked again: a webhook needs a moment to arrive."""
    return command.startswith("curl") and " -X " not in command


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_in_a_document_answers_as_shown(document: Path, port: int, tmp_path: Path) -> None:
    for command, shown in conversation(document):
        give_up = time.monotonic() + PATIENCE_SECONDS
        done = say(command, port, tmp_path)
        while asks_only(command) and not matches(shown, done.stdout) and time.monotonic() < give_up:
            time.sleep(0.1)
            done = say(command, port, tmp_path)
        assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
        assert matches(shown, done.stdout), f"$ {command}\nshown:\n{shown}\nsaid:\n{done.stdout}"
