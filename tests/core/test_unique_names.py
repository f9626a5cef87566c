"""A name means one thing: no class name in two modules, no modules that differ by an ``s``."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"


def modules() -> Iterator[tuple[str, Path]]:
    """Yield the dotted name and the path of every module."""
    for path in sorted((SOURCE / "clerk").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def test_no_public_class_name_exists_in_two_modules() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for module, path in modules():
        for statement in ast.parse(path.read_text()).body:
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                found[statement.name].append(module)

    assert {name: where for name, where in found.items() if len(where) > 1} == {}


def test_no_two_modules_differ_by_an_s() -> None:
    """Modules of the command line, and those whose paths scripts know, are not compared."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, _ in modules():
        if not module.startswith("clerk.cli.") and module not in ("clerk.queue", "clerk.models"):
            last = module.rpartition(".")[2]
            found[last.removesuffix("s")].add(last)

    assert [sorted(names) for names in found.values() if len(names) > 1] == []


def test_no_two_test_modules_have_one_name() -> None:
    """Pytest imports them by their names alone."""
    names = [path.name for path in (SOURCE.parent / "tests").rglob("test_*.py")]

    assert [name for name in names if names.count(name) > 1] == []
