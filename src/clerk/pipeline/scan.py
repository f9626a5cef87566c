"""Take in what a site's folder or the store has, and the manifest does not know.

The manifest is the truth about documents.  A scan is for what it cannot know: the files of an older
installation, and files that people changed manually.  It can be interrupted and repeated: it
records document by document, and what is recorded already is not changed.

::

    pdfs/...              -> documents, by their hashes
    txt/...               -> which text they have, and what read it
    _clerk/extracted/...  -> what was found in it
    _clerk/sources.db     -> where an older installation got them from
    nothing there         -> the PDF is fetched again, the text is read again

Nothing is concluded from a storage directory that is not mounted, or from the bucket of another
installation: StorageIncomplete and WrongInstallation say so before anything is compared, and again
before anything is taken for deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec

from clerk.core import fetch_memory, installation, manifest, site_files, storage
from clerk.core.config import Settings
from clerk.core.db import reading_connection, writing_to
from clerk.core.errors import StorageUnusable
from clerk.core.fetch_memory import ListedMeeting
from clerk.core.files import SiteFiles, pack_text
from clerk.core.manifest import DocumentRow, FetchedDocument, TextRecord
from clerk.core.storage import Document
from clerk.core.store import PDF, TEXT, Store
from clerk.extract.findings import VERSION, text_hash
from clerk.identify.facts import AGENDA, MINUTES
from clerk.read.files import ENGINE_MARK, load_facts, load_failed_pages

#: How many documents are recorded in one transaction.
_GROUP = 200
#: How many objects a store lists while it answers about one.
_LISTED_MEANWHILE = 200


@dataclass
class ScanReport:
    """What a scan found that the manifest did not know."""

    documents: int = 0
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    missing_pdfs: list[str] = field(default_factory=list)
    missing_texts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _OldRecord:
    """What an older installation remembered of a document; the columns of its own file."""

    identity: str
    source_url: str
    day: str
    etag: str
    last_modified: str
    version_hint: str
    source_bytes: int
    source_mtime_ns: int
    fetched_at: str
    gone_at: str


@dataclass(frozen=True)
class _Found:
    """A document as it lies in the folder."""

    fetched: FetchedDocument
    text: TextRecord | None
    findings: tuple[str, str] | None
    is_gone: bool


#: Told the site, and how many of its documents have been checked.
Progress = Callable[[str, int], None]


class StoredObjects:
    """Which objects a store has."""

    def __init__(self, store: Store, *, listed: bool = False) -> None:
        """With ``listed`` all objects are listed once, which is faster for many questions."""
        self._store = store
        self._listed = {
            kind: {bytes.fromhex(each.sha256) for each in store.listing(kind) if each.sha256}
            for kind in ((PDF, TEXT) if listed else ())
        }

    def lacks(self, kind: str, sha256: str | None) -> bool:
        """Whether an object is named that is not there."""
        if sha256 is None or bytes.fromhex(sha256) in self._listed.get(kind, ()):
            return False
        # It may be newer than the list.
        return not self._store.exists(kind, sha256)


def scan_site(
    settings: Settings,
    subdomain: str,
    progress: Progress = lambda subdomain, number: None,
    stored: StoredObjects | None = None,
) -> ScanReport:
    """Compare a site's files with the manifest, record what differs, and say what that was."""
    _require_files(settings)
    files = SiteFiles(settings, subdomain)
    with reading_connection(settings.sql_url) as conn:
        known = {row.name: row for row in manifest.documents(conn, subdomain)}
    report = ScanReport()
    if files.store is not None:
        if stored is None:
            with reading_connection(settings.sql_url) as conn:
                in_all = manifest.count_all_documents(conn)
            listed = in_all < _LISTED_MEANWHILE * len(known)
            stored = StoredObjects(files.store, listed=listed)
        for row in known.values():
            if stored.lacks(PDF, row.pdf_sha256):
                report.missing_pdfs.append(row.name)
            if stored.lacks(TEXT, row.text_sha256):
                report.missing_texts.append(row.name)
            report.documents += 1
            progress(subdomain, report.documents)
    else:
        try:
            _scan_folder(files, known, report, progress)
        except OSError:
            installation.require_files(settings)
            raise
    if report.missing_pdfs or report.missing_texts:
        # It may have been unmounted meanwhile, which looks as if everything were deleted.
        installation.require_files(settings)
    with writing_to(settings.sql_url) as conn:
        for name in report.missing_pdfs:
            manifest.forget_bytes(conn, subdomain, name)
        manifest.forget_text(conn, subdomain, report.missing_texts)
        site_files.record_scan(conn, subdomain)
    return report


