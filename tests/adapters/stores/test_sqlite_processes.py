"""Several processes on one file lose nothing, and a killed one loses nothing that it had been told was done."""

import multiprocessing
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from dunr.testing.store_rows import at, load, loaded_case, row_id
from tests.adapters.stores.opener import Opener
from tests.adapters.stores.writers import count_up

PROCESSES = 3
TIMES = 40


class TestProcesses(Opener):
    def test_processes_that_count_lose_nothing(self) -> None:
        """They also race to create the file, its tables and the case."""
        context = multiprocessing.get_context("spawn")
        arguments = (f"sqlite:///{self.path}", TIMES)
        processes = [context.Process(target=count_up, args=arguments) for _ in range(PROCESSES)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(60)
        assert [process.exitcode for process in processes] == [0] * PROCESSES
        case = loaded_case(self.open())
        assert case.amount_due_minor == PROCESSES * TIMES
        assert case.version == PROCESSES * TIMES + 1

    @pytest.mark.slow
    @pytest.mark.endurance
    def test_a_killed_process_loses_nothing_that_had_returned(self) -> None:
        """Two processes write; each is killed in mid-stream, five times over. What they had reported is all there,
        whole.
        """
        self.open().migrate()
        chance = random.Random(7)
        for turn in range(5):
            names = [f"{turn}a", f"{turn}b"]
            command = [sys.executable, "-m", "tests.adapters.stores.writers", f"sqlite:///{self.path}"]
            writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in names]
            first_lines = [writer.stdout.readline() for writer in writers if writer.stdout is not None]
            time.sleep(chance.uniform(0.02, 0.3))
            for writer in writers:
                writer.kill()
            for name, writer, first in zip(names, writers, first_lines, strict=True):
                rest, _ = writer.communicate(timeout=30)
                self._check(name, [line for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")])
        with closing(sqlite3.connect(self.path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            halves = connection.execute(
                "SELECT count(*) FROM cases c WHERE NOT EXISTS (SELECT 1 FROM postings p WHERE p.case_id = c.id)"
                " OR NOT EXISTS (SELECT 1 FROM audit a WHERE a.case_id = c.id)"
                " OR NOT EXISTS (SELECT 1 FROM effects e WHERE e.case_id = c.id)"
            ).fetchone()
        assert halves == (0,)

    def _check(self, name: str, lines: list[str]) -> None:
        store = self.open()
        assert lines
        for line in lines:
            deed, number = line.split()
            if deed == "committed":
                rows = load(store, f"inv_{name}_{number}")
                assert rows.case is not None, line
            else:
                assert store.inbound(row_id(f"evt_{name}_{number}")) is not None, line
        assert store.undone(at(10), 1)
