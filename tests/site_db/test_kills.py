"""Compiling and publishing killed anywhere: the old or the new, and the same in the end."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from small_sites import SITE, ask, compile_folder, content, vote, write_found, write_text

from clerk.core.config import Settings
from clerk.publish import publish

#: Kills itself at the given audited step: opening, renaming, linking, removing a file below the
#: storage directory, or connecting to a database.
KILLED_AT_STEP = textwrap.dedent(
    """
    import os, signal, sys
    from pathlib import Path

    storage, step = sys.argv[1], int(sys.argv[2])
    WATCHED = ("open", "os.rename", "os.link", "os.remove", "os.symlink", "os.mkdir", "os.chmod",
               "sqlite3.connect", "fcntl.flock", "shutil.rmtree")
    seen = 0

    def watch(event, arguments):
        global seen
        if event in WATCHED and (event == "fcntl.flock" or storage in str(arguments)):
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.path.insert(0, sys.argv[3])
    import clerk.publish
    from small_sites import compile_folder
    from clerk.core.config import Settings
    from clerk.core.storage import site_folder

    sys.addaudithook(watch)
    site = {"subdomain": "springfield", "name": "Springfield", "state": "IL"}
    folder = site_folder(Path(storage), "springfield")
    compile_folder(folder, site)
    clerk.publish.publish(site, folder, Settings(storage_dir=Path(storage)), complete=True)
    """
)
COUNCIL = "minutes/CityCouncil/2024-01-15"
TESTS = Path(__file__).parents[1]


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
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT_STEP, str(storage), str(step), str(TESTS)],
        capture_output=True,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode != 0


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


@pytest.mark.parametrize("start", ["fresh", "used"])
def test_killed_anywhere_it_ends_the_same(
    start: str, starting_points: dict[str, Path], tmp_path: Path
) -> None:
    storage = tmp_path / "sites"
    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(starting_points[start], undisturbed, symlinks=True)
    assert not _killed(undisturbed, 0)
    expected = content(undisturbed / "springfield" / "meetings.db")

    kills = 0
    for step in _steps():
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

    assert kills > 8


def _steps() -> range:
    """Every tenth step, because each costs two processes: about fifteen kills."""
    return range(1, 400, 10)


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
