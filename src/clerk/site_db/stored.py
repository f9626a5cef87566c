"""The compiled database in the store: brought to a machine, and put there after a build."""

from __future__ import annotations

import contextlib
import os

from clerk.core.errors import ObjectDamaged
from clerk.core.files import SiteFiles
from clerk.core.storage import (
    compiled_database,
    own_files,
    sha256_of,
    stored_database_stamp,
    written_whole,
)
from clerk.core.store import DATABASE, key_of

from .build import BuildStamp, build_lock, looks_of, write_stamp


def bring_database(files: SiteFiles, sha256: str | None) -> bool:
    """Have the database with this content in its place; return whether it was brought now.

    Without a store the database is where it was built.
    """
    if files.store is None or sha256 is None:
        return False
    target = compiled_database(files.folder)
    with build_lock(files.folder):
        with contextlib.suppress(OSError):
            if stored_database_stamp(files.folder).read_text() == f"{sha256} {looks_of(target)}":
                return False
        try:
            files.store.get_into(DATABASE, sha256, target)
        except ObjectDamaged:
            # Else it would stay for ever: an object that is there is not written again.
            files.store.delete([key_of(DATABASE, sha256)])
            raise
        target.chmod(0o644)
        _stamp(files, sha256)
        write_stamp(files.folder, BuildStamp(looks_of(target)))
    return True


def keep_database(files: SiteFiles) -> str:
    """Put the database into the store, and return its hash."""
    assert files.store is not None
    target = compiled_database(files.folder)
    link = own_files(files.folder) / f"stored.{os.getpid()}.part"
    link.unlink(missing_ok=True)
    # A build may replace the file while it is sent.
    os.link(target, link)
    try:
        sha256 = sha256_of(link)
        files.store.put(DATABASE, sha256, link)
        with build_lock(files.folder):
            if looks_of(link) == looks_of(target):
                _stamp(files, sha256)
    finally:
        link.unlink(missing_ok=True)
    return sha256


def _stamp(files: SiteFiles, sha256: str) -> None:
    with written_whole(stored_database_stamp(files.folder)) as part:
        part.write_text(f"{sha256} {looks_of(compiled_database(files.folder))}")
