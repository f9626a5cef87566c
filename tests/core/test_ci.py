"""The check before a merge sees nothing of the machine it runs on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

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
