"""Fetching a site: the same steps for every source, from what it lists to PDFs on disk.

::

    site's ``scraper`` -> FetcherSpec -> Fetcher.list_meetings / list_documents -> a name for each
                                                 |
    pdfs/{meeting}/{date}.pdf  <- rename <- _clerk/incoming/  <- copied or downloaded, hashed
    _clerk/sources.db          <- where each came from, its hash, its versions, whether it is gone
    _clerk/versions/           <- the bytes a document had before

Listing comes before storing, because names must not depend on the order of the listing.  A source
that had documents and now lists none has failed: it raises, it never reports zero.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clerk.core import storage
from clerk.core.config import Settings
from clerk.core.errors import (
    ClerkError,
    DocumentError,
    DocumentTooLarge,
    EmptyDocument,
    SourceUnavailable,
    TransientError,
    UnreadableFile,
    UnreadablePdf,
)
from clerk.core.public_text import Gate
from clerk.core.storage import MINUTES, Document, storage_errors

from . import naming
from .base import (
    Context,
    DocumentRef,
    Fetcher,
    FetcherSpec,
    FetchReport,
    Gap,
    MeetingRef,
    Problem,
    Window,
)
from .discover import LegacyFetcher, find_fetcher, registered, source_settings
from .http.responses import CircuitOpen, Validators
from .sources import KnownDocument, Sources, path_of_file_url, readable_name, stored_pdfs

if TYPE_CHECKING:
    from .http.client import Client

MEGABYTE = 1024 * 1024

#: The meetings around today that every run lists.
LOOK_BACK, LOOK_AHEAD = timedelta(days=90), timedelta(days=60)
#: How often all meetings are listed again.
FULL_SWEEP_EVERY = timedelta(days=7)
#: Where a full sweep begins if the site has no start year.
EARLIEST = date(2000, 1, 1)

_PDF_MAGIC = b"%PDF-"
#: A PDF may begin with this many other bytes.
_MAGIC_WITHIN_BYTES = 1024

#: One for all copies: allocating it costs as much as copying a small file.
_COPY_BUFFER = memoryview(bytearray(MEGABYTE))

#: What a listing found: a meeting and one of its documents, by the document's identity.
ListedDocuments = Mapping[str, tuple[MeetingRef, DocumentRef]]


class NotWanted(Exception):
    """The document is of another type than clerk reads; it is skipped by name."""


@dataclass(frozen=True)
class NamedDocument:
    """A listed document with the name it gets on disk."""

    identity: str
    meeting: MeetingRef
    ref: DocumentRef
    document: Document

    @property
    def what(self) -> str:
        """How the report names it."""
        if self.ref.method == "FILE":
            return self.ref.title
        return f"{self.ref.title} ({self.ref.url})" if self.ref.title else self.ref.url


def fetch_site(
    site: Mapping[str, Any],
    folder: Path,
    settings: Settings,
    *,
    client: Client | None = None,
    now: datetime | None = None,
) -> FetchReport:
    """Fetch what a site's source has into its folder and report what was found.

    Safe to kill anywhere: what is on disk is whole, and the next call ends in the same state.
    Raises SourceUnavailable when the source cannot be listed or no longer lists anything,
    StorageUnusable when the folder cannot be written to.
    """
    spec = find_fetcher(site)
    if isinstance(spec, LegacyFetcher):
        return _run_legacy_fetcher(spec, site, folder)
    pace_seconds = spec.pace
    now = now or datetime.now(UTC)
    year = site.get("start_year")
    start = date(int(year), 1, 1) if year else EARLIEST
    end = now.date() + LOOK_AHEAD
    report = FetchReport(spec.id)
    with contextlib.ExitStack() as stack:

        def open_client() -> Client:
            # Loading httpx takes longer than fetching a small folder.
            from .http.client import Client

            vendors = {host: each.pace for each in registered().values() for host in each.hosts}
            return stack.enter_context(
                client or Client.from_settings(settings, pace_seconds=pace_seconds, vendors=vendors)
            )

        context = Context(site, source_settings(site, spec), open_client, report)
        fetcher = spec.factory(context)
        stack.enter_context(only_fetch_of(folder))
        sources = stack.enter_context(Sources(folder))
        max_bytes = settings.max_document_mb * MEGABYTE
        gate = Gate.for_site(settings, site)
        SiteFetch(spec, fetcher, folder, sources, report, now, max_bytes, gate).run(
            Window(now.date() - LOOK_BACK, end), Window(start, end, full=True)
        )
    return report


def _run_legacy_fetcher(
    legacy: LegacyFetcher, site: Mapping[str, Any], folder: Path
) -> FetchReport:
    """Let it fetch into the folder, and report how the folder differs from before."""
    before = {stored.name: stored.sha256 for stored in stored_pdfs(folder)}
    try:
        legacy.fetcher_class(dict(site), **legacy.extra).fetch_events()
    except ClerkError:
        raise
    except Exception as error:
        raise SourceUnavailable(f"The fetcher {legacy.label!r} failed: {error!r}.") from error
    after = stored_pdfs(folder)
    report = FetchReport(legacy.label)
    for stored in after:
        if stored.name not in before:
            report.new.append(stored.name)
        elif stored.sha256 != before[stored.name]:
            report.changed.append(stored.name)
        else:
            report.unchanged.append(stored.name)
    report.gone = sorted(before.keys() - {stored.name for stored in after})
    report.meetings = len({stored.name.partition("/")[2] for stored in after})
    return report


@contextlib.contextmanager
def only_fetch_of(folder: Path) -> Iterator[None]:
    """Hold the site's fetch lock; it is released when the process dies."""
    path = storage.fetch_lock(folder)
    with storage_errors(folder):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SourceUnavailable(
                f"{folder.name} is being fetched by another process.",
                hint="Wait until that one is done.",
            ) from error
        yield


