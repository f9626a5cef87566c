"""Every benchmark runs to its end, with tiny sizes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import names

ROOT = Path(__file__).parents[2]

#: What each benchmark compares with that may not be installed: the module, and the name it prints.
OTHERS = {
    "annotations": {"edlib": "edlib"},
    "compile": {"sqlite_utils": "sqlite-utils"},
    "queues": {"celery": "Celery", "dramatiq": "Dramatiq"},
    "reading": {"ocrmypdf": "ocrmypdf"},
}
#: The longest first, so that two processes share the work evenly.
LONGEST = ("reading", "long_document", "uploads", "web", "queues")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", sorted(names(), key=lambda name: name not in LONGEST))
def test_a_benchmark_runs_to_its_end(name: str, postgres_url: str, tmp_path: Path) -> None:
    server = postgres_url.partition("#")[0]
    environment = {"TEST_DATABASE_URL": server, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    # Beside the modules, where it is already.
    environment["PYTHONPYCACHEPREFIX"] = ""

    ran = subprocess.run(
        [sys.executable, "-m", f"bench.{name}", "--tiny"],
        cwd=tmp_path,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert any(character.isdigit() for character in ran.stdout), ran.stdout
    for module, printed in OTHERS.get(name, {}).items():
        is_left_out = any(
            "not installed" in line and printed in line for line in ran.stdout.splitlines()
        )
        assert is_left_out is (
            importlib.util.find_spec(module) is None
            or (name == "reading" and "tesseract" in ran.stdout.partition("installed")[0])
        )


def test_an_unknown_benchmark_is_refused() -> None:
    command = [sys.executable, "-m", "bench", "--tiny", "nonsense"]

    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    assert ran.returncode == 2
    assert "no benchmark is named nonsense" in ran.stderr