def _require_files(settings: Settings) -> None:
    """Raise StorageIncomplete or WrongInstallation unless these are the installation's files."""
    installation.check(settings)
    installation.require_files(settings)


def scan_sites(
    settings: Settings, subdomains: Iterable[str], progress: Progress
) -> Iterator[tuple[str, ScanReport]]:
    """Scan sites, and yield each with what was found; a store is listed once for all of them."""
    _require_files(settings)
    stored = None
    if settings.storage_url:
        store = Store(settings.storage_url, allow_http=settings.storage_allow_http)
        stored = StoredObjects(store, listed=True)
    for subdomain in subdomains:
        yield subdomain, scan_site(settings, subdomain, progress, stored)


def scan_new_sites(
    settings: Settings, progress: Progress
) -> Iterator[tuple[str, ScanReport | StorageUnusable]]:
    """Scan every site that was never scanned, and yield each with what was found.

    Each scan is committed separately, so an interrupted upgrade resumes with the next site.  A site
    whose files cannot be read is yielded with the error; its next run or the next upgrade scans it.
    """
    unrecorded = unrecorded_sites(settings)
    if unrecorded:
        _require_files(settings)
    for subdomain in unrecorded:
        found: ScanReport | StorageUnusable
        try:
            found = scan_site(settings, subdomain, progress)
        except StorageUnusable as error:
            found = error
        except OSError as error:
            folder = storage.site_folder(settings.storage_dir, subdomain)
            found = storage.cannot_read(error, folder)
        yield subdomain, found


def unrecorded_sites(settings: Settings) -> list[str]:
    """Return the sites that were never scanned and have files here, or may have."""
    with reading_connection(settings.sql_url) as conn:
        unscanned = site_files.unscanned_sites(conn)
    return [
        subdomain
        for subdomain in unscanned
        if not storage.is_empty(storage.site_folder(settings.storage_dir, subdomain))
    ]


def _scan_folder(
    files: SiteFiles,
    known: dict[str, DocumentRow],
    report: ScanReport,
    progress: Progress,
) -> None:
    """Record what lies in the folder, and note what does not any more."""
    folder, sql_url = files.folder, files.settings.sql_url
    # What older installations remembered of the documents, and of the files they hashed.
    old: dict[str, _OldRecord] = {}
    hashes: dict[str, tuple[int, int, str]] = {}
    with _old_memory(folder) as db:
        if db is not None:
            for kind, meeting, day, *columns in db.execute(
                "SELECT kind, meeting, date, identity, source_url, day, etag, last_modified,"
                " version_hint, source_bytes, source_mtime_ns, fetched_at, gone_at FROM documents"
            ):
                old[Document(kind, meeting, day).name] = _OldRecord(*columns)
            for name, *facts in db.execute("SELECT name, bytes, mtime_ns, sha256 FROM hashes"):
                hashes[name] = tuple(facts)
    with_pdf, with_text = _listed(folder)
    names = sorted(with_pdf | with_text)
    for start in range(0, len(names), _GROUP):
        group = [
            _look(files, name, known.get(name), old.get(name), hashes, name in with_pdf)
            for name in names[start : start + _GROUP]
        ]
        with writing_to(sql_url) as conn:
            _record(conn, files.subdomain, group, known, report)
        report.documents += len(group)
        progress(files.subdomain, report.documents)
    _record_old_memory(folder, files.subdomain, sql_url)
    pdfs = {name for name, row in known.items() if row.pdf_sha256} - with_pdf
    texts = {name for name, row in known.items() if row.text_sha256} - with_text
    if pdfs or texts:
        # Listed again: the folder may have been unmounted for a while.
        with_pdf, with_text = _listed(folder)
        report.missing_pdfs = sorted(pdfs - with_pdf)
        report.missing_texts = sorted(texts - with_text)


