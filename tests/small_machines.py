"""Machines that share a database and a store: processes, each with a storage directory of its own.

One that has used a store must not fork.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_pdfs import printed

#: Forks once for each machine and what it is to do.
MACHINES = """
import os, sys
from pathlib import Path

import clerk.publish, clerk.fetch.store, clerk.read.documents
from clerk.core import config
from clerk.executors.pool import Pool
from clerk.pipeline.flow import Pipeline
from clerk.pipeline.mirror import bring_databases
from clerk.pipeline.search_index import update

sys.path.append(sys.argv.pop(1))
from prepared import prepare_to_fork

prepare_to_fork()
for number, order in enumerate(sys.argv[2:]):
    machine, queue = order.split("/")
    folder = Path(sys.argv[1], machine)
    folder.mkdir(exist_ok=True)
    pid = os.fork()
    if pid:
        assert os.waitpid(pid, 0)[1] == 0, order
        continue
    os.environ["STORAGE_DIR"] = str(folder)
    if queue == "mirror":
        sys.stdout.write(" ".join(bring_databases(config.load())) + chr(10))
        update(config.load())
    else:
        with Pool(Pipeline(config.load()), [queue], config.load()) as pool:
            while pool.turn() or not pool.nothing_to_claim():
                pass
    sys.stdout.flush()
    os._exit(0)
"""


class Machines:
    """Machines that share a database and a store, and nothing else."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._root, self._monkeypatch = root, monkeypatch

    def be(self, name: str) -> Path:
        """Be this machine from now on; return its storage directory."""
        folder = self._root / name
        folder.mkdir(exist_ok=True)
        self._monkeypatch.setenv("STORAGE_DIR", str(folder))
        return folder

    def run(self, script: str, *arguments: str) -> str:
        """Run a script in a process of its own; return what it printed."""
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            env=os.environ,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def work(self, *orders: str) -> str:
        """Do what is queued, on the machine named before it, or on one for its queue."""
        named = [each if "/" in each else f"machine-{each}/{each}" for each in orders]
        return self.run(MACHINES, str(Path(__file__).parent), str(self._root), *named)


def add_documents(folder: Path, *months: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for month in months:
        words = f"Minutes of month {month}: the motion to adopt the budget carried unanimously."
        (folder / f"2024-{month:02}-15 minutes.pdf").write_bytes(printed([words]))
