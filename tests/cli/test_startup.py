"""Commands that people wait for load only what they need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from small_machines import add_documents
from small_sites import SITE, compile_folder, write_text

#: Each of these takes longer to load than ``clerk --help`` may take altogether.
HEAVY = {
    *("sqlalchemy", "alembic", "numpy", "onnxruntime", "tesserocr", "pypdfium2", "PIL", "httpx"),
    *("rich", "redis", "rq", "psycopg", "obstore", "lxml", "docx", "feedparser", "icalendar"),
    *("clerk.extract", "clerk.identify.identity", "clerk.fetch", "clerk.pipeline", "clerk.web"),
    *("clerk.core.manifest", "clerk.site_db.build", "importlib.metadata", "starlette"),
}


def loaded_by(folder: Path, *arguments: str) -> set[str]:
    """Run a command in a process of its own; return the heavy modules that it loaded."""
    code = (
        "import sys\n"
        f"sys.argv = ['clerk', *{list(arguments)!r}]\n"
        "from clerk.cli import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return HEAVY & set(ran.stderr.split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["search", "--help"]])
def test_help_loads_nothing_heavy(tmp_path: Path, arguments: list[str]) -> None:
    assert loaded_by(tmp_path, *arguments) == set()


def test_a_search_loads_only_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path))
    folder = tmp_path / "springfield"
    write_text(folder, "minutes/CityCouncil/2024-01-15", ["A motion was made."])
    compile_folder(folder, SITE)

    assert loaded_by(tmp_path, "search", "motion") == set()


def test_the_version_of_an_engine_is_told_without_what_reads_pages(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from clerk.read import ocr\n"
        "ocr.find_backend('auto').version()\n"
        "print(*sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert {"numpy", "onnxruntime", "pypdfium2"}.isdisjoint(ran.stdout.split())


def test_a_run_is_supervised_without_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage, folder = tmp_path / "storage", tmp_path / "papers"
    storage.mkdir()
    add_documents(folder / "Council", 1)
    monkeypatch.setenv("STORAGE_DIR", str(storage))
    loaded_by(tmp_path, "site", "add", "springfield", "--from", str(folder))

    assert {"numpy", "PIL", "pypdfium2"}.isdisjoint(loaded_by(tmp_path, "run", "springfield"))
