"""Hints name our distribution, never the project that owns ``clerk`` on the package index."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from clerk.core.distribution import install_command

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NAME: str = PROJECT["name"]

#: ``clerk[web]``, ``pip install --upgrade clerk``; not ``townclerk``, not ``clerk install-units``.
SOMEBODY_ELSES = re.compile(
    r"(?<![\w-])clerk\[\w|\bpip3?\s+install\s+(?:-{1,2}[\w-]+\s+)*[\x27\x22]?clerk\b"
)
OURS = re.compile(rf"\b{NAME}\b")
TEXT = {".py", ".md", ".html", ".txt", ".toml", ".yml", ".yaml", ".sh", ".service", ".plist", ""}


def texts(*folders: str) -> Iterator[tuple[Path, str]]:
    """Yield the text files of the project."""
    for path in (*ROOT.glob("*.md"), ROOT / "Makefile", ROOT / ".ci" / "run"):
        yield path, path.read_text()
    for folder in folders:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in TEXT and "__pycache__" not in path.parts:
                yield path, path.read_text()


@pytest.mark.parametrize(
    "advice",
    [
        "pip install clerk",
        "pip install --upgrade clerk",
        "pip install -U 'clerk[web]'",
        "needs clerk[s3]",
        "pip3 install clerk==0.1.0",
        "pip install\nclerk",
    ],
)
def test_the_search_for_advice_finds_it(advice: str) -> None:
    assert SOMEBODY_ELSES.search(advice)


def test_nothing_tells_people_to_install_somebody_elses_code() -> None:
    ours = {Path(__file__), ROOT / "CHANGELOG.md"}
    told = [
        f"{path}: {found.group()}"
        for path, text in texts("src", "docs", "deployment", "tests", "bench")
        for found in SOMEBODY_ELSES.finditer(text)
        if path not in ours
    ]

    assert told == []


def test_source_takes_the_name_from_the_metadata() -> None:
    sources = (ROOT / "src").rglob("*.py")

    assert [str(path) for path in sources if OURS.search(path.read_text())] == []


def test_every_extra_that_is_recommended_exists() -> None:
    recommended = {
        extra
        for _, text in texts("src", "docs")
        for extra in re.findall(
            rf"(?:{NAME}\[|install_command\(extra=\x22|packages_of\(\x22)(\w+)", text
        )
    }

    assert {"web", "s3", "sentry", "server"} <= recommended <= set(PROJECT["optional-dependencies"])


def test_the_name_is_the_one_of_the_installed_distribution() -> None:
    assert install_command() == f"pip install {NAME}"
    assert install_command("--upgrade") == f"pip install --upgrade {NAME}"
    assert install_command(extra="web") == f"pip install '{NAME}[web]'"
    assert metadata.metadata(NAME)["Name"] == NAME


@pytest.mark.parametrize(
    ("installed", "named"),
    [
        ({}, "."),
        ({"clerk": "clerk.__main__:run"}, "."),
        ({"clerk": "clerk.cli:main"}, "."),
        ({"clerk": "clerk.cli:main", "otherclerk": "clerk.cli:main"}, "otherclerk"),
    ],
    ids=["source tree", "the other project", "before the name changed", "both names"],
)
def test_the_name_on_the_index_is_never_given(
    tmp_path: Path, installed: dict[str, str], named: str
) -> None:
    for name, value in installed.items():
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[console_scripts]\nclerk = {value}\n")
    shutil.copy(ROOT / "src" / "clerk" / "core" / "distribution.py", tmp_path)
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}]; import distribution; "
        "print(distribution.install_command(extra='web'))"
    )

    only_these = [sys.executable, "-I", "-S", "-c", code]
    answer = subprocess.run(only_these, capture_output=True, text=True)

    assert (answer.stdout, answer.stderr) == (f"pip install '{named}[web]'\n", "")


def test_help_reads_no_metadata() -> None:
    code = (
        "import sys; sys.argv = ['clerk', '--help']\n"
        "from clerk.cli import main\n"
        "try: main()\n"
        "finally: print('importlib.metadata' in sys.modules, file=sys.stderr)"
    )

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (answer.returncode, answer.stderr) == (0, "False\n")
