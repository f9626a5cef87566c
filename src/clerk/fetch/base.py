"""What fetchers are written with: what a source offers, what a fetch reports, how to register one.

A fetcher only *yields* what a source has; HTTP, hashing, checking, naming and storing are done in
:mod:`clerk.fetch.store`, once for all of them.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from clerk.core.errors import SourceUnavailable
from clerk.core.site_extra import SiteRow
from clerk.core.storage import AGENDAS, KINDS, MINUTES

from .http import DEFAULT_PACE_SECONDS

LOG = logging.getLogger(__name__)

if TYPE_CHECKING:
    from .http.client import Client

#: Parameters that name a session or defeat caches, not a document.
_SESSION_PARAMETERS = frozenset(
    ("handle", "sessionid", "jsessionid", "sid", "phpsessid", "_", "cachebuster", "splitscreen")
)


#: What a fetcher may call a kind of document -> what clerk calls it.
KIND_WORDS = {kind: kind for kind in KINDS} | {"agenda": AGENDAS, "minute": MINUTES}


#: What clerk calls a kind of document -> what the manifest calls it.
LISTED_KINDS = {MINUTES: "minutes", AGENDAS: "agenda"}


@dataclass(frozen=True)
class Window:
    """The days a listing covers, both included; ``full`` if it reaches back to the beginning."""

    start: date
    end: date
    full: bool = False

    def covers(self, day: date | None) -> bool:
        """Whether a meeting of that day must be in the listing; undated ones always must."""
        return day is None or self.start <= day <= self.end

    @property
    def years(self) -> range:
        """The years it touches, the latest first."""
        return range(self.end.year, self.start.year - 1, -1)


@dataclass(frozen=True)
class DocumentRef:
    """A document that a source offers, and how to request it.

    ``kind`` is ``minutes`` or ``agendas`` (``agenda`` is understood too).  ``method`` is GET, POST,
    or FILE for a file URL on this machine; ``body`` is the form of a POST, and ``request_url``
    where it is sent if ``url`` is only what a person can open.  ``version_hint`` changes when the
    bytes do, if the source has such a value; an equal one saves the request.  ``format`` is
    ``html`` if the document is a page, and empty if it is a PDF or nobody knows.  An
    ``attachment`` is neither minutes nor agenda, but a report or another paper of the meeting; it
    is filed with the agendas.
    """

    kind: str
    url: str
    vendor_id: str = ""
    title: str = ""
    method: str = "GET"
    body: str = ""
    version_hint: str = ""
    format: str = ""
    request_url: str = ""
    attachment: bool = False

    def __post_init__(self) -> None:
        kind = KIND_WORDS.get(self.kind.strip().lower(), "")
        if not kind:
            raise ValueError(
                f"DocumentRef.kind must be {' or '.join(map(repr, KINDS))}, not {self.kind!r}"
            )
        object.__setattr__(self, "kind", kind)

    def identity(self, fetcher: str, meeting: MeetingRef) -> str:
        """Return what identifies the document, the same for all its versions."""
        which = self.vendor_id or canonical_url(self.url)
        return f"{meeting.identity(fetcher)}|{self.kind}|{which}"


@dataclass(frozen=True)
class MeetingRef:
    """A meeting that a source lists; ``documents`` are those known from the listing itself.

    ``guessed`` names what nobody says (kind, body, date, title) and only a path suggests: the
    documents are filed by it, and what they are is found out when they are read.
    """

    vendor_id: str = ""
    body: str = ""
    title: str = ""
    start_local: datetime | None = None
    tz: str = ""
    status: str = ""
    source_url: str = ""
    documents: tuple[DocumentRef, ...] = ()
    guessed: frozenset[str] = frozenset()

    @property
    def day(self) -> date | None:
        """The day it takes place, if that is known."""
        return self.start_local.date() if self.start_local else None

    def identity(self, fetcher: str) -> str:
        """Return what identifies the meeting in all fetches: its id, else body, time and title."""
        if self.vendor_id:
            return f"{fetcher}:{self.vendor_id}"
        facts = "\0".join((self.body, str(self.start_local), self.title))
        return f"{fetcher}:#{hashlib.sha256(facts.encode('utf-8', 'replace')).hexdigest()[:24]}"


@dataclass(frozen=True)
class Gap:
    """Something that ought to be there and is not: a meeting without minutes, an unread page."""

    meeting: str
    date: str
    reason: str
    source_url: str = ""


@dataclass(frozen=True)
class Problem:
    """One thing of the source that was not stored, by name, and why."""

    what: str
    why: str
    error: str = ""
    url: str = ""


#: The error of a document that was skipped because nobody knows its date.
UNDATED = "Undated"


@dataclass
class FetchReport:
    """What one fetch found and did; documents by name, ``skipped`` is nothing clerk reads."""

    fetcher: str = ""
    meetings: int = 0
    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    #: Documents that had another name before.
    moved: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)
    #: Documents that failed before and are not asked for yet.
    postponed: list[Problem] = field(default_factory=list)
    #: Documents and meetings that are left for the next run, because time was up.
    left: int = 0
    #: Whether the source could be listed to its end.
    complete: bool = True
    #: Whether the fetcher writes files itself, under names of its own.
    names_files: bool = False

    @property
    def documents(self) -> int:
        """How many documents the source offers that are on disk now."""
        return len(self.new) + len(self.changed) + len(self.moved) + len(self.unchanged)


class Permission(msgspec.Struct, kw_only=True):
    """A permission to fetch a site whose robots.txt refuses; also in the audit log."""

    granted_by: str
    reason: str
    recorded_at: str
    recorded_by: str = ""


class SourceSettings(msgspec.Struct, kw_only=True):
    """What every fetcher understands in a site's ``extra``."""

    #: The folder, list or portal.
    source: str = ""
    #: Also fetch agenda packets; they are large and repeat the agenda.
    packets: bool = False
    #: Also fetch what is attached to meetings, as reports and presentations; there is much of it.
    attachments: bool = False
    #: Only bodies whose name contains one of these.
    bodies: tuple[str, ...] = ()
    #: Time zone of the meetings, as in America/Chicago.
    tz: str = ""
    #: Of older versions: web pages are documents now.
    keep_html: bool = False
    #: Whether it is right that the source lists far fewer documents than before.
    accept_fewer: bool = False
    #: Who allowed clerk to fetch although robots.txt refuses, when and why.
    permission: Permission | None = None

    def check(self) -> None:
        """Raise BadSetting for what cannot be used, before a site is stored."""


