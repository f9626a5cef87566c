"""The check before a merge sees nothing of the machine it runs on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from scheduling import group_of

CHECK = Path(__file__).parents[2] / ".ci" / "run"


def test_variables_of_the_machine_do_not_reach_the_checks(tmp_path: Path) -> None:
    make = tmp_path / "make"
    make.write_text("#!/bin/sh\necho target=$1\nenv\n")
    make.chmod(0o755)
    planted = {"PYTHONUNBUFFERED": "1", "PIP_FIND_LINKS": "wheels", "STORAGE_DIR": "elsewhere"}
    path = f"{tmp_path}:{os.environ['PATH']}"

    answer = subprocess.run(
        [CHECK], env=os.environ | planted | {"PATH": path}, capture_output=True, text=True
    )

    assert answer.returncode == 0, answer.stderr
    seen = [line.partition("=") for line in answer.stdout.splitlines()]
    targets = [value for name, _, value in seen if name == "target"]
    assert targets == ["browser", "lint", "docs", "test"]
    added_by_the_shell = {"PWD", "SHLVL", "_", "OLDPWD"}
    assert {name for name, _, _ in seen} - added_by_the_shell == {
        "target",
        "HOME",
        "PATH",
        "LANG",
        "CI",
    }


def test_tests_that_share_a_fixture_are_one_group() -> None:
    docs = "tests/docs/test_pages_run.py"
    assert group_of(f"{docs}::test_one") == group_of(f"{docs}::test_other[a]") == docs
    pages, live = (f"tests/browser/test_browser_{name}.py::test_it" for name in ("pages", "live"))
    assert group_of(pages) == group_of(live)
    alone = "tests/core/test_ci.py::test_it"
    assert group_of(alone) == alone


def test_a_group_is_run_by_one_process(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    plugin = tmp_path / "whoami.py"
    plugin.write_text(
        "import os, pathlib\n"
        "def pytest_runtest_logstart(nodeid, location):\n"
        "    if worker := os.environ.get('PYTEST_XDIST_WORKER'):\n"
        f"        with pathlib.Path({str(ran)!r}).open('a') as file:\n"
        "            file.write(worker + chr(10))\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "whoami", "-n", "2"]
    chosen = ["--dist", "loadgroup", "tests/docs", "-k", "says_why_not"]
    # The inner controller would report each test a second time, under the name of this process.
    outside = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}

    done = subprocess.run(
        [*command, *chosen],
        cwd=CHECK.parents[1],
        env=outside | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout
    workers = ran.read_text().split()
    assert len(workers) > 20
    assert len(set(workers)) == 1
