"""Fixtures of the tests of fetching."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from folder_town import Town
from small_portal import Answers, Portal


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    return folder


@pytest.fixture
def town(source, tmp_path) -> Town:
    return Town(source, tmp_path / "sites")


@pytest.fixture
def portal(tmp_path) -> Callable[..., Portal]:
    def make(scraper: str, source: str, answers: Answers) -> Portal:
        return Portal(tmp_path, scraper, source, answers)

    return make
