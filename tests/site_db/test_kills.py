"""Compiling and publishing killed anywhere: the old or the new, and the same in the end."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
from small_sites import SITE, ask, compile_folder, content, vote, write_found, write_text
from small_work import reap, spawn

from clerk.core.config import Settings
from clerk.publish import publish

#: The steps at which a process may be killed: opening, renaming, linking, removing a file below the
#: storage directory, or connecting to a database.
WATCHED = {
    *("open", "os.rename", "os.link", "os.remove", "os.symlink", "os.mkdir", "os.chmod"),
    *("sqlite3.connect", "fcntl.flock", "shutil.rmtree"),
}
COUNCIL = "minutes/CityCouncil/2024-01-15"


@pytest.fixture(scope="module")
def starting_points(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A site never compiled, and one with three builds behind it and changes to come."""
    fresh = tmp_path_factory.mktemp("fresh") / "sites"
    _write(fresh / "springfield", "first")
    used = tmp_path_factory.mktemp("used") / "sites"
    for turn in ("first", "second", "third"):
        _write(used / "springfield", turn)
        compile_folder(used / "springfield", SITE)
        publish(SITE, used / "springfield", Settings(storage_dir=used), complete=False)
    _write(used / "springfield", "fourth")
    return {"fresh": fresh, "used": used}


def _write(folder: Path, turn: str) -> None:
    pages = [f"the {turn} page", f"the {turn} end"]
    document = write_text(folder, COUNCIL, pages)
    write_found(folder, document, pages, [vote(1)])
    write_text(folder, "agendas/CityCouncil/2024-01-15", [f"the {turn} agenda"])
    if turn == "second":
        write_text(folder, "minutes/Planning/2020", ["the planning"])


def _killed(storage: Path, step: int) -> bool:
    """Compile and publish in a process that kills itself at a step; return whether it did."""

    def compile_and_publish() -> None:
        seen = 0

        def watch(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            if event in WATCHED and (event == "fcntl.flock" or str(storage) in str(arguments)):
                seen += 1
                if seen == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        _finish(storage)

    status = reap(spawn(compile_and_publish))
    assert status in (0, -signal.SIGKILL)
    return status != 0


def _shown(storage: Path) -> set[str]:
    """Return the turn that each thing a reader may open shows."""
    turns = set()
    for path in (
        storage / "springfield" / "meetings.db",
        storage / "_published" / "springfield" / "meetings.db",
    ):
        if path.exists():
            texts = {row[0].split()[1] for row in ask(path, "SELECT text FROM minutes")}
            turns.add("/".join(sorted(texts - {"planning"})))
            ask(path, "SELECT count(*) FROM minutes_fts WHERE minutes_fts MATCH 'the'")
    return turns


@pytest.mark.parametrize("stride", [24, pytest.param(1, marks=pytest.mark.chaos)])
@pytest.mark.parametrize("start", ["fresh", "used"])
def test_killed_anywhere_it_ends_the_same(
    start: str, stride: int, starting_points: dict[str, Path], tmp_path: Path
) -> None:
    storage = tmp_path / "sites"
    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(starting_points[start], undisturbed, symlinks=True)
    assert not _killed(undisturbed, 0)
    expected = content(undisturbed / "springfield" / "meetings.db")

    kills = 0
    for step in range(1, 1000, stride):
        shutil.rmtree(storage, ignore_errors=True)
        shutil.copytree(starting_points[start], storage, symlinks=True)
        if not _killed(storage, step):
            break
        kills += 1
        assert all(turn in ("first", "third", "fourth") for turn in _shown(storage))
        _finish(storage)
        assert content(storage / "springfield" / "meetings.db") == expected
        assert content(storage / "_published" / "springfield" / "meetings.db") == expected
        _assert_no_rubbish(storage)

    assert kills > 3


def _finish(storage: Path) -> None:
    folder = storage / "springfield"
    compile_folder(folder, SITE)
    publish(SITE, folder, Settings(storage_dir=storage), complete=True)


def _assert_no_rubbish(storage: Path) -> None:
    left = [
        path
        for path in storage.rglob("*")
        if path.suffix == ".part" or path.name.startswith(("part-", "compile.part", "index."))
    ]
    assert [path for path in left if path.name not in ("index.json", "index.html")] == []
