"""Which tests one process runs, because they share something that is costly to make."""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


def group_of(nodeid: str) -> str:
    """Return what is given to one process as a whole: a folder, a module, or a single test."""
    module = nodeid.partition("::")[0]
    if module.startswith("tests/browser/"):
        return "tests/browser"
    return module if _shares_fixtures(module) else nodeid


@cache
def _shares_fixtures(module: str) -> bool:
    return 'scope="module"' in (ROOT / module).read_text()
