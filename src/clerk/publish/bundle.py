"""What is published of a site, and the version it makes: the same content, the same version."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clerk.core.clock import utc_now
from clerk.core.errors import NotFound
from clerk.core.files import SiteFiles
from clerk.core.public_text import Gate
from clerk.core.site_extra import site_extra
from clerk.core.storage import Document, compiled_database, published_part
from clerk.site_db import build_lock, content_digest
from clerk.site_db.schema import PAGE_TABLES, open_readonly

from .export import ExportRows
from .versions import version_name

INDEX = "index.json"

_IMAGE_WIDTH = 1000
_SITE = ("subdomain", "name", "state", "kind", "country", "lat", "lng", "start_year")
_COUNTED = (*PAGE_TABLES, "documents", "votes", "entities")


@dataclass(frozen=True)
class Bundle:
    """The files of one version of a site; the database is the one that was there at the start.

    A build may replace it meanwhile: ``database`` is a link to the file of the start.
    """

    files: SiteFiles
    database: Path
    site: dict[str, Any]
    with_images: bool
    #: The content of the database, by its hash.
    content: str
    complete: bool
    gate: Gate

    @property
    def state(self) -> str:
        """Whether extraction is done, as the index says it."""
        return "complete" if self.complete else "text-only"

    @property
    def version(self) -> str:
        """The name of the version: the same for the same content."""
        facts = (self.content, self.state, sorted(self.site.items()), self.with_images)
        return version_name(repr(facts))

    def write_to(self, target: Path) -> None:
        """Write the files of this version into an empty directory."""
        copy = compiled_database(target)
        try:
            # Builds replace the file and never write to it, so that one file serves for both.
            os.link(self.database, copy)
        except OSError:
            shutil.copyfile(self.database, copy)
            with copy.open("rb") as file:
                os.fsync(file)
        with contextlib.closing(open_readonly(copy)) as connection:
            documents = [
                row | {"failed_pages": row["failed_pages"] or {}}
                for row in ExportRows(connection, self.gate, "documents").nested()
            ]
            counts = {
                table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in _COUNTED
            }
            if self.with_images:
                self._write_images(target, connection)
        index = {
            "site": self.site,
            "state": self.state,
            "version": self.version,
            "published_at": utc_now().isoformat(timespec="seconds"),
            "database": copy.name,
            "page_images": self.with_images,
            "counts": counts,
            "documents": documents,
        }
        public = self.gate.clean(index)
        (target / INDEX).write_text(json.dumps(public, indent=1, ensure_ascii=False) + "\n")

    def _write_images(self, target: Path, connection: sqlite3.Connection) -> None:
        """Draw the pages of every document whose PDF is on disk."""
        from clerk.read.documents import page_image
        from clerk.site_db.rows import page_image as address

        query = "SELECT name, pages, failed_pages, sha256 FROM documents ORDER BY name"
        for name, pages, failed, sha256 in connection.execute(query):
            document = Document.from_name(name)
            failed_pages = json.loads(failed or "{}")
            if not sha256:
                continue
            with self.files.pdf(document, sha256) as pdf:
                for page in range(1, pages + 1) if pdf.exists() else ():
                    if str(page) not in failed_pages:
                        path = target / address(document.name, page)
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(page_image(pdf, page, _IMAGE_WIDTH))


@contextlib.contextmanager
def open_bundle(
    site: Mapping[str, Any], files: SiteFiles, gate: Gate, *, complete: bool
) -> Iterator[Bundle]:
    """Open what is compiled of a site; for one publisher of the site at a time."""
    folder = files.folder
    about = {key: site[key] for key in _SITE if site.get(key) is not None}
    with_images = bool(site_extra(site).get("page_images"))
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
        with contextlib.closing(open_readonly(path)) as connection:
            content = content_digest(connection)
    try:
        yield Bundle(files, held, about, with_images, content, complete, gate)
    finally:
        held.unlink(missing_ok=True)
