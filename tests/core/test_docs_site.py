"""Every page of the documentation is in the navigation, and every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_every_page_is_in_the_navigation() -> None:
    navigation = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    named = set(re.findall(r"'([\w/-]+\.md)'", repr(navigation)))

    assert named == {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}


def test_every_link_leads_to_a_file() -> None:
    pages = [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]
    dead = [
        (str(page.relative_to(ROOT)), target)
        for page in pages
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text())
        if not (page.parent / target).exists()
    ]

    assert dead == []
