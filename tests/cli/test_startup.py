"""Commands that people wait for load only what they need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
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
