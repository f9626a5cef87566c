"""Files that several versions of a site share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path


def link_tree(source: Path, target: Path, skipped: Collection[str] = ()) -> None:
    """Make the files below a folder appear in another, as links where that is possible."""
    target.mkdir(parents=True, exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.name in skipped:
                continue
            if entry.is_dir(follow_symlinks=False):
                link_tree(Path(entry.path), target / entry.name)
            else:
                place = f"{target}/{entry.name}"
                try:
                    os.link(entry.path, place)
                except OSError:
                    shutil.copyfile(entry.path, place)
