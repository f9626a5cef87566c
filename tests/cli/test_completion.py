"""``clerk completion``: completion loads in the shell, and the manual pages render."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clerk.cli import COMMANDS, cli
from clerk.cli.manual import pages


def test_one_command_installs_completion_and_manual_pages(
    tmp_path: Path, clerk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")

    said = clerk("completion", "install", "--prefix", str(tmp_path))

    assert said.code == 0
    script = tmp_path / "share/bash-completion/completions/clerk"
    answered = subprocess.run(
        [
            *("bash", "-c"),
            f'. "{script}"; COMP_WORDS=(clerk searc); COMP_CWORD=1; _clerk_completion clerk;'
            ' echo "${COMPREPLY[@]}"',
        ],
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answered.stdout.split() == ["search", "search-index"], answered.stderr
    assert len(list((tmp_path / "share/man/man1").iterdir())) == len(COMMANDS) + 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_can_be_shown_for_each_shell(clerk: Callable[..., Any], shell: str) -> None:
    assert "_CLERK_COMPLETE" in clerk("completion", "show", "--shell", shell).out


def test_an_unknown_shell_is_refused_with_the_known_ones(
    clerk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/rc")

    said = clerk("completion", "install")

    assert said.code == 2
    assert "bash, fish, zsh" in said.err


def test_manual_pages_name_every_command_and_option() -> None:
    made = pages(cli)

    assert set(made) == {"clerk.1", *(f"clerk-{name}.1" for name in COMMANDS)}
    assert r"\-\-ocr\-backend" in made["clerk-run.1"]
    assert "CLERK SITE ADD" in made["clerk-site.1"]


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_manual_pages_render_without_warnings() -> None:
    render = ["groff", "-man", "-Tutf8", "-ww", "-z"]

    done = subprocess.run(
        render, input="".join(pages(cli).values()), capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")
