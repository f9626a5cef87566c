"""The page about platforms says of each fetcher what the public page about coverage says."""

from __future__ import annotations

import re
from pathlib import Path

from clerk.fetch.discover import registered

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
#: Fetchers of what is no platform.
OTHERS = {"urls", "folder"}


def test_every_platform_is_in_the_page_with_what_is_missing():
    rows = [line.strip("|").split(" | ") for line in PAGE.read_text().splitlines() if "| `" in line]
    said = {
        row[1].strip().strip("`"): re.sub("`", "", row[-1]).replace('"', "'").strip()
        for row in rows
        if len(row) == 6
    }

    assert said == {
        spec.id: spec.missing or "-" for spec in registered().values() if spec.id not in OTHERS
    }
