"""Which tests one process runs, because they share something that is costly to make."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Give tests that share something costly to one process, which makes it once.

    These groups come first, the largest ones before the others.  xdist's own groups have no effect
    with pytest 9.2, where an item's id can no longer be changed.
    """
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class BySharedFixtures(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid, config.rootpath)

    return BySharedFixtures(config, log)


def group_of(nodeid: str, root: Path = ROOT) -> str:
    """Return what is given to one process as a whole: a folder, a module, or a single test."""
    module = nodeid.partition("::")[0]
    if module.startswith("tests/browser/"):
        return "tests/browser"
    return module if _shares_fixtures(root / module) else nodeid


@cache
def _shares_fixtures(module: Path) -> bool:
    return 'scope="module"' in module.read_text()
