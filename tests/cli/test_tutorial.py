"""The commands of the tutorial work, in order, as a newcomer types them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"


def test_every_command_of_the_tutorial_works(tmp_path: Path) -> None:
    blocks = re.findall(r"^```console\n(.*?)^```$", TUTORIAL.read_text(), re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^\$ (.+)$", "".join(blocks), re.MULTILINE)
    programs = Path(sys.executable).parent
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path)}

    codes = {}
    for command in commands:
        ran = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        announced = re.search(r"# exits with (\d+)", command)
        codes[command] = (ran.returncode, int(announced[1]) if announced else 0, ran.stderr)

    assert len(commands) >= 8
    assert {command: seen for command, seen in codes.items() if seen[0] != seen[1]} == {}
    assert (tmp_path / "votes.csv").read_text().count("\n") > 10
    assert (tmp_path / "sites" / "_published" / "millbrook-falls" / "meetings.db").exists()
