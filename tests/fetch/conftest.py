"""Fixtures of the tests of fetching."""

from __future__ import annotations

from pathlib import Path

import pytest
from folder_town import Town


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    return folder


@pytest.fixture
def town(source, tmp_path) -> Town:
    return Town(source, tmp_path / "sites")
