"""A site that follows a folder, for the tests of fetching."""

from __future__ import annotations

import json
from pathlib import Path

from clerk.core import storage
from clerk.core.config import Settings
from clerk.fetch.base import FetchReport
from clerk.fetch.store import fetch_site


def pdf(text: str = "x") -> bytes:
    return b"%PDF-1.4\n" + text.encode() + b"\n%%EOF\n"


class Town:
    """A site that follows a folder."""

    def __init__(self, source: Path, storage_dir: Path, **extra: object) -> None:
        self.folder = storage_dir / "town"
        self.settings = Settings(storage_dir=storage_dir, max_document_mb=1)
        extra = {"source": str(source), **extra}
        self.site = {"subdomain": "town", "scraper": "folder", "extra": json.dumps(extra)}

    def fetch(self) -> FetchReport:
        return fetch_site(self.site, self.folder, self.settings)

    def names(self) -> list[str]:
        return sorted(document.name for document in storage.pdf_documents(self.folder))

    def bytes_of(self, name: str) -> bytes:
        return storage.Document.from_name(name).pdf(self.folder).read_bytes()


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pdf(name))
