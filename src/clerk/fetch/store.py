"""Fetching a site: the same steps for every source, from what it lists to PDFs on disk.

::

    site's ``scraper`` -> FetcherSpec -> Fetcher.list_meetings / list_documents -> a name for each
                                                 |
    pdfs/{meeting}/{date}.pdf  <- rename <- _clerk/incoming/  <- copied or downloaded, hashed
    the manifest               <- where each came from, its hash, its versions, whether it is gone
    _clerk/versions/           <- the bytes a document had before

Listing comes before storing, because names must not depend on the order of the listing.  A source
that had documents and now lists none has failed: it raises, it never reports zero.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import math
import os
import shutil
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.parse import unquote, urlsplit

from clerk.core import storage
from clerk.core.errors import (
    ClerkError,
    DocumentError,
    EmptyDocument,
    ObjectLost,
    SourceUnavailable,
    TransientError,
    UnreadableFile,
    UnreadablePdf,
    UnsupportedFormat,
)
from clerk.core.fetch_memory import DocumentRequest, ListedMeeting, SiteManifest
from clerk.core.files import SiteFiles, pack_text
from clerk.core.formats import (
    SUFFIXES,
    Format,
    format_of,
    is_meeting_page,
    refusal,
    words_of_page,
)
from clerk.core.manifest import FetchedDocument, KnownDocument
from clerk.core.public_text import Gate
from clerk.core.site_extra import SiteRow
from clerk.core.storage import MINUTES, Document, storage_errors

from . import naming
from .base import (
    LISTED_KINDS,
    Context,
    DocumentRef,
    Fetcher,
    FetcherSpec,
    FetchReport,
    Gap,
    MeetingRef,
    Problem,
    Window,
    plugin_failure,
)
from .discover import LegacyFetcher, find_fetcher, registered, source_settings
from .http.responses import (
    ChallengePage,
    CircuitOpen,
    FewerDocuments,
    NotUnderstood,
    Validators,
)
from .legacy import run_legacy_fetcher
from .local_files import MEGABYTE, NotWanted, check_file, copy_file, looks_of_file
from .sources import path_of_file_url, readable_name
from .understanding import PagesRead, readable_answer

if TYPE_CHECKING:
    from .http.client import Client

#: A source that listed at least so many documents and now less than this share has failed.
FEWER_FROM, LEAST_OF_LAST_TIME = 8, 0.25

#: The meetings around today that every run lists.
LOOK_BACK, LOOK_AHEAD = timedelta(days=90), timedelta(days=60)
#: How old a meeting is, and how often its documents are asked for then; recent ones in every run.
ASK_AGAIN = (
    (timedelta(days=365), timedelta(days=14)),
    (timedelta(days=3 * 365), timedelta(days=60)),
    (timedelta.max, timedelta(days=180)),
)
#: A document that failed twice in a row is left alone for this long, then for twice as long ...
BACK_OFF, LONGEST_BACK_OFF = timedelta(hours=6), timedelta(days=30)
#: So many failures in a row, of different documents, end a run.
FAILURES_TO_STOP = 25
#: How exactly it is remembered when a file that did not change was seen; remembering is a write.
SEEN_WITHIN = timedelta(days=1)
#: How often all meetings are listed again.
FULL_SWEEP_EVERY = timedelta(days=7)
#: Where a full sweep begins if the site has no start year.
EARLIEST = date(2000, 1, 1)

#: What a listing found: a meeting and one of its documents, by the document's identity.
ListedDocuments = Mapping[str, tuple[MeetingRef, DocumentRef]]


@runtime_checkable
class NamesFiles(Protocol):
    """A fetcher of files, whose names follow from their paths and some rules."""

    known_files: Mapping[str, str]

    def rules(self) -> str:
        """Return what the names depend on besides the paths."""


class OutOfTime(Exception):
    """The fetch has used its time; the next one goes on."""


@dataclass(frozen=True)
class NamedDocument:
    """A listed document with the name it gets on disk."""

    identity: str
    meeting: MeetingRef
    ref: DocumentRef
    document: Document
    #: Which one it is of those that would have the same name.
    sequence: int = 1

    @property
    def what(self) -> str:
        """How the report names it."""
        if self.ref.method == "FILE":
            return self.ref.title
        return f"{self.ref.title} ({self.ref.url})" if self.ref.title else self.ref.url


def fetch_site(
    site: SiteRow,
    files: SiteFiles,
    manifest: SiteManifest,
    *,
    client: Client | None = None,
    now: datetime | None = None,
    seconds: float = math.inf,
    clock: Callable[[], float] = time.monotonic,
) -> FetchReport:
    """Fetch what a site's source has and report what was found; the manifest knows it afterwards.

    After ``seconds`` it asks for nothing more and leaves the rest to the next fetch, half of them
    spent at most on asking for the documents of each meeting.

    Safe to kill anywhere: what is on disk is whole, and the next call ends in the same state.
    Raises SourceUnavailable when the source cannot be listed or no longer lists anything,
    StorageUnusable when the folder cannot be written to.
    """
    spec = find_fetcher(site)
    settings, folder = files.settings, files.folder
    if isinstance(spec, LegacyFetcher):
        return run_legacy_fetcher(spec, site, files, manifest)
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
            opened = client or Client.from_settings(
                settings,
                pace_seconds=pace_seconds,
                vendors=vendors,
                ignore_robots=source.permission is not None,
                site=files.subdomain,
            )
            if source.permission:
                opened.ignore_robots = True
            opened.on_page = pages.read
            return stack.enter_context(opened)

        source = source_settings(site, spec)
        pages = PagesRead(spec)
        context = Context(site, source, open_client, report, now.date())
        fetcher = spec.factory(context)
        stack.enter_context(only_fetch_of(folder))
        stack.enter_context(manifest)
        max_bytes = settings.max_document_mb * MEGABYTE
        gate = Gate.for_site(settings, site)
        fetch = SiteFetch(
            spec, fetcher, files, manifest, report, now, max_bytes, gate, pages, clock
        )
        fetch.list_until, fetch.fetch_until = clock() + seconds / 2, clock() + seconds
        try:
            fetch.run(Window(now.date() - LOOK_BACK, end), Window(start, end, full=True))
        except (NotUnderstood, ChallengePage, FewerDocuments) as error:
            page = error.page if isinstance(error, NotUnderstood) else pages.page
            if page:
                text = readable_answer(page, gate.without_secrets)
                url = gate.without_secrets(page.url)
                kept = manifest.keep_answer(type(error).__name__, url, text, now)
                see = f"clerk site show {files.subdomain} --answer {kept.name}"
                error.hint = f"{error.hint} What was returned: {see}".strip()
            raise
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
                hint="Wait until it has finished.",
            ) from error
        yield


@dataclass
class SiteFetch:
    """One fetch of one site, while its lock is held."""

    spec: FetcherSpec
    fetcher: Fetcher
    files: SiteFiles
    manifest: SiteManifest
    report: FetchReport
    now: datetime
    max_bytes: int
    gate: Gate
    pages: PagesRead
    clock: Callable[[], float] = time.monotonic
    #: When to stop asking for the documents of meetings, and for documents.
    list_until: float = math.inf
    fetch_until: float = math.inf
    #: Documents that the listing should contain and does not: name -> what is known of it.  Others
    #: may take over their names, so that a file that was moved, or a document that got another id
    #: at its source, stays the same document.
    missing: dict[Document, KnownDocument] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder = self.files.folder
        self.incoming = storage.incoming_folder(self.folder)
        #: What was fetched before, by its identity at the source; of files that need not all be
        #: looked at, it is asked for when it is known which ones are other than they were.
        self.known: dict[str, KnownDocument] = {}
        #: Everything that was fetched before, and the names of all documents.
        self.identities: set[str] = set()
        self.names: set[str] = set()
        #: Files that may be passed over, by their id: identity, name, whether it is due to be noted
        #: that they were seen.
        self._files: dict[str, tuple[str, str, bool]] = {}
        self.source = self.fetcher.settings.source or self.spec.id
        #: When each document was asked for before, and when the fetch began that was cut off.
        self.asked = self.manifest.requests()
        self.cut_off_at: datetime | None = None
        last_sweep = self.manifest.last_full_listing()
        self.sweep_is_due = not last_sweep or self.now - last_sweep >= FULL_SWEEP_EVERY
        #: How many meetings the source listed, of whatever body.
        self.offered_meetings = 0
        #: Documents, or at least meetings, of bodies that the site does not follow.
        self.not_followed = 0
        #: Meetings that were asked for their documents this time.
        self.asked_meetings: list[str] = []
        #: When the first document is due that failed and is not here, by its meeting.
        self.postponed: dict[str, datetime] = {}
        #: What is known of meetings that were not asked for their documents this time.
        self.carried: list[KnownDocument] = []
        #: Names that are given, as the disk tells them apart.
        self.taken: set[str] = set()
        self.folded = str.casefold if storage.ignores_case(self.folder) else str
        #: Whether hard links may be made instead of copies.
        self.may_link = bool(getattr(self.fetcher.settings, "link", False))

    def run(self, recent: Window, full: Window) -> None:
        """List, store what is new or due, and mark what is gone."""
        with storage_errors(self.folder):
            shutil.rmtree(self.incoming, ignore_errors=True)
            self.incoming.mkdir(parents=True, exist_ok=True)
        storage.sweep_parts(self.folder)
        self.cut_off_at = self.manifest.begin_fetch(self.now)
        rules = self._ask_what_is_known()
        window, listed = self._list_source(recent, full)
        unchanged = [self._files[each] for each in self.fetcher.passed_over]
        self.report.meetings += len(unchanged)
        self.report.unchanged += [name for _, name, _ in unchanged]
        for _, name, is_due in unchanged:
            if is_due:
                self.manifest.record_unchanged(name)
        absent = self.identities - listed.keys() - {identity for identity, _, _ in unchanged}
        if self.identities and not self.known:
            rows = self.manifest.known_documents([*absent, *listed])
            self.known = {row.identity: row for row in rows if row.identity}
        for row in self.carried:
            self.report.unchanged.append(row.name)
            self.manifest.record_unchanged(row.name)
        fewer = self._far_fewer(window, len(listed) + len(unchanged) + len(self.carried))
        if fewer:
            self.report.complete = False
        if self.report.complete:
            for identity in absent - {row.identity for row in self.carried}:
                known = self.known.get(identity)
                if known and window.covers(known.listed_date):
                    self.missing[known.document] = known
        documents = self._give_names(listed)
        failures = 0
        to_ask_again: list[NamedDocument] = []
        for done, document in enumerate(documents):
            try:
                if self._update(document):
                    failures = 0
            except OutOfTime:
                self.report.complete = False
                self.report.left += len(documents) - done
                to_ask_again += documents[done:]
                break
            except NotWanted as reason:
                self.report.skipped.append(Problem(document.what, str(reason)))
            except CircuitOpen as error:
                self.report.complete = False
                left = len(documents) - done
                self._record_error(f"{left} document{'s' * (left > 1)} not requested", error)
                to_ask_again += documents[done:]
                break
            except (DocumentError, TransientError) as error:
                self._record_error(document.what, error)
                self._back_off(document, error)
                to_ask_again.append(document)
                failures += isinstance(error, TransientError)
                if failures == FAILURES_TO_STOP:
                    to_ask_again += documents[done:]
                    self.report.complete = False
                    why = f"{failures} documents in a row failed; the next run continues"
                    self.report.errors.append(Problem(self.source, why, "TooManyFailures"))
                    break
        else:
            self.manifest.commit()
            self.manifest.end_fetch()
        # A meeting whose documents are not here yet is asked for them in the next run, or when the
        # one that failed is due.
        again = {each.meeting.identity(self.spec.id) for each in to_ask_again}
        for meeting in self.asked_meetings:
            if meeting not in again:
                next_at = self.postponed.get(meeting)
                asked = DocumentRequest(f"{meeting}|", self.now, next_at=next_at)
                self.manifest.record_request(asked)
        self.manifest.commit()
        if self.report.complete:
            self.report.gone = sorted(
                document.name for document, known in self.missing.items() if not known.gone_at
            )
            self.manifest.commit()
            self.manifest.mark_gone(self.report.gone)
            if self.sweep_is_due:
                self.manifest.record_full_listing(self.now)
        shutil.rmtree(self.incoming, ignore_errors=True)
        if rules and self.report.complete:
            with storage.written_whole(storage.folder_rules(self.folder)) as part:
                part.write_text(rules)
        if fewer:
            self.manifest.commit()
            raise fewer

    def _ask_what_is_known(self) -> str:
        """Ask what was fetched before: of a folder that is named as it was, as little as possible.

        Its files that look as they did are passed over.  Returns the hash of what their names
        depend on; empty for other sources.
        """
        rules, named_by = "", ""
        if isinstance(self.fetcher, NamesFiles):
            # With the same rules the names were found to be public when they were given.
            rules = f"{self.gate.fingerprint()} {self.fetcher.rules()}"
            rules = hashlib.sha256(rules.encode()).hexdigest()
            with contextlib.suppress(OSError):
                named_by = storage.folder_rules(self.folder).read_text()
        if not rules or rules != named_by:
            documents = self.manifest.known_documents()
            self.known = {row.identity: row for row in documents if row.identity}
            self.identities, self.names = {*self.known}, {row.name for row in documents}
            return rules
        rows = self.manifest.known_files(self.now - SEEN_WITHIN)
        self.names = {name for _, name, _, _ in rows}
        self.identities = {identity for identity, _, _, _ in rows if identity}
        prefix, looks = f"{self.spec.id}:", {}
        for identity, name, look, is_due in rows:
            if identity and look:
                key = identity.partition("|")[0].removeprefix(prefix)
                self._files[key], looks[key] = (identity, name, is_due), look
        self.fetcher.known_files = looks
        return rules

    def _far_fewer(self, window: Window, listed: int) -> FewerDocuments | None:
        """Return an error if the source lists less than a quarter of what it had.

        What it lists is fetched all the same, and nothing is marked as gone.
        """
        if self.fetcher.settings.accept_fewer or not self.pages.pages:
            return None
        before = [
            row for row in self.known.values() if not row.gone_at and window.covers(row.listed_date)
        ]
        if len(before) < FEWER_FROM:
            return None
        if listed >= len(before) * LEAST_OF_LAST_TIME:
            return None
        return FewerDocuments(
            f"{self.source} lists {listed} documents; it had {len(before)} before.",
            hint="Open it in a browser. If that is right: "
            f"clerk site edit {self.files.subdomain} --set accept_fewer=true",
        )

    def _record_error(self, what: str, error: ClerkError) -> None:
        why = f"{error}. {error.hint}" if isinstance(error, UnsupportedFormat) else str(error)
        self.report.errors.append(Problem(what, why, type(error).__name__))

    def _list_source(self, recent: Window, full: Window) -> tuple[Window, ListedDocuments]:
        """List the recent meetings, or all if a full sweep is due or there are no recent ones."""
        if not self.spec.lists_all and not self.sweep_is_due:
            if listed := self._list(recent):
                return recent, listed
            self.report.gaps.clear()
            self.report.skipped.clear()
            self.report.meetings = 0
        listed = self._list(full)
        before = len(self.identities)
        known = len(self.carried) + len(self.fetcher.passed_over)
        understood = len(listed) + known + self.not_followed
        self.pages.check(understood, self.offered_meetings or before, self.report)
        if not listed and before and not (self.fetcher.passed_over or self.carried):
            if self.pages.page:
                raise NotUnderstood(self.pages.page, f"documents (it listed {before} before)")
            raise SourceUnavailable(
                f"{self.source} no longer lists any documents; it had {before}.",
                hint="Open it in a browser: it may have moved, been emptied, or changed its pages.",
            )
        return full, listed

    def _list(self, window: Window) -> ListedDocuments:
        """Return what the source has; portals repeat meetings, so each counts once.

        Where each meeting is asked for its documents, the newest are asked first.
        """
        meetings: dict[str, tuple[MeetingRef, set[str]]] = {}
        found: dict[str, tuple[MeetingRef, DocumentRef]] = {}
        self.carried = []
        of_meeting: dict[str, list[KnownDocument]] = {}
        listed: Iterable[MeetingRef] = self._wanted_meetings(window)
        if asks_each := self.fetcher.asks_each_meeting:
            listed = sorted(listed, key=lambda each: each.day or date.max, reverse=True)
            for row in self.known.values():
                of_meeting.setdefault(str(row.identity).partition("|")[0], []).append(row)
        for meeting in listed:
            identity = meeting.identity(self.spec.id)
            if identity in meetings and not meeting.documents:
                continue
            _, kinds = meetings.setdefault(identity, (meeting, set()))
            self.report.meetings = len(meetings)
            if asks_each and not self._asks_for_documents(meeting, identity):
                known = of_meeting.get(identity, [])
                self.carried += known
                kinds.update(row.document.kind for row in known)
                continue
            try:
                offered = list(self.fetcher.list_documents(meeting))
            except CircuitOpen:
                raise
            except TransientError as error:
                self.report.complete = False
                self._record_error(f"{meeting.body} {meeting.day or ''}", error)
                continue
            except ClerkError:
                raise
            except Exception as error:
                raise plugin_failure(self.spec, error) from error
            if asks_each:
                self.asked_meetings.append(identity)
            for ref in offered:
                kinds.add(ref.kind)
                found.setdefault(ref.identity(self.spec.id, meeting), (meeting, ref))
        if self.spec.finds_gaps:
            for identity, (meeting, kinds) in meetings.items():
                # A past meeting that took place and has no minutes.
                gap = None
                is_past = meeting.day is not None and meeting.day < self.now.date()
                cancelled = naming.is_cancelled(f"{meeting.status} {meeting.title}")
                if meeting.day and is_past and not cancelled and MINUTES not in kinds:
                    day = meeting.day.isoformat()
                    gap = Gap(meeting.body, day, "no minutes", meeting.source_url)
                    self.report.gaps.append(gap)
                start = meeting.start_local.isoformat() if meeting.start_local else ""
                self.manifest.record_meeting(
                    ListedMeeting(
                        identity,
                        *(_storable(meeting.body) or "", _storable(meeting.title) or "", start),
                        *(meeting.tz, meeting.status, meeting.source_url),
                        gap.reason if gap else "",
                    )
                )
        return found

    def _asks_for_documents(self, meeting: MeetingRef, identity: str) -> bool:
        """Whether to ask for the documents of a meeting: the older it is, the less often."""
        before = self.asked.get(f"{identity}|")
        failed_is_due = before and before.next_at and before.next_at <= self.now
        if (
            before
            and not failed_is_due
            and not self._is_due(f"{identity}|", meeting.day, before.asked_at)
        ):
            return False
        if self.clock() < self.list_until:
            return True
        self.report.complete = False
        self.report.left += 1
        return False

    def _wanted_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the bodies that the site follows, up to where the listing breaks.

        With nothing listed at all there is nothing to continue with.
        """
        bodies = [body.casefold() for body in self.fetcher.settings.bodies]
        self.offered_meetings = self.not_followed = 0
        try:
            for listed in self.fetcher.list_meetings(window):
                self.offered_meetings += 1
                if isinstance(listed, Gap):
                    self.report.gaps.append(listed)
                elif not bodies or any(body in listed.body.casefold() for body in bodies):
                    yield listed
                else:
                    self.not_followed += max(1, len(listed.documents))
        except TransientError as error:
            if not self.offered_meetings:
                raise
            self.report.complete = False
            self._record_error(f"the listing of {self.source}", error)
        except ClerkError:
            raise
        except Exception as error:
            # A plugin may raise anything: it is named, and its traceback is in the log.
            raise plugin_failure(self.spec, error) from error

    def _give_names(self, listed: ListedDocuments) -> list[NamedDocument]:
        """Name the documents in a fixed order: the same listing in any order, the same names.

        A name that is taken gets a number: 2024-01-15, 2024-01-15-2, 2024-01-15-3 ...  A document
        whose name contains a secret gets another one.
        """
        if not listed:
            return []
        missing = {row.identity for row in self.missing.values()}
        known = {each: row for each, row in self.known.items() if each not in missing}
        kept = {
            each: known[each].document
            for each in listed
            if each in known and self.gate.allows_name(known[each].name)
        }
        folded, taken = self.folded, self.taken
        taken |= {folded(name) for name in self.names - {each.name for each in self.missing}}
        named = []

        def order(item: tuple[str, tuple[MeetingRef, DocumentRef]]) -> tuple[bool, str, str]:
            # Attachments after the agenda; files by their path without the suffix, so that a copy
            # follows its original.
            identity, (_, ref) = item
            is_file = ref.method == "FILE" and ref.title
            path = str(Path(ref.title).with_suffix("")) if is_file else ""
            return (ref.attachment, path, identity)

        for identity, (meeting, ref) in sorted(listed.items(), key=order):
            document, number = kept.get(identity), 1
            if document is not None:
                number = self.known[identity].sequence
            else:
                document = proposed = proposed_name(meeting, ref, self.gate)
                while folded(document.name) in taken:
                    number += 1
                    document = replace(proposed, date=naming.numbered(proposed.date, number))
            taken.add(folded(document.name))
            named.append(NamedDocument(identity, meeting, ref, document, number))
        return sorted(named, key=lambda each: each.document.date, reverse=True)

    def _back_off(self, wanted: NamedDocument, error: ClerkError) -> None:
        """Remember a failure: the second one in a row postpones the next request."""
        if wanted.ref.method == "FILE":
            return
        before = self.asked.get(wanted.identity)
        failures = (before.failures if before else 0) + 1
        pause = min(BACK_OFF * 2 ** min(max(failures - 2, 0), 10), LONGEST_BACK_OFF)
        self.manifest.record_request(
            DocumentRequest(
                wanted.identity,
                self.now,
                failures,
                self.now + pause if failures > 1 else None,
                type(error).__name__,
            )
        )

    def _update(self, wanted: NamedDocument) -> bool:
        """Get a document if it is new, damaged on disk, or may have changed, and store it.

        Returns whether the source was asked for it.
        """
        known = self.known.get(wanted.identity)
        before = self.asked.get(wanted.identity)
        if before and before.next_at and before.next_at > self.now:
            again = f"{before.next_at:%Y-%m-%d %H:%M}"
            why = f"failed {before.failures} times; next attempt at {again}"
            self.report.postponed.append(Problem(wanted.what, why, before.error))
            if known and known.pdf_sha256:
                self.manifest.record_unchanged(known.name)
                self.report.unchanged.append(known.name)
            else:
                meeting = wanted.meeting.identity(self.spec.id)
                due = self.postponed.get(meeting, before.next_at)
                self.postponed[meeting] = min(due, before.next_at)
            return False
        intact = known if known and known.pdf_sha256 else None
        if intact and intact.document != wanted.document:
            intact = None
        part = self.incoming / "document.part"
        try:
            arrived = None
            is_due = not intact or self._may_have_changed(wanted, intact)
            if is_due and self.clock() >= self.fetch_until:
                raise OutOfTime
            if is_due:
                get = self._copy if wanted.ref.method == "FILE" else self._download
                arrived = get(wanted, intact, part)
            if arrived:
                wanted = self._named_by_format(wanted, format_of(part))
                arrived = replace(arrived, name=wanted.document.name)
                self._store(wanted, known, arrived, part)
            elif intact:
                self._record_listing(wanted, intact)
                self.report.unchanged.append(wanted.document.name)
            if is_due and wanted.ref.method != "FILE":
                self.manifest.record_request(DocumentRequest(wanted.identity, self.now))
            return is_due
        finally:
            part.unlink(missing_ok=True)

    def _named_by_format(self, wanted: NamedDocument, found: Format) -> NamedDocument:
        """Let the name of a document that has arrived end as its content asks for."""
        document, suffix = wanted.document, SUFFIXES.get(found, "")
        stem = document.date
        if not document.is_pdf:
            stem = stem.removesuffix(Path(stem).suffix)
        if document.date == stem + suffix:
            return wanted
        number = 1
        document = replace(document, date=stem + suffix)
        while self.folded(document.name) in self.taken:
            number += 1
            document = replace(document, date=naming.numbered(stem, number) + suffix)
        self.taken.add(self.folded(document.name))
        return replace(wanted, document=document)

    def _record_listing(self, wanted: NamedDocument, known: KnownDocument) -> None:
        """Record that a document is offered with the same bytes, and what is said of it now."""
        now = self._record_of(wanted, known.pdf_sha256 or "", known.bytes)
        if now.listed == known.listed:
            self.manifest.record_unchanged(known.name)
            return
        self.manifest.record(
            replace(
                now,
                fetched_at=known.fetched_at,
                etag=known.etag,
                last_modified=known.last_modified,
                version_hint=known.version_hint,
                source_bytes=known.source_bytes,
                source_mtime_ns=known.source_mtime_ns,
            )
        )

    def _may_have_changed(self, wanted: NamedDocument, known: KnownDocument) -> bool:
        """Whether to request a document that is on disk."""
        if wanted.ref.method == "FILE":
            return True
        if wanted.ref.version_hint and wanted.ref.version_hint != known.version_hint:
            return True
        before = self.asked.get(wanted.identity)
        asked_at = before.asked_at if before else known.fetched_at
        due = self._is_due(wanted.identity, wanted.meeting.day, asked_at)
        return due and not wanted.ref.version_hint

    def _is_due(self, identity: str, day: date | None, asked_at: datetime | None) -> bool:
        """Whether to ask again for what was asked for: the older its meeting, the less often.

        What was asked for by a fetch that was cut off is not asked for again by the one that goes
        on.
        """
        if self.cut_off_at and asked_at and asked_at >= self.cut_off_at:
            return False
        recent = Window(self.now.date() - LOOK_BACK, self.now.date() + LOOK_AHEAD)
        if day is None or asked_at is None or recent.covers(day):
            return True
        age = self.now.date() - day
        interval = next(often for oldest, often in ASK_AGAIN if age <= oldest)
        # Not all of a year's documents on one day.
        spread = int(hashlib.sha256(identity.encode()).hexdigest()[:4], 16) / 0xFFFF
        return self.now - asked_at >= interval * (0.75 + spread / 2)

    def _download(
        self, wanted: NamedDocument, known: KnownDocument | None, part: Path
    ) -> FetchedDocument | None:
        """Return the record of the bytes now in the part, or None if they are those on disk."""
        # What is stored can be read while this one is waited for.
        self.manifest.commit_stored()
        download = self.fetcher.client.download(
            wanted.ref.request_url or wanted.ref.url,
            part,
            method=wanted.ref.method,
            body=wanted.ref.body,
            validators=Validators(known.etag or "", known.last_modified or "") if known else None,
            max_bytes=self.max_bytes,
        )
        if download is None:
            return None
        if download.bytes == 0:
            raise EmptyDocument("the response is empty (0 bytes)")
        found = format_of(part)
        if found is Format.HTML:
            if urlsplit(wanted.ref.url).path.lower().endswith(".pdf"):
                raise UnreadablePdf("the address ends in .pdf, but an HTML page was returned")
            if wanted.ref.format != "html" and not is_meeting_page(part.read_bytes()):
                raise NotWanted(f"not a PDF but {download.format}")
            if known and self._says_the_same(known, part):
                return None
        elif found in (Format.RTF, Format.DOC):
            raise refusal(found)
        elif found is Format.UNKNOWN:
            raise NotWanted(f"not a PDF but {download.format}")
        return replace(
            self._record_of(wanted, download.sha256, download.bytes),
            etag=download.validators.etag,
            last_modified=download.validators.last_modified,
        )

    def _says_the_same(self, known: KnownDocument, part: Path) -> bool:
        """Whether a web page has the words it had: its markup differs each time it is made."""
        if known.document.is_pdf:
            return False
        try:
            with self.files.pdf(known.document, known.pdf_sha256 or "") as path:
                before = path.read_bytes()
        except (OSError, ObjectLost):
            return False
        return words_of_page(before) == words_of_page(part.read_bytes())

    def _copy(
        self, wanted: NamedDocument, known: KnownDocument | None, part: Path
    ) -> FetchedDocument | None:
        """Return the record of the bytes now in the part, or None if they are those on disk."""
        source = path_of_file_url(wanted.ref.url)
        try:
            before = source.stat()
            facts = (before.st_size, before.st_mtime_ns)
            marked = looks_of_file(before, may_link=self.may_link)
            if known and marked == (known.source_bytes, known.source_mtime_ns, known.version_hint):
                return None
            check_file(source, before, self.max_bytes)
            sha256 = copy_file(source, part, may_link=self.may_link)
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
            version_hint=wanted.ref.version_hint or looks_of_file(after, may_link=self.may_link)[2],
        )

    def _record_of(self, wanted: NamedDocument, sha256: str, size: int) -> FetchedDocument:
        meeting, ref = wanted.meeting, wanted.ref
        # A packet that is fetched instead of an agenda is the agenda.
        kind = LISTED_KINDS[ref.kind]
        if ref.attachment:
            kind = "other"
        elif self.fetcher.settings.packets and naming.is_packet(ref.title):
            kind = "packet"
        # What the source says of a document; a path in a folder says nothing by itself.
        said: dict[str, Any] = {
            "kind": kind,
            "body": _storable(self.gate.name(meeting.body)),
            "date": meeting.day,
            "title": _storable(self.gate.name(meeting.title or ref.title)),
        }
        return FetchedDocument(
            name=wanted.document.name,
            identity=wanted.identity,
            **said | dict.fromkeys(meeting.guessed & said.keys()),
            file_name=_storable(unquote(urlsplit(ref.url).path).rpartition("/")[2]),
            sequence=wanted.sequence,
            source_url=ref.url,
            pdf_sha256=sha256,
            bytes=size,
            version_hint=ref.version_hint,
            fetched_at=self.now,
        )

    def _store(
        self,
        wanted: NamedDocument,
        known: KnownDocument | None,
        arrived: FetchedDocument,
        part: Path,
    ) -> None:
        """Move the bytes in under the document's name, and record where they came from."""
        document, pdf = wanted.document, wanted.document.pdf(self.folder)
        replaced = self.missing.pop(document, None)
        former = None
        if known and known.document != document:
            # Its former name contained a secret, or it has another format now.
            former = known.document
        elif wanted.ref.method == "FILE" and not known and not replaced:
            # A file whose path vanished was renamed.  It stays filed as it is, so that its pages
            # keep their addresses and annotations.  Portals are not trusted so far: they show the
            # same notice for many meetings.
            for old, row in sorted(self.missing.items()):
                if row.pdf_sha256 == arrived.pdf_sha256:
                    self.missing.pop(old)
                    self.manifest.record(replace(arrived, name=old.name, sequence=row.sequence))
                    self.report.moved.append(old.name)
                    return
        before = known or replaced
        with storage_errors(self.folder):
            if before and before.pdf_sha256 and before.pdf_sha256 != arrived.pdf_sha256:
                self._keep_version(document, before.pdf_sha256)
                self.manifest.forget_bytes(before.name)
            elif not before and pdf.exists():
                on_disk = storage.sha256_of(pdf)
                if on_disk != arrived.pdf_sha256:
                    self._keep_version(document, on_disk)
            pdf.parent.mkdir(parents=True, exist_ok=True)
            part.replace(pdf)
        self.files.keep_pdf(document, arrived.pdf_sha256 or "")
        if former:
            self._leave_name(former, document)
            self.missing.pop(former, None)
            self.manifest.record(replace(arrived, former_name=former.name))
            self.report.moved.append(document.name)
            return
        self.manifest.record(arrived)
        if before is None:
            self.report.new.append(document.name)
        elif arrived.pdf_sha256 != before.pdf_sha256:
            self.report.changed.append(document.name)
        else:
            self.report.unchanged.append(document.name)

    def _keep_version(self, document: Document, sha256: str) -> None:
        """Keep the bytes that are about to be replaced, under their hash, whole or not at all.

        Their text is kept with them, so that it can be searched; it says of which bytes it is.  A
        store has the bytes already, under that hash.
        """
        pdf, text = document.pdf(self.folder), document.text(self.folder)
        former_text = storage.former_text(self.folder, sha256)
        if text.is_dir() and not former_text.exists():
            with storage.written_whole(former_text) as part:
                part.write_bytes(zlib.compress(pack_text(text)))
        kept = storage.former_version(self.folder, sha256)
        if kept.exists() or self.files.store is not None or not pdf.exists():
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
            storage.extracted_file(self.folder, former).unlink(missing_ok=True)
            former_pdf.unlink(missing_ok=True)
        for parent in (text.parent, former_pdf.parent):
            with contextlib.suppress(OSError):
                parent.rmdir()


def _storable(text: str) -> str | None:
    """Return a text of the source as a database takes it; None for an empty one."""
    return text.encode("utf-8", "replace").decode().replace("\0", "") or None


def proposed_name(meeting: MeetingRef, ref: DocumentRef, gate: Gate) -> Document:
    """Return what a document would be called if it were the only one of that name.

    The name is public: secrets in the texts of the source are left out of it.
    """
    body = naming.safe_component(gate.name(meeting.body), naming.UNNAMED_BODY)
    if meeting.day:
        return Document(ref.kind, body, meeting.day.isoformat())
    title = naming.safe_component(
        gate.name(meeting.title or ref.title or ref.url.rsplit("/", 1)[-1])
    )
    if title.endswith(storage.OTHER_FORMATS):
        title = Path(title).stem
    return Document(ref.kind, body, title)