@dataclass(frozen=True)
class Context:
    """What a fetcher works with."""

    site: SiteRow
    settings: SourceSettings
    open_client: Callable[[], Client]
    report: FetchReport
    today: date = field(default_factory=lambda: datetime.now(UTC).date())


class Fetcher:
    """Lists what one source has.  It reads pages through ``self.client`` and writes nothing."""

    settings: SourceSettings
    #: Of a folder: what each file that was fetched before looked like, by its id.  A file that
    #: looks the same need not be listed: its id is added to ``passed_over``.
    known_files: Mapping[str, str] = {}

    def __init__(self, context: Context) -> None:
        self.passed_over: list[str] = []
        self.site = context.site
        self.settings = context.settings
        self.report = context.report
        self.today = context.today
        self._open_client = context.open_client

    @cached_property
    def client(self) -> Client:
        """The HTTP client, opened when it is first used; closed by clerk."""
        return self._open_client()

    @property
    def asks_each_meeting(self) -> bool:
        """Whether the documents of each meeting are asked for, after the meetings are listed."""
        return type(self).list_documents is not Fetcher.list_documents

    def list_meetings(self, window: Window) -> Iterator[MeetingRef | Gap]:
        """Yield the meetings of the window; an error ends the listing and marks it incomplete."""
        raise NotImplementedError

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the documents of a meeting; an error concerns this meeting only."""
        yield from meeting.documents

    def skip(self, what: str, why: str, url: str = "") -> None:
        """Record something that is offered and not wanted."""
        self.report.skipped.append(Problem(what, why, url=url))


@dataclass(frozen=True)
class FetcherSpec:
    """A fetcher as a plugin offers it.

    ``document_links`` are regular expressions for the addresses of the platform's documents: what a
    page has of them is counted and compared with what was listed.  ``page_marks`` are regular
    expressions for the HTML of its pages, on whatever host.

    ``hosts`` are host names whose subdomains belong to the platform and share its pace, in seconds
    between two requests.  ``url_patterns`` are further regular expressions looked for in a source's
    URL, and in the frames and links of a town's page.  ``lists_all`` means that each listing is
    complete, whatever the window; ``finds_gaps`` that a past meeting without minutes is a gap.
    """

    id: str
    factory: Callable[[Context], Fetcher]
    hosts: tuple[str, ...] = ()
    url_patterns: tuple[str, ...] = ()
    settings: type[SourceSettings] = SourceSettings
    pace: float = DEFAULT_PACE_SECONDS
    help: str = ""
    #: What of such a source is not fetched, for the public page about coverage.
    missing: str = ""
    lists_all: bool = False
    finds_gaps: bool = True
    document_links: tuple[str, ...] = ()
    page_marks: tuple[str, ...] = ()
    #: Its marks are on every page of a town's site, also on those that list nothing.
    marks_whole_site: bool = False

    def recognises(self, markup: str) -> bool:
        """Whether a page is one of this platform's, whatever host serves it."""
        return any(re.search(mark, markup, re.IGNORECASE) for mark in self.page_marks)

    def matches(self, url: str) -> bool:
        """Whether a URL looks like one of this fetcher's sources.

        A vendor's own site does not: it is linked in the footer of every town's page.
        """
        try:
            host = (urlsplit(url).hostname or "").rstrip(".")
        except ValueError:
            host = ""
        for vendor in self.hosts:
            if vendor.count(".") > 1 and host == vendor:
                return True
            if host.endswith(f".{vendor}") and host != f"www.{vendor}":
                return True
        return any(re.search(pattern, url, re.IGNORECASE) for pattern in self.url_patterns)


def canonical_url(url: str) -> str:
    """Return the URL without what names a session."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    kept = [
        (key, value)
        for key, value in parse_qsl(parts.query, keep_blank_values=True)
        if key.lower() not in _SESSION_PARAMETERS and not key.lower().startswith("utm_")
    ]
    return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path, urlencode(kept), ""))


def plugin_failure(spec: FetcherSpec, error: Exception) -> SourceUnavailable:
    """Return what to raise for an error in a fetcher's own code, and log where it happened."""
    where = getattr(spec.factory, "__module__", "")
    LOG.error("The fetcher %s of %s failed", spec.id, where, exc_info=error)
    return SourceUnavailable(
        f"The fetcher {spec.id!r} of {where} failed: {error!r}.",
        hint="The log has its traceback.",
    )
