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

    assert packages == set(re.findall(r"\b(\w+)/ ", GUIDE[: GUIDE.index("## The path")])) & packages


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


#: Where people and other programs come in: commands, the entry points of processes, and the
#: functions of operators' scripts, which pass no settings.
DOORS = (
    "cli/",
    *("web/worker_process.py", "follow/turn.py", "pipeline/mirror.py", "pipeline/workers.py"),
    *("queue.py", "migrations.py", "library.py"),
)
#: What scripts and plugins call without settings: the database, the hooks, the OCR engines.
CALLED_WITHOUT_SETTINGS = (
    *("core/db.py", "core/plugins.py"),
    *("read/own_engines.py", "read/language_data.py"),
)


def test_settings_are_loaded_in_entry_points_and_passed_down() -> None:
    source = ROOT / "src" / "clerk"
    found = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if re.search(r"\bconfig\.load\(", path.read_text())
    }

    inside = {path for path in found if not path.startswith(DOORS)}

    assert inside == set(CALLED_WITHOUT_SETTINGS)
