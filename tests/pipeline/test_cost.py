"""A run costs what changed: it opens nothing of documents that stay the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from small_machines import add_documents

#: `clerk` that notes which files it and its children open, and which folders they list.
WATCHED = """
import json, os, sys

notes = os.open(os.environ["NOTES"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def note(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], str):
        os.write(notes, (json.dumps(os.path.abspath(arguments[0])) + chr(10)).encode())

sys.addaudithook(note)
from clerk.cli import main
main()
"""


def opened(storage: Path, notes: Path) -> set[str]:
    """Run the site and return what was opened and listed below the storage directory."""
    notes.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, "run", "springfield"],
        env=os.environ | {"NOTES": str(notes)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    paths = [Path(json.loads(line)) for line in notes.read_text().splitlines()]
    return {str(path.relative_to(storage)) for path in paths if path.is_relative_to(storage)}


def test_a_run_leaves_documents_alone_that_stay_the_same(
    storage: Path, clerk: Any, tmp_path: Path
) -> None:
    folder, notes = tmp_path / "documents", tmp_path / "notes"
    add_documents(folder / "Council", 1, 2, 3)
    assert clerk("site", "add", "springfield", "--from", str(folder)).code == 0
    first = opened(storage, notes)
    nothing_new = opened(storage, notes)
    add_documents(folder / "Council", 12)
    one_new = opened(storage, notes)

    # The page of the meeting before the new one gets a link to it.
    same = ("2024-01-15", "2024-02-15")
    for later in (nothing_new, one_new):
        assert [path for path in later if any(name in path for name in same)] == []
    assert all(any(name in path for path in first) for name in same)
    assert not any("2024-12-15" in path for path in nothing_new)
    assert any("2024-12-15" in path for path in one_new)


def test_a_version_is_made_from_a_former_one_without_comparing_all_files(
    storage: Path, clerk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLISH_KEEP", "2")
    folder, notes = tmp_path / "documents", tmp_path / "notes"
    add_documents(folder / "Council", *range(1, 7))
    assert clerk("site", "add", "springfield", "--from", str(folder)).code == 0
    listed = []
    for month in (None, 7, 8, 9):
        if month:
            add_documents(folder / "Council", month)
        paths = opened(storage, notes)
        listed.append([path for path in paths if path.endswith(("/documents", "/meetings"))])

    # Which run makes the first spare version depends on how often a slow machine publishes.
    assert any(listed[:-1]), "a version without a spare one is made by comparing all files"
    assert listed[-1] == []
    published = (storage / "_published" / "springfield" / "documents").glob("*.html")
    assert len(list(published)) == 9
