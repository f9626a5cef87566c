"""From what a fetcher lists to PDFs on disk: the same steps for every source.

    list -> give each document its name -> copy or download, hash, check -> move in -> remember

Listing and storing are apart, because names must not depend on the order of the listing.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path

from clerk.core.config import Settings
from clerk.core.errors import (
    ClerkError,
    DocumentError,
    EmptyDocument,
    SourceUnavailable,
    TransientError,
    UnreadableFile,
    UnreadablePdf,
)
from clerk.core.public_text import Gate
from clerk.core.storage import MINUTES, Document, sweep_parts

from . import files, identity, naming
from .base import (
    DocumentRef,
    Fetcher,
    FetcherSpec,
    FetchReport,
    Gap,
    MeetingRef,
    OnProgress,
    Problem,
    Window,
)
from .files import NotWanted
from .http import CircuitOpen, Client, Download, Validators
from .sources import Known, Sources

#: All meetings are listed again after so long.
FULL_SWEEP_EVERY = timedelta(days=7)
_SWEPT_AT = "full sweep at"

#: What a listing found: a meeting and one of its documents, by the document's identity.
Listing = Mapping[str, tuple[MeetingRef, DocumentRef]]


@dataclass(frozen=True)
class Wanted:
    """A document of the listing with the name it gets here."""

    identity: str
    meeting: MeetingRef
    ref: DocumentRef
    document: Document

    @property
    def what(self) -> str:
        """How it is spoken of in the report."""
        if self.ref.method == "FILE":
            return self.ref.title
        return f"{self.ref.title} ({self.ref.url})" if self.ref.title else self.ref.url


@dataclass(frozen=True)
class Brought:
    """Bytes that have arrived in the incoming folder."""

    part: Path
    sha256: str
    bytes: int
    source_bytes: int = 0
    source_mtime_ns: int = 0
    validators: Validators = Validators()
    version_hint: str = ""


class Storing:
    """One fetch of one site: :meth:`everything` is the story, the rest its sentences."""

    def __init__(
        self,
        spec: FetcherSpec,
        fetcher: Fetcher,
        folder: Path,
        settings: Settings,
        client: Client,
        report: FetchReport,
        now: datetime,
    ) -> None:
        self.spec = spec
        self.fetcher = fetcher
        self.folder = folder
        self.client = client
        self.report = report
        self.now = now
        self.max_bytes = settings.max_document_mb * files.MEGABYTE
        self.gate = Gate.for_site(settings, fetcher.site)
        self.incoming = folder / "_clerk" / "incoming"

    def everything(
        self, sliding: Window, full: Window, on_progress: OnProgress | None = None
    ) -> None:
        """List, bring what is new or due, and mark what is gone."""
        with files.only_fetch_of(self.folder), Sources(self.folder) as self.sources:
            self.known = self.sources.documents()
            self.sweep_is_due = self._sweep_is_due()
            self._empty_incoming()
            sweep_parts(self.folder)
            window, listed = self._listing(sliding, full)
            self.replaceable = self._replaceable(window, listed)
            wanted = self._named(listed)
            self._bring_all(wanted, sliding, on_progress)
            if self.report.complete:
                self._mark_gone()
                self._remember_sweep()
            shutil.rmtree(self.incoming, ignore_errors=True)

    # -- listing

    def _listing(self, sliding: Window, full: Window) -> tuple[Window, Listing]:
        """List what has to be looked at; nothing in the window means: look at everything."""
        if not self.spec.lists_all and not self.sweep_is_due:
            if listed := self._listed(sliding):
                return sliding, listed
            self._start_report_again()
        listed = self._listed(full)
        if not listed and self.known:
            raise self._nothing_listed()
        return full, listed

    def _sweep_is_due(self) -> bool:
        swept = self.sources.fact(_SWEPT_AT)
        return not swept or self.now - datetime.fromisoformat(swept) >= FULL_SWEEP_EVERY

    def _start_report_again(self) -> None:
        self.report.gaps.clear()
        self.report.skipped.clear()
        self.report.meetings = 0

    def _listed(self, window: Window) -> Listing:
        """Return what the source has; portals repeat meetings, so each counts once."""
        meetings: dict[str, tuple[MeetingRef, list[DocumentRef]]] = {}
        found: dict[str, tuple[MeetingRef, DocumentRef]] = {}
        for meeting in self._meetings(window):
            which = identity.of_meeting(self.spec.id, meeting)
            if which in meetings and not meeting.documents:
                continue
            _, documents = meetings.setdefault(which, (meeting, []))
            self.report.meetings = len(meetings)
            for ref in self._documents(meeting):
                documents.append(ref)
                found.setdefault(identity.of_document(self.spec.id, meeting, ref), (meeting, ref))
        for which, (meeting, documents) in meetings.items():
            self._note_meeting(which, meeting, documents)
        return found

    def _meetings(self, window: Window) -> Iterator[MeetingRef]:
        try:
            for each in self.fetcher.list_meetings(window):
                if isinstance(each, Gap):
                    self.report.gaps.append(each)
                elif self._is_followed(each):
                    yield each
        except TransientError as error:
            self._listing_broke(error)

    def _listing_broke(self, error: TransientError) -> None:
        """Go on with what was listed so far; with nothing at all there is nothing to go on with."""
        if not self.report.meetings:
            raise error
        self.report.complete = False
        self.report.errors.append(_problem(f"the listing of {self._source}", error))

    def _is_followed(self, meeting: MeetingRef) -> bool:
        bodies = [body.casefold() for body in self.fetcher.settings.bodies]
        return not bodies or any(body in meeting.body.casefold() for body in bodies)

    def _documents(self, meeting: MeetingRef) -> list[DocumentRef]:
        try:
            return list(self.fetcher.list_documents(meeting))
        except CircuitOpen:
            raise
        except TransientError as error:
            self.report.complete = False
            self.report.errors.append(_problem(f"{meeting.body} {meeting.day or ''}", error))
            return []

    def _note_meeting(self, which: str, meeting: MeetingRef, documents: list[DocumentRef]) -> None:
        if not self.spec.finds_gaps:
            return
        gap = self._gap(meeting, documents)
        if gap:
            self.report.gaps.append(gap)
        self.sources.record_meeting(which, meeting, gap)

    def _gap(self, meeting: MeetingRef, documents: list[DocumentRef]) -> Gap | None:
        if not meeting.day or meeting.day >= self.now.date():
            return None
        if naming.is_cancelled(f"{meeting.status} {meeting.title}"):
            return None
        if any(ref.kind == MINUTES for ref in documents):
            return None
        return Gap(meeting.body, meeting.day.isoformat(), "no minutes", meeting.source_url)

    def _nothing_listed(self) -> SourceUnavailable:
        return SourceUnavailable(
            f"{self._source} lists no documents any more; it had {len(self.known)}.",
            hint="Look at it: it may have moved, been emptied, or changed its pages.",
        )

    @property
    def _source(self) -> str:
        return str(self.fetcher.settings.source or self.spec.id)

    # -- names

    def _replaceable(self, window: Window, listed: Listing) -> dict[Document, str]:
        """Return the documents that are not offered any more; others may take over their names.

        So a file that was only moved, or a document that got another id, stays the same document.
        """
        if not self.report.complete:
            return {}
        return {
            known.document: each
            for each, known in self.known.items()
            if each not in listed and window.covers(_day(known.day))
        }

    def _named(self, listed: Listing) -> list[Wanted]:
        """Give names in a fixed order: the same listing in any order, the same names.

        A document whose name contains a secret gets another one.
        """
        missing = set(self.replaceable.values())
        kept = {
            each: known.document
            for each, known in self.known.items()
            if each not in missing and self.gate.allows_name(known.document.name)
        }
        folded = str.casefold if files.ignores_case(self.folder) else str
        taken = {folded(document.name) for document in kept.values()}
        wanted = []
        for each, (meeting, ref) in sorted(listed.items(), key=_naming_order):
            proposed = identity.proposed_name(meeting, ref, self.gate)
            document = kept.get(each) or identity.free_name(proposed, taken, folded)
            taken.add(folded(document.name))
            wanted.append(Wanted(each, meeting, ref, document))
        return sorted(wanted, key=lambda each: each.document.date, reverse=True)

    # -- bringing

    def _bring_all(
        self, wanted: list[Wanted], sliding: Window, on_progress: OnProgress | None
    ) -> None:
        for done, each in enumerate(wanted):
            if on_progress:
                on_progress(done, len(wanted), each.document.name)
            try:
                self._bring(each, sliding)
            except NotWanted as reason:
                self.report.skipped.append(Problem(each.what, str(reason)))
            except CircuitOpen as error:
                self._give_up(len(wanted) - done, error)
                return
            except (DocumentError, TransientError) as error:
                self.report.errors.append(_problem(each.what, error))
        if on_progress:
            on_progress(len(wanted), len(wanted), "")

    def _give_up(self, left: int, error: ClerkError) -> None:
        self.report.complete = False
        self.report.errors.append(_problem(f"{left} documents not asked for", error))

    def _bring(self, wanted: Wanted, sliding: Window) -> None:
        known = self.known.get(wanted.identity)
        on_disk = self.sources.hash_on_disk(wanted.document)
        whole = known if known and on_disk == known.sha256 else None
        if whole and not self._is_due(wanted, whole, sliding):
            self._unchanged(wanted, whole)
            return
        with self._part() as part:
            brought = self._acquire(wanted.ref, whole, part)
            if brought:
                self._store(wanted, known, on_disk, brought)
            elif whole:
                self._unchanged(wanted, whole)

    def _is_due(self, wanted: Wanted, known: Known, sliding: Window) -> bool:
        """Whether to ask for a document that we have: it may have changed since."""
        if wanted.ref.method == "FILE":
            return True
        if wanted.ref.version_hint:
            return wanted.ref.version_hint != known.version_hint
        return sliding.covers(wanted.meeting.day) or (self.spec.lists_all and self.sweep_is_due)

    def _unchanged(self, wanted: Wanted, known: Known) -> None:
        if known.gone_at:
            self.sources.record(replace(known, gone_at=""))
        self.report.unchanged.append(wanted.document.name)

    def _acquire(self, ref: DocumentRef, known: Known | None, part: Path) -> Brought | None:
        """Bring the bytes into the part, or return None if they are the ones we have."""
        if ref.method == "FILE":
            return self._copy(files.path_of_url(ref.url), known, part)
        download = self.client.download(
            ref.url,
            part,
            method=ref.method,
            body=ref.body,
            validators=Validators(known.etag, known.last_modified) if known else None,
            max_bytes=self.max_bytes,
        )
        if download is None:
            return None
        _check_download(part, download)
        return Brought(part, download.sha256, download.bytes, validators=download.validators)

    def _copy(self, source: Path, known: Known | None, part: Path) -> Brought | None:
        try:
            before = source.stat()
            facts = (before.st_size, before.st_mtime_ns)
            if known and (*facts, self._mark(before)) == known.source_facts:
                return None
            files.check_file(source, before, self.max_bytes)
            copy = files.linked_or_copied if self._may_link else files.copied
            sha256 = copy(source, part)
            after = source.stat()
        except OSError as error:
            raise UnreadableFile(_why_unreadable(source, error)) from error
        if facts != (after.st_size, after.st_mtime_ns):
            raise UnreadablePdf("changed while it was being copied")
        return Brought(part, sha256, before.st_size, *facts, version_hint=self._mark(after))

    def _mark(self, facts: os.stat_result) -> str:
        """Return what changes with the file although its size and time of change may not.

        A hard link of ours moves the inode's own time.
        """
        own_time = "" if self._may_link else f" {facts.st_ctime_ns}"
        return f"inode {facts.st_ino}{own_time}"

    @property
    def _may_link(self) -> bool:
        return bool(getattr(self.fetcher.settings, "link", False))

    @contextlib.contextmanager
    def _part(self) -> Iterator[Path]:
        part = self.incoming / "document.part"
        try:
            yield part
        finally:
            if os.path.lexists(part):
                part.unlink()

    # -- storing

    def _store(self, wanted: Wanted, known: Known | None, on_disk: str, brought: Brought) -> None:
        document = wanted.document
        takes_over = document in self.replaceable
        moved_from = None if takes_over else self._moved_from(wanted, known, brought.sha256)
        if brought.sha256 != on_disk:
            with files.storage_errors(self.folder):
                self._keep_version(document, on_disk)
                files.move_in(brought.part, document.pdf(self.folder))
            self.sources.remember_hash(document, brought.sha256)
        if moved_from:
            self._leave(moved_from, document)
        self._remember(wanted, brought)
        former = known.sha256 if known else on_disk
        if moved_from:
            self.report.moved.append(document.name)
        elif known is None and not takes_over:
            self.report.new.append(document.name)
        elif brought.sha256 != former:
            self.report.changed.append(document.name)
        else:
            self.report.unchanged.append(document.name)

    def _moved_from(self, wanted: Wanted, known: Known | None, sha256: str) -> Document | None:
        """Return what a document was called before: here, or where its path has vanished.

        Portals are not believed so far: they show the same notice for many meetings.
        """
        if known:
            return known.document if known.document != wanted.document else None
        if wanted.ref.method != "FILE":
            return None
        vanished = sorted(self.replaceable.items())
        return next((old for old, each in vanished if self.known[each].sha256 == sha256), None)

    def _leave(self, former: Document, document: Document) -> None:
        """Take a document from its former name, with its text; repeated after a kill, it ends so.

        Its new PDF is in place, so nothing is lost on the way.
        """
        with files.storage_errors(self.folder):
            files.move_or_remove(former.text(self.folder), document.text(self.folder))
            former.text(self.folder).with_name(f"{former.date}.txt").unlink(missing_ok=True)
            former.pdf(self.folder).unlink(missing_ok=True)
            for place in (former.text(self.folder), former.pdf(self.folder)):
                files.remove_if_empty(place.parent)
        if identity_before := self.replaceable.pop(former, ""):
            self.sources.forget(identity_before)

    def _keep_version(self, document: Document, on_disk: str) -> None:
        """Keep the bytes that are about to be replaced, under their hash."""
        if on_disk:
            kept = self.folder / "_clerk" / "versions" / f"{on_disk}.pdf"
            files.keep_aside(document.pdf(self.folder), kept, self.incoming / "version.part")

    def _remember(self, wanted: Wanted, brought: Brought) -> None:
        document, day = wanted.document, wanted.meeting.day
        former = self.replaceable.pop(document, "")
        if former:
            self.sources.forget(former)
        self.sources.record(
            Known(
                identity=wanted.identity,
                kind=document.kind,
                meeting=document.meeting,
                date=document.date,
                day=day.isoformat() if day else "",
                source_url=wanted.ref.url,
                sha256=brought.sha256,
                bytes=brought.bytes,
                source_bytes=brought.source_bytes,
                source_mtime_ns=brought.source_mtime_ns,
                etag=brought.validators.etag,
                last_modified=brought.validators.last_modified,
                version_hint=wanted.ref.version_hint or brought.version_hint,
                fetched_at=self.now.isoformat(timespec="milliseconds"),
            )
        )

    def _mark_gone(self) -> None:
        for document, each in sorted(self.replaceable.items()):
            if not self.known[each].gone_at:
                self.report.gone.append(document.name)
                self.sources.mark_gone(each, self.now.isoformat(timespec="milliseconds"))

    def _remember_sweep(self) -> None:
        if self.sweep_is_due:
            self.sources.remember(_SWEPT_AT, self.now.isoformat())

    def _empty_incoming(self) -> None:
        with files.storage_errors(self.folder):
            shutil.rmtree(self.incoming, ignore_errors=True)
            self.incoming.mkdir(parents=True, exist_ok=True)


def _check_download(part: Path, download: Download) -> None:
    if download.bytes == 0:
        raise EmptyDocument("the answer is empty (0 bytes)")
    if not files.begins_as_pdf(part):
        raise NotWanted(f"not a PDF but {download.sniffed}")


def _naming_order(listed: tuple[str, tuple[MeetingRef, DocumentRef]]) -> tuple[str, str]:
    """Files go by their path without the suffix, so that a copy follows what it is a copy of."""
    each, (_, ref) = listed
    return (str(Path(ref.title).with_suffix("")) if ref.method == "FILE" else "", each)


def _why_unreadable(source: Path, error: OSError) -> str:
    if source.is_symlink() and isinstance(error, FileNotFoundError):
        return f"is a link to {files.readable_name(source.readlink())}, which is not there"
    return f"cannot be read: {error.strerror or error}"


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


def _problem(what: str, error: ClerkError) -> Problem:
    return Problem(what, str(error), type(error).__name__)
