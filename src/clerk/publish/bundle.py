"""What is published of a site, and the version it makes: the same content, the same version."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import shutil
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clerk.core.clock import utc_now
from clerk.core.errors import NotFound
from clerk.core.files import SiteFiles
from clerk.core.public_text import Gate
from clerk.core.site_extra import SiteRow, site_choices
from clerk.core.storage import (
    Document,
    compiled_database,
    published_lines,
    published_part,
    search_index_workplace,
)
from clerk.site_db import build_lock, digest_of_site
from clerk.site_db.schema import PAGE_TABLES, VERSION, open_readonly

from .export import ExportRows
from .linked_files import mirror
from .static_site import IMAGES, OF_THE_VERSION, SITE_FILE, StaticSite
from .versions import FORMAT, is_of_this_format, version_name

if TYPE_CHECKING:
    from .static_site.search_index import BuiltIndex

INDEX = "index.json"

_IMAGE_WIDTH = 1000
#: Up to this many new documents are put together again each time, rather than all be written again.
_LINES_MADE_AGAIN = 20
_SITE = ("subdomain", "name", "state", "kind", "country", "lat", "lng", "start_year")
_COUNTED = (*PAGE_TABLES, "documents", "votes", "entities")


@dataclass(frozen=True)
class Bundle:
    """The files of one version of a site; the database is the one that was there at the start.

    A build may replace it meanwhile: ``database`` is a link to the file of the start.
    """

    files: SiteFiles
    database: Path
    site: Mapping[str, object]
    with_images: bool
    #: The content of the database, by its hash.
    content: str
    complete: bool
    gate: Gate
    #: None if the site wants none.
    static: StaticSite | None = None
    #: The version that is served; what is the same in it is not written again.
    previous: Path | None = None
    #: A search index that is newer than that of the version before.
    search_index: BuiltIndex | None = None

    @property
    def state(self) -> str:
        """Whether extraction is done, as the index says it."""
        return "complete" if self.complete else "text-only"

    @property
    def version(self) -> str:
        """The name of the version: the same for the same content."""
        site = sorted(self.site.items())
        static = self.static.identity if self.static else ""
        facts = (self.content, self.state, site, self.with_images, static)
        return version_name(repr(facts))

    def write_to(self, target: Path, stale: Collection[str] | None = None) -> set[str] | None:
        """Write the files of this version into a directory that may have those of a former one.

        Files that other versions may have are replaced and never written to.  ``stale`` and what is
        returned are as :data:`~clerk.publish.versions.Write` says, but for files that are written
        in any case.
        """
        copy = compiled_database(target)
        copy.unlink(missing_ok=True)
        try:
            # Builds replace the file and never write to it, so that one file serves for both.
            os.link(self.database, copy)
        except OSError:
            shutil.copyfile(self.database, copy)
            with copy.open("rb") as file:
                os.fsync(file)
        with contextlib.closing(open_readonly(copy, reads_all=True)) as connection:
            documents = self._index_lines(connection)
            counts = {
                table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in _COUNTED
            }
            self._write_images(target, connection)
        index = {
            "site": self.site,
            "state": self.state,
            "version": self.version,
            "published_at": utc_now().isoformat(timespec="seconds"),
            "database": copy.name,
            "page_images": self.with_images,
            "pages": "index.html" if self.static else None,
            "search": self.static.facts.search if self.static else None,
            "counts": counts,
        }
        head = json.dumps(self.gate.clean(index), indent=1, ensure_ascii=False).removesuffix("\n}")
        # Each line is two spaces in.
        listed = b"  " + b",\n  ".join(documents) if documents else b""
        (target / INDEX).unlink(missing_ok=True)
        with (target / INDEX).open("wb") as file:
            file.writelines((head.encode(), b',\n "documents": [\n', listed, b"\n ]\n}\n"))
        if self.static:
            return self.static.write_to(target, self.previous, self.search_index, stale)
        mirror(None, target, {*OF_THE_VERSION} - {SITE_FILE})
        return None

    def _index_lines(self, connection: sqlite3.Connection) -> list[bytes]:
        """Return the documents as the index lists them, each as JSON in one line of UTF-8.

        Those that were listed before are not put together again: a site has thousands, and a run
        changes a few.
        """
        cache = published_lines(self.files.folder)
        made_by = f"{FORMAT} {VERSION} {self.gate.fingerprint()}".encode()
        known: dict[bytes, bytes] = {}
        with contextlib.suppress(OSError, ValueError):
            first, *rest = cache.read_bytes().split(b"\n")
            if first == made_by:
                known = dict(zip(rest[::2], rest[1::2], strict=True))
        # The digest is of all that is published of a document.
        query = "SELECT name, json_quote(name) || digest FROM documents"
        # Sorted here: in the order of the file they are read at once.
        wanted = {name: key.encode() for name, key in sorted(connection.execute(query).fetchall())}
        lines = {key: known[key] for key in wanted.values() if key in known}
        is_outdated = len(lines) < len(known)
        missing = [name for name, key in wanted.items() if key not in lines]
        if missing:
            for row in ExportRows(connection, self.gate, "documents", names=missing).nested():
                row["failed_pages"] = row["failed_pages"] or {}
                lines[wanted[row["name"]]] = json.dumps(row, ensure_ascii=False).encode()
        if is_outdated or len(missing) > (_LINES_MADE_AGAIN if known else 0):
            # Only one process publishes a site at a time, so that a killed one's part is replaced.
            part = cache.with_suffix(".part")
            part.write_bytes(b"\n".join((made_by, *itertools.chain.from_iterable(lines.items()))))
            part.replace(cache)
        return [lines[key] for key in wanted.values()]

    def _write_images(self, target: Path, connection: sqlite3.Connection) -> None:
        """Draw the pages of documents that are not drawn in the version before.

        Those whose PDF is not at hand are left out.
        """
        if not self.with_images:
            shutil.rmtree(target / IMAGES, ignore_errors=True)
            return
        from clerk.read.documents import page_image
        from clerk.site_db.rows import page_image as address

        query = "SELECT name, pages, failed_pages, sha256 FROM documents ORDER BY name"
        drawn: dict[str, tuple[Any, ...]] = {}
        if self.previous and is_of_this_format(self.previous.name.partition("-")[2]):
            with (
                contextlib.suppress(sqlite3.Error),
                contextlib.closing(open_readonly(compiled_database(self.previous))) as before,
            ):
                drawn = {row[0]: row for row in before.execute(query)}
        mirror(self.previous / IMAGES if self.previous and drawn else None, target / IMAGES)
        for row in connection.execute(query):
            name, pages, failed, sha256 = row
            folder = target / IMAGES / name
            if drawn.pop(name, None) == row and folder.is_dir():
                continue
            shutil.rmtree(folder, ignore_errors=True)
            document = Document.from_name(name)
            failed_pages = json.loads(failed or "{}")
            if not sha256 or not document.is_pdf:
                continue
            with self.files.pdf(document, sha256) as pdf:
                for page in range(1, pages + 1) if pdf.exists() else ():
                    if str(page) not in failed_pages:
                        path = target / address(document.name, page)
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(page_image(pdf, page, _IMAGE_WIDTH))
        for name in drawn:
            shutil.rmtree(target / IMAGES / name, ignore_errors=True)


@contextlib.contextmanager
def open_bundle(site: SiteRow, files: SiteFiles, gate: Gate, *, complete: bool) -> Iterator[Bundle]:
    """Open what is compiled of a site; for one publisher of the site at a time."""
    folder = files.folder
    about = {key: value for key in _SITE if (value := site.get(key)) is not None}
    with_images = site_choices(site).page_images
    path = compiled_database(folder)
    held = published_part(folder)
    with build_lock(folder):
        held.unlink(missing_ok=True)
        try:
            os.link(path, held)
        except FileNotFoundError as error:
            raise NotFound(
                f"{folder.name} has not been compiled yet.", hint=f"clerk run {folder.name}"
            ) from error
        content = digest_of_site(folder)
    try:
        yield Bundle(files, held, about, with_images, content, complete, gate)
    finally:
        held.unlink(missing_ok=True)


@contextlib.contextmanager
def index_workplace(folder: Path) -> Iterator[Path | None]:
    """Give an empty folder to make a search index in; None while another process has it."""
    work = search_index_workplace(folder)
    work.parent.mkdir(parents=True, exist_ok=True)
    with work.with_suffix(".lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        # What a process that was killed has left.
        shutil.rmtree(work, ignore_errors=True)
        try:
            work.mkdir()
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def remove_workplace(folder: Path) -> None:
    """Remove what a process left that was killed while it made a search index."""
    if search_index_workplace(folder).exists():
        with index_workplace(folder):
            pass