def _listed(folder: Path) -> tuple[set[str], set[str]]:
    """Return the names of the documents that have a PDF, and of those that have text."""
    texts = {document.name for document in storage.text_documents(folder, incomplete=True)}
    return {document.name for document in storage.pdf_documents(folder)}, texts


def _look(
    files: SiteFiles,
    name: str,
    row: DocumentRow | None,
    old: _OldRecord | None,
    hashes: dict[str, tuple[int, int, str]],
    has_pdf: bool,
) -> _Found:
    """Check the files of one document."""
    document, folder = Document.from_name(name), files.folder
    sha256, size = None, 0
    if has_pdf:
        with contextlib.suppress(OSError):
            facts = document.pdf(folder).stat()
            size = facts.st_size
            bytes_then, mtime_then, hash_then = hashes.get(name, (0, 0, ""))
            as_then = (bytes_then, mtime_then) == (size, facts.st_mtime_ns)
            sha256 = hash_then if as_then else storage.sha256_of(document.pdf(folder))
    # Who put a file into the folders of minutes or agendas has said what it is; of one that was
    # fetched from a folder the path is known.
    listed: Mapping[str, str | None] = row.listed if row else {}
    if row is None and not (old and (old.source_url or "").startswith("file:")):
        listed = {
            "kind": AGENDA if document.kind == storage.AGENDAS else MINUTES,
            "body": document.meeting or None,
            "date": old.day if old and old.day else document.date,
        }
    fetched = FetchedDocument(
        name=name,
        identity=row.identity if row else (old.identity if old else None),
        kind=listed.get("kind"),
        pdf_sha256=sha256,
        bytes=size,
        fetched_at=row.fetched_at if row else _moment(old.fetched_at if old else ""),
        body=listed.get("body"),
        date=_day(listed.get("date") or ""),
        title=listed.get("title"),
        file_name=row.file_name if row else None,
        sequence=row.sequence if row else 1,
        source_url=row.source_url if row else (old.source_url if old else None),
        etag=row.etag if row else (old.etag if old else None),
        last_modified=row.last_modified if row else (old.last_modified if old else None),
        version_hint=row.version_hint if row else (old.version_hint if old else None),
        source_bytes=row.source_bytes if row else (old.source_bytes if old else 0),
        source_mtime_ns=row.source_mtime_ns if row else (old.source_mtime_ns if old else 0),
    )
    text, pages_hash = _text_of(document, folder, sha256 or "")
    findings = None
    if text is not None:
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            content = storage.extracted_file(folder, document).read_bytes()
            said = msgspec.json.decode(content, type=dict[str, object])
            if said.get("version") == VERSION and said.get("text_sha256") == pages_hash:
                findings = (text.text_sha256, hashlib.sha256(content).hexdigest())
    is_gone = bool(row.gone_at if row else old and old.gone_at)
    return _Found(fetched, text, findings, is_gone)


