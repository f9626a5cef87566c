"""The reference pages say what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.make_reference import pages

ROOT = Path(__file__).parents[2]
PAGES = pages()


@pytest.mark.parametrize("path", sorted(PAGES))
def test_a_reference_page_is_what_the_code_says(path: str) -> None:
    assert (ROOT / path).read_text() == PAGES[path], "run python -m tools.make_reference"


def test_every_hook_has_a_page_and_every_command_an_example() -> None:
    written = PAGES["docs/reference/commands.md"]
    without = [
        part.splitlines()[0]
        for part in written.split("\n## ")[1:]
        if "\n### " not in part and "Example" not in part
    ]

    assert without == []
