"""What is published of a site, and the version it makes: the same content, the same version."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from clerk.core.clock import utc_now
from clerk.core.errors import BadSetting, NotFound
from clerk.core.public_text import Gate
from clerk.core.storage import KINDS, Document
from clerk.site_db import content_digest, database_path
from clerk.site_db.buffers import DATABASE, build_lock
from clerk.site_db.holdings import digest_of
from clerk.site_db.schema import open_readonly

from .versions import version_name

TEXT_ONLY = "text-only"
COMPLETE = "complete"
INDEX = "index.json"

_IMAGE_WIDTH = 1000
_SITE = ("subdomain", "name", "state", "kind", "country", "lat", "lng", "start_year")
_DOCUMENT = (
    "name",
    "id",
    "kind",
    "meeting",
    "date",
    "pages",
    "method",
    "confidence",
    "failed_pages",
    "sha256",
    "bytes",
    "source_url",
    "fetched_at",
    "gone_at",
)


class Bundle:
    """The files of one version of a site; the database is the one that was there at the start.

    A build may put another database in its place meanwhile: the file is held open, and what is
    written about it is read from the copy.
    """

    def __init__(
        self, site: Mapping[str, Any], folder: Path, gate: Gate, *, complete: bool
    ) -> None:
        self.state = COMPLETE if complete else TEXT_ONLY
        self.subdomain = str(site.get("subdomain") or folder.name)
        self._gate = gate
        self._site = {key: site[key] for key in _SITE if site.get(key) is not None}
        self._folder = folder
        wished = wishes(site)
        self.targets = texts(wished.get("deploy_to"))
        self._with_images = bool(wished.get("page_images"))
        self._file: BinaryIO | None = None

    def __enter__(self) -> Bundle:
        with build_lock(self._folder):
            self._file = self._opened(database_path(self._folder))
            with contextlib.closing(open_readonly(database_path(self._folder))) as connection:
                self.documents = _rows(connection, "documents")
                self.pages = sum(_rows(connection, kind) for kind in KINDS)
                content = content_digest(connection)
        self.version = self._version(content, self.state)
        self.complete_version = self._version(content, COMPLETE)
        return self

    def _opened(self, path: Path) -> BinaryIO:
        try:
            return path.open("rb")
        except FileNotFoundError as error:
            raise NotFound(
                f"{self.subdomain} has not been compiled yet.", hint=f"clerk run {self.subdomain}"
            ) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file:
            self._file.close()

    def _version(self, content: str, state: str) -> str:
        facts = (content, state, sorted(self._site.items()), self._with_images)
        return version_name(digest_of(repr(facts).encode()))

    def write_to(self, target: Path) -> None:
        """Write the files of this version into an empty directory."""
        copy = target / DATABASE
        self._copy_database(copy)
        with contextlib.closing(open_readonly(copy)) as connection:
            index = self._index(connection)
        if self._with_images:
            self._write_images(target, index["documents"])
        public = self._gate.clean(index)
        (target / INDEX).write_text(json.dumps(public, indent=1, ensure_ascii=False) + "\n")

    def _copy_database(self, copy: Path) -> None:
        if self._file is None:
            raise RuntimeError("a bundle is written inside its block")
        self._file.seek(0)
        with copy.open("wb") as file:
            shutil.copyfileobj(self._file, file, 1 << 20)
            file.flush()
            os.fsync(file.fileno())

    def _index(self, connection: sqlite3.Connection) -> dict[str, Any]:
        tables = (*KINDS, "documents", "votes", "entities")
        columns = ", ".join(_DOCUMENT)
        rows = connection.execute(f"SELECT {columns} FROM documents ORDER BY name").fetchall()
        documents = [dict(zip(_DOCUMENT, row, strict=True)) for row in rows]
        for document in documents:
            document["source_url"] = self._gate.source(document["source_url"])
            document["failed_pages"] = json.loads(document["failed_pages"] or "{}")
        return {
            "site": self._site,
            "state": self.state,
            "version": self.version,
            "published_at": utc_now().isoformat(timespec="seconds"),
            "database": DATABASE,
            "page_images": self._with_images,
            "counts": {table: _rows(connection, table) for table in tables},
            "documents": documents,
        }

    def _write_images(self, target: Path, documents: list[dict[str, Any]]) -> None:
        """Draw the pages of every document whose PDF is at hand."""
        from clerk.read.documents import page_image
        from clerk.site_db.tables import page_image as address

        for facts in documents:
            document = Document.from_name(facts["name"])
            pdf = document.pdf(self._folder)
            for page in range(1, facts["pages"] + 1) if pdf.exists() else ():
                if str(page) not in facts["failed_pages"]:
                    path = target / address(document.name, page)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(page_image(pdf, page, _IMAGE_WIDTH))


def _rows(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def wishes(site: Mapping[str, Any]) -> dict[str, Any]:
    """Return the site's ``extra`` as far as it is a mapping; it is kept as JSON."""
    extra = site.get("extra") or {}
    if isinstance(extra, str):
        try:
            extra = json.loads(extra)
        except ValueError as error:
            raise BadSetting(
                f"The extra settings of {site.get('subdomain')} are not JSON: {error}.",
                hint=f"Mend them with: clerk site edit {site.get('subdomain')}",
            ) from error
    return extra if isinstance(extra, dict) else {}


def texts(value: object) -> list[str]:
    """Return one text or a list of them as a list."""
    return [str(each) for each in value] if isinstance(value, list) else [str(value)] * bool(value)