def _text_of(document: Document, folder: Path, pdf_sha256: str) -> tuple[TextRecord | None, str]:
    """Return what text a document has, and the hash of its pages; nothing if it has none."""
    path = document.text(folder)
    if not path.is_dir():
        try:
            flat = document.flat_text(folder).read_bytes()
        except OSError:
            return None, ""
        text_sha256 = hashlib.sha256(flat).hexdigest()
        pages = flat.count(b"\f") + 1
        return TextRecord(pdf_sha256, text_sha256, None, pages), text_sha256
    text_sha256 = hashlib.sha256(pack_text(path)).hexdigest()
    numbered = sorted(
        (int(found[1]), page)
        for page in path.iterdir()
        if (found := storage.PAGE_FILE.fullmatch(page.name))
    )
    joined = "\f".join(page.read_bytes().decode("utf-8", "replace") for _, page in numbered)
    pages_hash = text_hash(joined)
    failed = len(load_failed_pages(path))
    try:
        facts = load_facts(path)
    except msgspec.MsgspecError:
        return None, ""
    if facts is None:
        return TextRecord(pdf_sha256, text_sha256, None, len(numbered), failed), pages_hash
    used_ocr = any(page.engine for page in facts.pages)
    reader = facts.fingerprint if used_ocr else facts.fingerprint.split(ENGINE_MARK)[0]
    read = TextRecord(facts.pdf_sha256, text_sha256, reader, facts.page_count, failed)
    return read, pages_hash


def _record(
    conn: Any,
    subdomain: str,
    group: list[_Found],
    known: dict[str, DocumentRow],
    report: ScanReport,
) -> None:
    """Record what was found of some documents."""
    differing = []
    for found in group:
        row = known.get(found.fetched.name)
        if row is None:
            report.added.append(found.fetched.name)
            differing.append(found.fetched)
        elif row.pdf_sha256 != found.fetched.pdf_sha256 and found.fetched.pdf_sha256:
            report.changed.append(found.fetched.name)
            differing.append(found.fetched)
    manifest.record(conn, subdomain, differing)
    texts = {
        found.fetched.name: found.text
        for found in group
        if found.text
        and (
            (row := known.get(found.fetched.name)) is None
            or row.text_sha256 != found.text.text_sha256
        )
    }
    report.texts.extend(texts)
    manifest.record_texts(conn, subdomain, texts)
    findings = {
        found.fetched.name: found.findings
        for found in group
        if found.findings
        and ((row := known.get(found.fetched.name)) is None or row.findings_of is None)
    }
    manifest.record_findings(conn, subdomain, VERSION, findings)
    manifest.mark_gone(conn, subdomain, [each.fetched.name for each in group if each.is_gone])


# ------------------------------------------------------- what older installations remembered


def _record_old_memory(folder: Path, subdomain: str, sql_url: str) -> None:
    """Take over the versions and meetings that ``sources.db`` knows, then put it aside."""
    with _old_memory(folder) as db:
        if db is None:
            return
        listed = [ListedMeeting(*row) for row in db.execute("SELECT * FROM meetings")]
        swept = db.execute("SELECT value FROM facts WHERE key = 'full sweep at'").fetchone()
        former: dict[str, list[tuple[str, int, datetime]]] = {}
        for kind, meeting, day, sha256, size, at in db.execute(
            "SELECT kind, meeting, date, versions.sha256, versions.bytes, versions.fetched_at"
            " FROM versions JOIN documents USING (identity)"
        ):
            moment = _moment(at) or datetime.now(UTC)
            former.setdefault(Document(kind, meeting, day).name, []).append((sha256, size, moment))
    with writing_to(sql_url) as conn:
        fetch_memory.record_meetings(conn, subdomain, listed)
        if swept:
            site_files.record_full_listing(conn, subdomain, datetime.fromisoformat(swept[0]))
        for row in manifest.documents(conn, subdomain, sorted(former)):
            manifest.record_versions(conn, row.id, former[row.name])
    storage.sources_database(folder).rename(storage.former_sources_database(folder))


@contextlib.contextmanager
def _old_memory(folder: Path) -> Iterator[sqlite3.Connection | None]:
    path = storage.sources_database(folder).absolute()
    if not path.is_file():
        yield None
        return
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        try:
            db.execute("SELECT 1 FROM documents LIMIT 1")
        except sqlite3.Error:
            yield None
        else:
            yield db


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
