"""The names in docs/architecture.md exist, and what it promises about the code holds."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "architecture.md").read_text()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(clerk(?:\.\w+)+)`", GUIDE))))
def test_a_name_in_the_guide_exists(name: str) -> None:
    parts = name.split(".")
    for at in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:at]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[at:]:
            found = getattr(found, attribute)
        return


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:src|tests|docs)/[\w./]+)`", GUIDE))))
def test_a_path_in_the_guide_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_every_package_is_in_the_picture() -> None:
    packages = {path.parent.name for path in (ROOT / "src" / "clerk").glob("*/__init__.py")}

    assert packages == set(re.findall(r"\b(\w+)/ ", GUIDE[: GUIDE.index("## The road")])) & packages


@pytest.mark.parametrize(
    ("words", "home"),
    [
        (r"""["'/]_clerk["'/]""", "core/storage.py"),
        (r"\bos\.(environ|getenv)\b", "core/config.py"),
    ],
)
def test_only_one_module_builds_paths_and_reads_the_environment(words: str, home: str) -> None:
    source = ROOT / "src" / "clerk"
    found = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        for line in path.read_text().splitlines()
        if re.search(words, line) and not re.search(r"^ +(\{site\}|STORAGE_DIR)/", line)
    }

    assert found == {home}
