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
    alone = "tests/core/test_files.py::test_it"
    assert group_of(alone) == alone


def test_a_group_is_run_by_one_process(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (tmp_path / "whoami.py").write_text(
        "import os, pathlib\n"
        "def pytest_runtest_logstart(nodeid, location):\n"
        "    if worker := os.environ.get('PYTEST_XDIST_WORKER'):\n"
        f"        with pathlib.Path({str(ran)!r}).open('a') as file:\n"
        "            file.write(nodeid.partition('::')[0] + ' ' + worker + chr(10))\n"
    )
    many = "@pytest.mark.parametrize('number', range(30))\ndef test_it(number{}): pass\n"
    shared = '@pytest.fixture(scope="module")\ndef town(): return 1\n'
    (tmp_path / "test_shared.py").write_text(f"import pytest\n{shared}{many.format(', town')}")
    (tmp_path / "test_alone.py").write_text(f"import pytest\n{many.format('')}")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    plugins = ["-p", "scheduling", "-p", "whoami", "-p", "no:cacheprovider"]
    # The inner controller would report each test a second time, under the name of this process.
    outside = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugins, "-n", "2", "--dist", "loadgroup"],
        cwd=tmp_path,
        env=outside | {"PYTHONPATH": f"{tmp_path}:{CHECK.parents[1] / 'tests'}"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout
    by_module: dict[str, list[str]] = {}
    for line in ran.read_text().splitlines():
        module, worker = line.split()
        by_module.setdefault(module, []).append(worker)
    assert {name: len(workers) for name, workers in by_module.items()} == {
        "test_shared.py": 30,
        "test_alone.py": 30,
    }
    assert len(set(by_module["test_shared.py"])) == 1