@dataclass
class SiteFetch:
    """One fetch of one site, while its lock is held."""

    spec: FetcherSpec
    fetcher: Fetcher
    folder: Path
    sources: Sources
    report: FetchReport
    now: datetime
    max_bytes: int
    gate: Gate
    #: Documents that the listing should contain and does not: name -> identity.  Others may take
    #: over their names, so that a file that was moved, or a document that got another id at its
    #: source, stays the same document.
    missing: dict[Document, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.incoming = storage.incoming_folder(self.folder)
        self.known = self.sources.documents()
        self.source = self.fetcher.settings.source or self.spec.id
        last_sweep = self.sources.last_full_sweep()
        self.sweep_is_due = not last_sweep or self.now - last_sweep >= FULL_SWEEP_EVERY
        #: Whether hard links may be made instead of copies.
        self.may_link = bool(getattr(self.fetcher.settings, "link", False))

    def run(self, recent: Window, full: Window) -> None:
        """List, store what is new or due, and mark what is gone."""
        with storage_errors(self.folder):
            shutil.rmtree(self.incoming, ignore_errors=True)
            self.incoming.mkdir(parents=True, exist_ok=True)
        storage.sweep_parts(self.folder)
        window, listed = self._list_source(recent, full)
        if self.report.complete:
            for identity in self.known.keys() - listed.keys():
                known = self.known[identity]
                if window.covers(date.fromisoformat(known.day) if known.day else None):
                    self.missing[known.document] = identity
        documents = self._give_names(listed)
        for done, document in enumerate(documents):
            try:
                self._update(document, recent)
            except NotWanted as reason:
                self.report.skipped.append(Problem(document.what, str(reason)))
            except CircuitOpen as error:
                self.report.complete = False
                left = len(documents) - done
                self._record_error(f"{left} document{'s' * (left > 1)} not requested", error)
                break
            except (DocumentError, TransientError) as error:
                self._record_error(document.what, error)
        if self.report.complete:
            for gone, identity in sorted(self.missing.items()):
                if not self.known[identity].gone_at:
                    self.report.gone.append(gone.name)
                    self.sources.mark_gone(identity, self.now.isoformat(timespec="milliseconds"))
            if self.sweep_is_due:
                self.sources.record_full_sweep(self.now)
        shutil.rmtree(self.incoming, ignore_errors=True)

    def _record_error(self, what: str, error: ClerkError) -> None:
        self.report.errors.append(Problem(what, str(error), type(error).__name__))

    def _list_source(self, recent: Window, full: Window) -> tuple[Window, ListedDocuments]:
        """List the recent meetings, or all if a full sweep is due or there are no recent ones."""
        if not self.spec.lists_all and not self.sweep_is_due:
            if listed := self._list(recent):
                return recent, listed
            self.report.gaps.clear()
            self.report.skipped.clear()
            self.report.meetings = 0
        listed = self._list(full)
        if not listed and self.known:
            raise SourceUnavailable(
                f"{self.source} no longer lists any documents; it had {len(self.known)}.",
                hint="Open it in a browser: it may have moved, been emptied, or changed its pages.",
            )
        return full, listed

    def _list(self, window: Window) -> ListedDocuments:
        """Return what the source has; portals repeat meetings, so each counts once."""
        meetings: dict[str, tuple[MeetingRef, list[DocumentRef]]] = {}
        found: dict[str, tuple[MeetingRef, DocumentRef]] = {}
        for meeting in self._wanted_meetings(window):
            identity = meeting.identity(self.spec.id)
            if identity in meetings and not meeting.documents:
                continue
            _, documents = meetings.setdefault(identity, (meeting, []))
            self.report.meetings = len(meetings)
            try:
                offered = list(self.fetcher.list_documents(meeting))
            except CircuitOpen:
                raise
            except TransientError as error:
                self.report.complete = False
                self._record_error(f"{meeting.body} {meeting.day or ''}", error)
                continue
            for ref in offered:
                documents.append(ref)
                found.setdefault(ref.identity(self.spec.id, meeting), (meeting, ref))
        if self.spec.finds_gaps:
            for identity, (meeting, documents) in meetings.items():
                gap = self._gap(meeting, documents)
                if gap:
                    self.report.gaps.append(gap)
                self.sources.record_meeting(identity, meeting, gap)
        return found

    def _wanted_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the bodies that the site follows, up to where the listing breaks.

        With nothing listed at all there is nothing to continue with.
        """
        bodies = [body.casefold() for body in self.fetcher.settings.bodies]
        try:
            for listed in self.fetcher.list_meetings(window):
                if isinstance(listed, Gap):
                    self.report.gaps.append(listed)
                elif not bodies or any(body in listed.body.casefold() for body in bodies):
                    yield listed
        except TransientError as error:
            if not self.report.meetings:
                raise
            self.report.complete = False
            self._record_error(f"the listing of {self.source}", error)

    def _gap(self, meeting: MeetingRef, documents: list[DocumentRef]) -> Gap | None:
        """Return a gap if a past meeting took place and has no minutes."""
        if not meeting.day or meeting.day >= self.now.date():
            return None
        if naming.is_cancelled(f"{meeting.status} {meeting.title}"):
            return None
        if any(ref.kind == MINUTES for ref in documents):
            return None
        return Gap(meeting.body, meeting.day.isoformat(), "no minutes", meeting.source_url)

    def _give_names(self, listed: ListedDocuments) -> list[NamedDocument]:
        """Name the documents in a fixed order: the same listing in any order, the same names.

        A name that is taken gets a number: 2024-01-15, 2024-01-15-2, 2024-01-15-3 ...  A document
        whose name contains a secret gets another one.
        """
        missing = set(self.missing.values())
        kept = {
            each: known.document
            for each, known in self.known.items()
            if each not in missing and self.gate.allows_name(known.document.name)
        }
        folded = str.casefold if storage.ignores_case(self.folder) else str
        taken = {folded(document.name) for document in kept.values()}
        named = []

        def order(item: tuple[str, tuple[MeetingRef, DocumentRef]]) -> tuple[str, str]:
            # Files by their path without the suffix, so that a copy follows its original.
            identity, (_, ref) = item
            return (str(Path(ref.title).with_suffix("")) if ref.method == "FILE" else "", identity)

        for identity, (meeting, ref) in sorted(listed.items(), key=order):
            document = kept.get(identity)
            if document is None:
                document = proposed = proposed_name(meeting, ref, self.gate)
                number = 1
                while folded(document.name) in taken:
                    number += 1
                    document = replace(proposed, date=naming.numbered(proposed.date, number))
            taken.add(folded(document.name))
            named.append(NamedDocument(identity, meeting, ref, document))
        return sorted(named, key=lambda each: each.document.date, reverse=True)

    def _update(self, wanted: NamedDocument, recent: Window) -> None:
        """Get a document if it is new, damaged on disk, or may have changed, and store it."""
        known = self.known.get(wanted.identity)
        _, on_disk = self.sources.size_and_hash(wanted.document)
        intact = known if known and on_disk == known.sha256 else None
        part = self.incoming / "document.part"
        try:
            arrived = None
            if not intact or self._may_have_changed(wanted, intact, recent):
                get = self._copy if wanted.ref.method == "FILE" else self._download
                arrived = get(wanted, intact, part)
            if arrived:
                self._store(wanted, known, on_disk, arrived, part)
            elif intact:
                if intact.gone_at:
                    self.sources.record(replace(intact, gone_at=""))
                self.report.unchanged.append(wanted.document.name)
        finally:
            part.unlink(missing_ok=True)

    def _may_have_changed(
        self, wanted: NamedDocument, known: KnownDocument, recent: Window
    ) -> bool:
        """Whether to request a document that is on disk."""
        if wanted.ref.method == "FILE":
            return True
        if wanted.ref.version_hint:
            return wanted.ref.version_hint != known.version_hint
        return recent.covers(wanted.meeting.day) or (self.spec.lists_all and self.sweep_is_due)

    def _download(
        self, wanted: NamedDocument, known: KnownDocument | None, part: Path
    ) -> KnownDocument | None:
        """Return the record of the bytes now in the part, or None if they are those on disk."""
        download = self.fetcher.client.download(
            wanted.ref.url,
            part,
            method=wanted.ref.method,
            body=wanted.ref.body,
            validators=Validators(known.etag, known.last_modified) if known else None,
            max_bytes=self.max_bytes,
        )
        if download is None:
            return None
        if download.bytes == 0:
            raise EmptyDocument("the response is empty (0 bytes)")
        if not begins_as_pdf(part):
            raise NotWanted(f"not a PDF but {download.format}")
        return replace(
            self._record_of(wanted, download.sha256, download.bytes),
            etag=download.validators.etag,
            last_modified=download.validators.last_modified,
        )

    def _copy(
        self, wanted: NamedDocument, known: KnownDocument | None, part: Path
    ) -> KnownDocument | None:
        """Return the record of the bytes now in the part, or None if they are those on disk."""
        source = path_of_file_url(wanted.ref.url)
        try:
            before = source.stat()
            facts = (before.st_size, before.st_mtime_ns)
            marked = (*facts, self._inode_mark(before))
            if known and marked == (known.source_bytes, known.source_mtime_ns, known.version_hint):
                return None
            _check_file(source, before, self.max_bytes)
            sha256 = _copy_file(source, part, may_link=self.may_link)
            after = source.stat()
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
            if source.is_symlink() and isinstance(error, FileNotFoundError):
                reason = f"is a link to {readable_name(source.readlink())}, which does not exist"
            raise UnreadableFile(reason) from error
        if facts != (after.st_size, after.st_mtime_ns):
            raise UnreadablePdf("changed while it was being copied")
        return replace(
            self._record_of(wanted, sha256, before.st_size),
            source_bytes=before.st_size,
            source_mtime_ns=before.st_mtime_ns,
            version_hint=wanted.ref.version_hint or self._inode_mark(after),
        )

    def _inode_mark(self, facts: os.stat_result) -> str:
        """Return what changes with a file even if its size and time of change do not.

        The inode's own time is left out where a hard link of ours would change it.
        """
        own_time = "" if self.may_link else f" {facts.st_ctime_ns}"
        return f"inode {facts.st_ino}{own_time}"

    def _record_of(self, wanted: NamedDocument, sha256: str, size: int) -> KnownDocument:
        document, day = wanted.document, wanted.meeting.day
        return KnownDocument(
            identity=wanted.identity,
            kind=document.kind,
            meeting=document.meeting,
            date=document.date,
            day=day.isoformat() if day else "",
            source_url=wanted.ref.url,
            sha256=sha256,
            bytes=size,
            version_hint=wanted.ref.version_hint,
            fetched_at=self.now.isoformat(timespec="milliseconds"),
        )

    def _store(
        self,
        wanted: NamedDocument,
        known: KnownDocument | None,
        on_disk: str,
        arrived: KnownDocument,
        part: Path,
    ) -> None:
        """Move the bytes in under the document's name, and record where they came from."""
        document, pdf = wanted.document, wanted.document.pdf(self.folder)
        takes_over = document in self.missing
        moved_from = None
        if known and known.document != document:
            # Its former name contained a secret.
            moved_from = known.document
        elif wanted.ref.method == "FILE" and not known and not takes_over:
            # A file whose path vanished was renamed.  Portals are not trusted so far: they show
            # the same notice for many meetings.
            for old, identity in sorted(self.missing.items()):
                if self.known[identity].sha256 == arrived.sha256:
                    moved_from = old
                    break
        if arrived.sha256 != on_disk:
            with storage_errors(self.folder):
                if on_disk:
                    self._keep_version(pdf, on_disk)
                try:
                    part.replace(pdf)
                except FileNotFoundError:
                    pdf.parent.mkdir(parents=True, exist_ok=True)
                    part.replace(pdf)
            self.sources.record_hash(document, pdf.stat(), arrived.sha256)
        if moved_from:
            self._leave_name(moved_from, document)
            self.report.moved.append(document.name)
        elif known is None and not takes_over:
            self.report.new.append(document.name)
        elif arrived.sha256 != (known.sha256 if known else on_disk):
            self.report.changed.append(document.name)
        else:
            self.report.unchanged.append(document.name)
        if takes_over:
            self.sources.forget(self.missing.pop(document))
        self.sources.record(arrived)

    def _keep_version(self, pdf: Path, sha256: str) -> None:
        """Keep the bytes that are about to be replaced, under their hash, whole or not at all."""
        kept = storage.former_version(self.folder, sha256)
        if kept.exists():
            return
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = self.incoming / "version.part"
        part.unlink(missing_ok=True)
        try:
            os.link(pdf, part)
        except OSError:
            shutil.copyfile(pdf, part)
        part.replace(kept)

    def _leave_name(self, former: Document, document: Document) -> None:
        """Take a document from its former name, with its text.

        Its new PDF is in place, so nothing is lost if this is interrupted; the next fetch ends it.
        """
        text, new_text = former.text(self.folder), document.text(self.folder)
        former_pdf = former.pdf(self.folder)
        with storage_errors(self.folder):
            if new_text.exists():
                shutil.rmtree(text, ignore_errors=True)
            elif text.is_dir():
                new_text.parent.mkdir(parents=True, exist_ok=True)
                text.rename(new_text)
            former.flat_text(self.folder).unlink(missing_ok=True)
            former_pdf.unlink(missing_ok=True)
        for parent in (text.parent, former_pdf.parent):
            with contextlib.suppress(OSError):
                parent.rmdir()
        if vanished := self.missing.pop(former, ""):
            self.sources.forget(vanished)


def proposed_name(meeting: MeetingRef, ref: DocumentRef, gate: Gate) -> Document:
    """Return what a document would be called if it were the only one of that name.

    The name is public: secrets in the texts of the source are left out of it.
    """
    body = naming.safe_component(gate.name(meeting.body), naming.UNNAMED_BODY)
    if meeting.day:
        return Document(ref.kind, body, meeting.day.isoformat())
    title = meeting.title or ref.title or ref.url.rsplit("/", 1)[-1]
    return Document(ref.kind, body, naming.safe_component(gate.name(title)))


def begins_as_pdf(path: Path) -> bool:
    """Whether the first bytes are a PDF's."""
    with path.open("rb", buffering=0) as file:
        return _PDF_MAGIC in file.read(_MAGIC_WITHIN_BYTES)


def _check_file(path: Path, facts: os.stat_result, max_bytes: int) -> None:
    """Refuse a file that is not a document, by the narrowest reason."""
    if not stat.S_ISREG(facts.st_mode):
        raise NotWanted("not a regular file")
    named_pdf = path.suffix.lower() == ".pdf"
    if facts.st_size == 0:
        raise EmptyDocument("is empty (0 bytes)") if named_pdf else NotWanted("empty, not a PDF")
    if not begins_as_pdf(path):
        if named_pdf:
            raise UnreadablePdf("is not a PDF, although its name ends in .pdf")
        raise NotWanted("not a PDF")
    if facts.st_size > max_bytes:
        size = f"{facts.st_size / MEGABYTE:.1f} MB"
        raise DocumentTooLarge(f"has {size}, more than MAX_DOCUMENT_MB allows")


def _copy_file(source: Path, part: Path, *, may_link: bool) -> str:
    """Make a hard link if allowed and possible, else a copy; return the hash.

    Errors of writing are the storage's, not the source's.
    """
    if may_link:
        try:
            os.link(os.path.realpath(source), part)
        except OSError:
            pass
        else:
            return storage.sha256_of(part)
    digest = hashlib.sha256()
    with source.open("rb", buffering=0) as reader, storage.writing(part) as write:
        while size := reader.readinto(_COPY_BUFFER):
            digest.update(_COPY_BUFFER[:size])
            write(_COPY_BUFFER[:size])
    return digest.hexdigest()
