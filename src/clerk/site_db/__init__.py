"""Compiling: the texts and findings of a site become ``meetings.db``.

::

    scan the folder -> what differs from the file? -> a private copy -> write the differences
                                                         |                      |
                                               nothing: say so         sync, one rename

The file is brought from whatever it was to what the disk shows, by content hash.  A full build and
any sequence of incremental ones end with the same rows.  Nothing that readers can open is written
to; a build that dies leaves the old file.  Builds of one site wait for each other, and the later
one finds everything on disk that the earlier one found.

The file is published as it is, so everything in it is public: what comes from a source, an error or
an operator passes the gate (:mod:`clerk.core.public_text`) on its way in.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clerk.core import config
from clerk.core.errors import StorageUnusable
from clerk.core.public_text import Gate
from clerk.core.storage import KINDS

from . import fts, schema
from .buffers import DATABASE, Buffers, build_lock
from .content import about_of, content_digest, write_content
from .differences import ADDED, REMOVED, UPDATED, Disk, differences
from .full_build import Anew
from .remembered import Memory
from .scanning import scan
from .writing import Writer

__all__ = ["CompileReport", "compile_site", "content_digest", "database_path", "is_outdated"]

#: Facts about the site that are published with it.
_ABOUT = ("subdomain", "name", "state", "kind", "country", "lat", "lng", "start_year")
#: With more texts unread than this, and than half of what is compiled, all is built anew.
_FEW_DOCUMENTS = 20


@dataclass(frozen=True)
class CompileReport:
    """What a build did; ``digest`` names the content, whoever built it."""

    path: Path
    documents: int
    pages: int
    added: int
    updated: int
    removed: int
    rebuilt: bool
    digest: str

    @property
    def changed(self) -> bool:
        """Whether the database is another one than before."""
        return self.rebuilt or bool(self.added or self.updated or self.removed)


def database_path(folder: Path) -> Path:
    """Return where the compiled database of a site is."""
    return folder / DATABASE


def is_outdated(folder: Path) -> bool:
    """Whether a site was compiled, but not by this version: its file may not be all public."""
    path = database_path(folder)
    if not path.exists():
        return False
    try:
        with contextlib.closing(schema.open_readonly(path)) as connection:
            return not schema.is_current(connection)
    except sqlite3.Error:
        return True


def compile_site(
    folder: Path, site: Mapping[str, Any], *, into_index: bool = True
) -> CompileReport:
    """Bring ``meetings.db`` and the index over all sites to what lies in the site's folder.

    Costs what changed since the last build.  A file that is missing, damaged or of another version
    is built anew.  A site that is left out of the index is taken into it by a later build.
    """
    try:
        with build_lock(folder):
            return _Build(folder, site, into_index).run()
    except (OSError, sqlite3.Error) as error:
        raise StorageUnusable(
            f"{folder / DATABASE} cannot be built: {error}.",
            hint="Free space or mend the permissions of the folder, then run it again.",
        ) from error


class _Build:
    """One build, by the holder of the lock."""

    def __init__(self, folder: Path, site: Mapping[str, Any], into_index: bool) -> None:
        self._folder = folder
        self._into_index = into_index
        self._subdomain = str(site.get("subdomain") or folder.name)
        gate = Gate.for_site(config.load(), site)
        self._about = {
            key: str(gate(str(site[key]))) for key in _ABOUT if site.get(key) is not None
        }
        self._about["subdomain"] = self._subdomain
        self._buffers = Buffers(folder)
        self._memory = Memory(folder)
        self._disk = Disk(folder, scan(folder, self._memory, gate), gate)
        self._changes: list[tuple[str, str]] = []
        self._about_changed = False
        self._digest_before = ""

    def run(self) -> CompileReport:
        """Write what differs, or everything, and swap it in."""
        rebuilt = not self._bring_up_to_date()
        if rebuilt:
            self._rebuild()
        self._disk.shelf.remember(self._memory)
        report = self._report(rebuilt)
        if self._into_index:
            self._update_search(report)
        return report

    def _bring_up_to_date(self) -> bool:
        """Write the differences, if any; False if the file has to be built anew."""
        try:
            if not self._worth_keeping():
                return False
            if self._changes or self._about_changed:
                self._update()
            return True
        except sqlite3.DatabaseError:
            self._changes.clear()
            return False

    def _worth_keeping(self) -> bool:
        """Compare the file with the disk; False if it is missing, damaged or far behind."""
        current = self._buffers.current()
        if current is None:
            return False
        with contextlib.closing(current):
            if self._is_far_behind(current):
                return False
            self._digest_before = content_digest(current)
            self._about_changed = about_of(current) != self._about
            changes = differences(current, self._disk)
            self._changes = [(change.action, change.document.name) for change in changes]
        return True

    def _is_far_behind(self, current: sqlite3.Connection) -> bool:
        unread = self._disk.shelf.unknown_texts()
        if unread <= _FEW_DOCUMENTS:
            return False
        documents = current.execute("SELECT count(*) FROM documents").fetchone()[0]
        return bool(unread > documents // 2)

    def _update(self) -> None:
        """Bring a private copy, which may be older than the current file, up to date."""
        part = self._buffers.private_copy()
        with contextlib.closing(schema.open_private(part)) as connection:
            writer = Writer(connection, self._subdomain)
            connection.execute("BEGIN")
            for change in differences(connection, self._disk):
                writer.apply(change)
            write_content(connection, self._about, self._disk)
            connection.execute("COMMIT")
        self._buffers.swap_in()

    def _rebuild(self) -> None:
        """Build the file from nothing."""
        anew = Anew(self._buffers, self._disk, self._about)
        documents = anew.run(into_index=self._into_index)
        self._changes = [(ADDED, document.name) for document in documents]

    def _report(self, rebuilt: bool) -> CompileReport:
        actions = [action for action, _ in self._changes]
        with contextlib.closing(schema.open_readonly(self._buffers.database)) as connection:
            return CompileReport(
                self._buffers.database,
                documents=self._disk.shelf.documents,
                pages=sum(fts.pages(connection, f"{kind}_fts") for kind in KINDS),
                added=actions.count(ADDED),
                updated=actions.count(UPDATED),
                removed=actions.count(REMOVED),
                rebuilt=rebuilt,
                digest=content_digest(connection),
            )

    def _update_search(self, report: CompileReport) -> None:
        """Bring the index over all sites to what was built."""
        from clerk.search import index

        step = index.Step(self._digest_before, report.digest, [name for _, name in self._changes])
        index.update_site(self._folder, self._about, step)
