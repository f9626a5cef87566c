"""The versions of a document: each is kept, and two of them can be compared."""

from __future__ import annotations

import contextlib
import difflib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from clerk.core import manifest, storage
from clerk.core.config import Settings
from clerk.core.db import reading_connection, require_site
from clerk.core.errors import InvalidInput, NotFound, StorageIncomplete
from clerk.core.files import SiteFiles
from clerk.core.store import PDF

#: Lines around a change that are shown with it.
CONTEXT_LINES = 2


@dataclass(frozen=True)
class DocumentVersion:
    """The bytes that a document had from some time on."""

    number: int
    sha256: str
    bytes: int
    fetched_at: datetime
    is_current: bool


@dataclass(frozen=True)
class VersionDifference:
    """How the text of two versions differs, as a unified diff; no lines if it does not."""

    old: DocumentVersion
    new: DocumentVersion
    lines: Sequence[str]
    #: No: one of them is a scan that was not read.
    is_comparable: bool


def list_versions(subdomain: str, name: str) -> list[DocumentVersion]:
    """Return the versions of a document, the oldest first."""
    with reading_connection() as conn:
        require_site(conn, subdomain)
        row = manifest.document(conn, subdomain, name)
        if row is None:
            raise NotFound(f"{subdomain} has no document {name!r}.")
        kept = manifest.versions(conn, row.id)
    return [
        DocumentVersion(
            number, each.pdf_sha256, each.bytes, each.fetched_at, each.pdf_sha256 == row.pdf_sha256
        )
        for number, each in enumerate(kept, 1)
    ]


def compare(
    settings: Settings, subdomain: str, name: str, old: int = 0, new: int = 0, *, ocr: str = "auto"
) -> VersionDifference:
    """Compare the text of two versions, by their numbers; the last two if none are given.

    ``ocr`` as of a site: ``never`` is quick and finds nothing in scans.
    """
    versions = {each.number: each for each in list_versions(subdomain, name)}
    if len(versions) < 2:
        raise InvalidInput(f"{name} has only one version.")
    new = new or max(versions)
    old = old or new - 1
    for number in (new, old):
        if number not in versions:
            raise InvalidInput(f"{name} has versions 1 to {max(versions)}, no version {number}.")
    before, after = (
        _text(settings, subdomain, name, versions[number], ocr).splitlines()
        for number in (old, new)
    )
    diff = difflib.unified_diff(
        before, after, f"version {old}", f"version {new}", lineterm="", n=CONTEXT_LINES
    )
    has_text = all(any(map(str.isalnum, "".join(lines))) for lines in (before, after))
    return VersionDifference(versions[old], versions[new], list(diff), is_comparable=has_text)


def _text(settings: Settings, subdomain: str, name: str, version: DocumentVersion, ocr: str) -> str:
    from clerk.read.documents import ReadingOptions, read_in_child

    with _bytes(settings, subdomain, name, version) as path:
        options = ReadingOptions.from_settings(settings, ocr=ocr)
        read = read_in_child(path, options, None, memory_mb=settings.worker_memory_mb, processes=1)
    return "\n".join(page.text for page in read.pages)


@contextlib.contextmanager
def _bytes(
    settings: Settings, subdomain: str, name: str, version: DocumentVersion
) -> Iterator[Path]:
    files, document = SiteFiles(settings, subdomain), storage.Document.from_name(name)
    if version.is_current:
        with files.pdf(document, version.sha256) as path:
            yield path
    elif files.store is None:
        path = storage.former_version(files.folder, version.sha256)
        if not path.is_file():
            raise StorageIncomplete(f"Version {version.number} of {name} is not at {path}.")
        yield path
    else:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "version.pdf"
            files.store.get_into(PDF, version.sha256, path)
            yield path
