"""``clerk run`` on real files: one site's trouble is its own, and what is waited for is said."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_pdfs import printed
from small_work import Town

Clerk = Callable[..., Any]


def put(path: Path) -> None:
    """Write a good document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(printed(["Call to order"]))


@pytest.fixture
def follow(make_site: Callable[..., str], tmp_path: Path) -> Callable[..., Town]:
    """Return a function that adds a site which follows a folder with one document."""

    def add(name: str, **extra: Any) -> Town:
        source = tmp_path / f"{name}-source"
        put(source / "Council" / "2024-01-15.pdf")
        settings = {"source": str(source)} | extra
        return Town(make_site(name, scraper="folder", extra=json.dumps(settings)))

    return add


def test_a_stored_file_whose_name_is_not_text_fails_alone(
    follow: Callable[..., Town], clerk: Clerk
) -> None:
    town = follow("springfield")
    put(Path(os.fsdecode(os.fsencode(town.folder) + b"/pdfs/Council/caf\xe9.pdf")))

    said = clerk("run", "springfield")

    assert said.code == 4
    assert town.counts == (2, 1, 1)
    assert "pdfs/Council/caf\\xe9.pdf: UnusableName: rename it" in said.out
