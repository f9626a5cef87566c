"""A site that follows a folder, for the tests of fetching."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine

from clerk.core import schema, storage
from clerk.core.config import Settings
from clerk.core.db import upsert_site, writing_to
from clerk.core.fetch_memory import SiteManifest
from clerk.core.files import SiteFiles
from clerk.core.manifest import DocumentRow
from clerk.fetch.base import FetchReport
from clerk.fetch.store import fetch_site


@cache
def _migrated() -> Path:
    """A migrated database to copy."""
    path = Path(tempfile.mkdtemp(prefix="clerk-fetch-")) / "clerk.db"
    atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
    engine = create_engine(f"sqlite:///{path}")
    schema.upgrade(engine)
    engine.dispose()
    return path


def manifest_of(settings: Settings, site: Mapping[str, Any]) -> SiteManifest:
    """The manifest of a site, in a database that has it from now on."""
    settings.storage_dir.mkdir(parents=True, exist_ok=True)
    database = settings.storage_dir / "clerk.db"
    if not database.exists():
        shutil.copy(_migrated(), database)
    with writing_to(settings.sql_url) as conn:
        upsert_site(conn, site)
    return SiteManifest(settings.sql_url, str(site["subdomain"]))


def fetch_town(site: Mapping[str, Any], settings: Settings, **options: Any) -> FetchReport:
    """Fetch a site that is in the database from now on."""
    manifest = manifest_of(settings, site)
    return fetch_site(site, SiteFiles(settings, manifest.subdomain), manifest, **options)


def pdf(text: str = "x") -> bytes:
    return b"%PDF-1.4\n" + text.encode() + b"\n%%EOF\n"


class Town:
    """A site that follows a folder."""

    def __init__(self, source: Path, storage_dir: Path, **extra: object) -> None:
        self.folder = storage_dir / "town"
        self.settings = Settings(storage_dir=storage_dir, max_document_mb=1)
        extra = {"source": str(source), **extra}
        self.site = {"subdomain": "town", "scraper": "folder", "extra": json.dumps(extra)}

    def fetch(self, **options: Any) -> FetchReport:
        return fetch_town(self.site, self.settings, **options)

    def known(self) -> list[DocumentRow]:
        """What the manifest says of its documents."""
        return manifest_of(self.settings, self.site).documents()

    def names(self) -> list[str]:
        return sorted(document.name for document in storage.pdf_documents(self.folder))

    def bytes_of(self, name: str) -> bytes:
        return storage.Document.from_name(name).pdf(self.folder).read_bytes()


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pdf(name))
