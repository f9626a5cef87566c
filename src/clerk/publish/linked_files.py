"""Files that several versions of a site share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path


def mirror(source: Path | None, target: Path, skipped: Collection[str] = ()) -> None:
    """Give a folder the files of another, as links where that is possible, and no others.

    Files that both have are left alone, which makes it quick between versions that differ little.
    Without a source, or if there is none, the folder is emptied.  What is ``skipped`` is neither
    linked nor removed.
    """
    target.mkdir(parents=True, exist_ok=True)
    with os.scandir(target) as entries:
        there = {entry.name: entry for entry in entries if entry.name not in skipped}
    if source is not None and source.is_dir():
        with os.scandir(source) as entries:
            for entry in entries:
                if entry.name in skipped:
                    continue
                found = there.pop(entry.name, None)
                if entry.is_dir(follow_symlinks=False):
                    if found and not found.is_dir(follow_symlinks=False):
                        _remove(found)
                    mirror(Path(entry.path), target / entry.name)
                # The one in the source is in use, so that no other file can have its number.
                elif found is None or found.inode() != entry.inode():
                    if found:
                        _remove(found)
                    _link(entry.path, target / entry.name)
    for found in there.values():
        _remove(found)


def follow(source: Path, target: Path, files: Iterable[str]) -> None:
    """Do what :func:`mirror` does, where it is known which files may differ."""
    for name in files:
        place, original = target / name, source / name
        place.unlink(missing_ok=True)
        if original.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            _link(original, place)


def _link(original: str | Path, place: Path) -> None:
    try:
        os.link(original, place)
    except OSError:
        shutil.copyfile(original, place)


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path)
    else:
        os.unlink(entry.path)  # noqa: PTH108 - many
