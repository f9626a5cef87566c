"""The versions of a document: each is kept, can be searched and compared with another."""

from __future__ import annotations

import contextlib
import difflib
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from clerk.core import manifest, storage
from clerk.core.config import Settings
from clerk.core.db import reading_connection, require_site
from clerk.core.errors import InvalidInput, NotFound, StorageIncomplete
from clerk.core.files import SiteFiles, pack_text, packed_files, packed_pages
from clerk.core.store import PDF
from clerk.read.files import ReadDocument, decode_facts
from clerk.search import Query, parse
from clerk.search.index import IndexedDocument, PageText, StoredFacts, place_of
from clerk.search.pages_of_some import ChangedPages
from clerk.search.snippets import Snippet, snippet
from clerk.site_db.queries import open_site
from clerk.site_db.rows import search_text
from clerk.site_db.schema import UNKNOWN

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
            raise NotFound(
                f"{subdomain} has no document {name!r}.",
                hint=f"List them: clerk documents list {subdomain}",
            )
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


@dataclass(frozen=True)
class VersionHit:
    """A page of a version that a query finds."""

    version: DocumentVersion
    page: int
    snippet: Snippet


def search_versions(
    settings: Settings, subdomain: str, name: str, query: str, versions: Sequence[DocumentVersion]
) -> list[VersionHit]:
    """Return the pages of some versions of a document that a query finds, in their order.

    Searched is the text that was read when the version was fetched.  Where it was not kept, the
    text layer is read now, which finds nothing in scans.  Raises QueryError.
    """
    parsed = parse(query)
    with open_site(settings.storage_dir, subdomain) as site:
        place = place_of(site.about, subdomain)
        facts = site.document(storage.Document.from_name(name))
    kind, body, date = facts.kind or UNKNOWN, facts.meeting or "", facts.date or ""
    texts: dict[str, dict[int, str]] = {}
    for version in versions:
        pages = _kept_text(settings, subdomain, name, version)
        if pages is None:
            read = _read(settings, subdomain, name, version, ocr="never")
            pages = {page.facts.page: page.text for page in read.pages}
        plain = {number: search_text(text.replace("\0", " ")) for number, text in pages.items()}
        texts[version.sha256[:16]] = plain
    documents = [
        IndexedDocument(
            id=key,
            facts=StoredFacts(subdomain, name, kind, body, date, len(pages)),
            state=place.state,
            language=place.language,
            first_seen_at="",
            digest=0,
            pages=[PageText(number, text, kind, body, date) for number, text in pages.items()],
        )
        for key, pages in texts.items()
    ]
    found = ChangedPages(documents, {subdomain: place}).find(Query(query), parsed)
    return [
        VersionHit(version, page, snippet(texts[key][page], parsed.terms, (place.language,)))
        for version in versions
        if (key := version.sha256[:16]) in found
        for page in sorted(found[key])
        if page in texts[key]
    ]


def _kept_text(
    settings: Settings, subdomain: str, name: str, version: DocumentVersion
) -> dict[int, str] | None:
    """Return the pages as they were read when the version was fetched; None if nobody kept them."""
    folder = storage.site_folder(settings.storage_dir, subdomain)
    try:
        if version.is_current:
            packed = pack_text(storage.Document.from_name(name).text(folder))
        else:
            packed = zlib.decompress(storage.former_text(folder, version.sha256).read_bytes())
        files = packed_files(packed)
    except (OSError, zlib.error, StorageIncomplete):
        return None
    facts = decode_facts(files.get(storage.DOCUMENT_FACTS, b""))
    # A version that was replaced before it was read has the text of the one before.
    return packed_pages(files) if facts and facts.pdf_sha256 == version.sha256 else None


def _text(settings: Settings, subdomain: str, name: str, version: DocumentVersion, ocr: str) -> str:
    read = _read(settings, subdomain, name, version, ocr)
    return "\n".join(page.text for page in read.pages)


def _read(
    settings: Settings, subdomain: str, name: str, version: DocumentVersion, ocr: str
) -> ReadDocument:
    from clerk.read.documents import ReadingOptions, read_in_child

    with _bytes(settings, subdomain, name, version) as path:
        options = ReadingOptions.from_settings(settings, ocr=ocr)
        return read_in_child(path, options, None, memory_mb=settings.worker_memory_mb, processes=1)


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
