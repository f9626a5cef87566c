"""Getting documents: the words fetchers speak, and the one function that fetches a site.

A fetcher only *yields* what a source has; HTTP, hashing, checking, naming and storing are done
here, once, for all of them::

    site's ``scraper`` label -> FetcherSpec -> Fetcher.list_meetings / list_documents
                                                 |
    pdfs/{meeting}/{date}.pdf  <- rename <- _clerk/incoming/  <- copied or downloaded, hashed
    _clerk/sources.db          <- where each came from, its hash, its versions, whether it is gone
    _clerk/versions/           <- the bytes a document had before

A source that had documents and lists none any more has failed: it raises, it never reports zero.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol
from urllib.parse import urlsplit

import msgspec
from msgspec import structs

from clerk.core import plugins, storage
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.errors import (
    BadSetting,
    ClerkError,
    InvalidInput,
    SourceUnavailable,
    UnknownPlugin,
)

if TYPE_CHECKING:
    from .http import Client

#: Seconds between two requests to one host, where a fetcher does not say otherwise.
DEFAULT_PACE = 2.7
#: What is looked at in every run, around today.  Older meetings are listed once a week.
LOOK_BACK, LOOK_AHEAD = timedelta(days=90), timedelta(days=60)
#: Where a full sweep begins if the site names no year.
EARLIEST = date(2000, 1, 1)

#: Called with documents done, documents in all, and the name of the one in hand.
OnProgress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Window:
    """The days a listing covers, both included."""

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
    """A document that a source offers, and how to ask for it.

    ``method`` is GET, POST, or FILE for a file URL on this machine.  ``version_hint`` changes when
    the bytes do, if the source tells; an equal one spares the request.
    """

    kind: str
    url: str
    vendor_id: str = ""
    title: str = ""
    method: str = "GET"
    body: str = ""
    version_hint: str = ""
    mime_hint: str = ""
    size_hint: int | None = None


@dataclass(frozen=True)
class MeetingRef:
    """A meeting that a source lists; ``documents`` are those known from the listing itself."""

    vendor_id: str = ""
    body: str = ""
    title: str = ""
    start_local: datetime | None = None
    tz: str = ""
    status: str = ""
    source_url: str = ""
    documents: tuple[DocumentRef, ...] = ()

    @property
    def day(self) -> date | None:
        """The day it takes place, if that is known."""
        return self.start_local.date() if self.start_local else None


@dataclass(frozen=True)
class Gap:
    """Something that ought to be there and is not: a meeting without minutes, an unread page."""

    meeting: str
    date: str
    reason: str
    source_url: str = ""


@dataclass(frozen=True)
class Problem:
    """One thing of the source that was not taken, by name, and why."""

    what: str
    why: str
    error: str = ""


@dataclass
class FetchReport:
    """What one fetch found and did.  ``errors`` are failures; ``skipped`` is nothing to be read."""

    fetcher: str = ""
    meetings: int = 0
    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    #: Documents that were here under another name.
    moved: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)
    pages_read: int = 0
    #: Whether the source could be listed to its end.
    complete: bool = True

    @property
    def documents(self) -> int:
        """How many documents the source offers that lie on disk now."""
        return len(self.new) + len(self.changed) + len(self.moved) + len(self.unchanged)

    def as_dict(self) -> dict[str, Any]:
        """Return it in plain values, for a ledger, a queue or JSON."""
        return {**asdict(self), "documents": self.documents}


@dataclass(frozen=True)
class HeldDocument:
    """A PDF that lies on disk below a site, whoever put it there.

    ``sha256`` is empty if it cannot be read, ``gone_at`` if the source offers it still.
    """

    name: str
    bytes: int
    sha256: str
    source_url: str = ""
    fetched_at: str = ""
    gone_at: str = ""


class SourceSettings(msgspec.Struct, kw_only=True):
    """What every fetcher understands in a site's ``extra``."""

    #: The folder, list or portal.
    source: str = ""
    #: Agendas with all attachments are large and repeat the agenda.
    packets: bool = False
    #: Only bodies whose name contains one of these.
    bodies: tuple[str, ...] = ()
    #: Time zone of the meetings, as in America/Chicago.
    tz: str = ""

    def check(self) -> None:
        """Raise BadSetting for what cannot be used, before a site is written down."""


@dataclass(frozen=True)
class Context:
    """What a fetcher works with."""

    site: Mapping[str, Any]
    settings: Any
    client: Client
    report: FetchReport


class Fetcher:
    """Lists what one source has.  It reads pages through ``self.client`` and writes nothing."""

    def __init__(self, context: Context) -> None:
        self.site = context.site
        self.settings = context.settings
        self.client = context.client
        self.report = context.report

    def list_meetings(self, window: Window) -> Iterator[MeetingRef | Gap]:
        """Yield the meetings of the window; an error ends the listing and marks it incomplete."""
        raise NotImplementedError

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the documents of a meeting; an error concerns this meeting only."""
        yield from meeting.documents

    def skip(self, what: str, why: str) -> None:
        """Record something that is offered and not wanted."""
        self.report.skipped.append(Problem(what, why))


@dataclass(frozen=True)
class FetcherSpec:
    """A fetcher as a plugin offers it.

    ``hosts`` are host names whose subdomains belong to the platform and share its pace.
    ``url_patterns`` are further regular expressions looked for in a source's URL, and in the
    frames and links of a town's page.  ``lists_all`` means that each listing is complete, whatever
    the window; ``finds_gaps`` that a past meeting without minutes is a gap.
    """

    id: str
    factory: Callable[[Context], Fetcher]
    hosts: tuple[str, ...] = ()
    url_patterns: tuple[str, ...] = ()
    settings: type[msgspec.Struct] = SourceSettings
    pace: float = DEFAULT_PACE
    help: str = ""
    lists_all: bool = False
    finds_gaps: bool = True

    def matches(self, url: str) -> bool:
        """Whether a URL looks like one of this fetcher's sources."""
        if any(_is_portal_of(_host(url), vendor) for vendor in self.hosts):
            return True
        return any(re.search(pattern, url, re.IGNORECASE) for pattern in self.url_patterns)


class OldFetcherClass(Protocol):
    """What the hook ``fetcher_class`` returns: it writes PDFs into the site's folder itself."""

    def __call__(self, site: Mapping[str, Any], **extra: Any) -> Any: ...


@dataclass(frozen=True)
class OldFetcher:
    """A fetcher of the older kind: told to fetch, and judged by what lies on disk afterwards."""

    label: str
    fetcher_class: OldFetcherClass
    extra: Mapping[str, Any]

    def fetch(self, site: Mapping[str, Any], folder: Path) -> FetchReport:
        """Run it and report what it added, changed and left."""
        before = {held.name: held.sha256 for held in held_documents(folder)}
        try:
            self.fetcher_class(dict(site), **self.extra).fetch_events()
        except ClerkError:
            raise
        except Exception as error:
            raise SourceUnavailable(f"The fetcher {self.label!r} failed: {error!r}.") from error
        return self._compare(before, held_documents(folder))

    def _compare(self, before: Mapping[str, str], after: list[HeldDocument]) -> FetchReport:
        report = FetchReport(self.label)
        for held in after:
            if held.name not in before:
                report.new.append(held.name)
            elif held.sha256 != before[held.name]:
                report.changed.append(held.name)
            else:
                report.unchanged.append(held.name)
        report.gone = sorted(before.keys() - {held.name for held in after})
        report.meetings = len({held.name.partition("/")[2] for held in after})
        return report


def registered() -> dict[str, FetcherSpec]:
    """Return the fetchers of all plugins by id; a plugin's own comes before clerk's."""
    specs: dict[str, FetcherSpec] = {}
    for offered in plugins.manager().hook.register_fetchers():
        for spec in offered:
            specs.setdefault(spec.id, spec)
    return specs


def find_fetcher(site: Mapping[str, Any]) -> FetcherSpec | OldFetcher:
    """Return the fetcher that a site asks for by its ``scraper`` label."""
    label = str(site.get("scraper") or "")
    specs = registered()
    if label in specs:
        return specs[label]
    hook = plugins.manager().hook
    if label and (found := hook.fetcher_class(label=label)):
        return OldFetcher(label, found, hook.fetcher_extra(label=label) or {})
    raise UnknownPlugin(
        f"There is no fetcher {label!r}, which the site {site.get('subdomain')} asks for.",
        hint=f"Fetchers: {', '.join(sorted(specs))}. Change it with: clerk site edit.",
    )


def detect(source: str, html: str = "") -> str:
    """Return the id of the fetcher for a folder, a list or a URL, without asking the network.

    ``html`` is the page behind a town's own URL; what it frames or links decides.
    """
    return _detect(source, html)[0]


def discover(source: str, settings: Settings, *, client: Client | None = None) -> tuple[str, str]:
    """Return the fetcher's id and the source to give it, looking at the page if need be.

    A town's page that frames a portal is answered with the portal's own URL.
    """
    found, where = _detect(source, "")
    if found in ("plain", "urls") and "://" in source:
        _check_address(source)
    if found != "plain" or not _is_url(source):
        return found, where
    from .http import Client

    with client or Client.from_settings(settings) as reader:
        return _detect(source, reader.page(source).text)


def _check_address(url: str) -> None:
    if not re.match(r"https?://[^/\s]", url, re.IGNORECASE):
        raise InvalidInput(
            f"{url!r} is not an http or https address.",
            hint="Give a portal's address as in https://springfield.example/minutes, or a folder.",
        )


def _detect(source: str, html: str) -> tuple[str, str]:
    if not _is_url(source):
        return ("folder" if Path(source).is_dir() else "urls"), source
    specs = registered().values()
    for spec in specs:
        if spec.matches(source):
            return spec.id, source
    for url in _frames_and_links(source, html):
        for spec in specs:
            if spec.hosts and spec.matches(url):
                return spec.id, url
    return "plain", source


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_portal_of(host: str, vendor: str) -> bool:
    """Whether a host is a town's at a vendor; the vendor's own site is linked in every footer."""
    if vendor.count(".") > 1 and host == vendor:
        return True
    return host.endswith(f".{vendor}") and host != f"www.{vendor}"


def _frames_and_links(base: str, html: str) -> list[str]:
    if not html:
        return []
    from . import html as pages

    return pages.frames_and_links(base, html)


def _is_url(source: str) -> bool:
    return bool(re.match(r"https?://", source, re.IGNORECASE))


def source_settings(site: Mapping[str, Any], spec: FetcherSpec) -> Any:
    """Read a site's ``extra`` as the settings of its fetcher; refuse a wrong value by name."""
    text = site.get("extra") or "{}"
    try:
        values = json.loads(text) if isinstance(text, str) else text
        return msgspec.convert(values, spec.settings)
    except (ValueError, msgspec.ValidationError) as error:
        raise BadSetting(
            f"The settings of the site {site.get('subdomain')} do not suit its fetcher "
            f"{spec.id!r}: {error}.",
            hint=f"See them with: clerk site show {site.get('subdomain')}. "
            f"Change them with: clerk site edit {site.get('subdomain')} --set KEY=VALUE.",
        ) from error


class SiteChoices(msgspec.Struct, kw_only=True):
    """What clerk itself understands in a site's ``extra``, whatever its fetcher."""

    ocr: Literal["auto", "always", "never"] = "auto"
    ocr_backend: str = ""
    languages: tuple[str, ...] = ()
    deploy_to: str | tuple[str, ...] = ""
    page_images: bool = False


def check_choices(site: Mapping[str, Any], given: Collection[str]) -> None:
    """Refuse values in a site's ``extra`` that cannot be used, and names nobody understands.

    Only the names given now are looked at: what an older installation left is no reason to refuse.
    An older fetcher does not tell what it understands.
    """
    spec = find_fetcher(site)
    if isinstance(spec, OldFetcher):
        return
    known = [each.name for kind in (spec.settings, SiteChoices) for each in structs.fields(kind)]
    if unknown := sorted(set(given) - set(known)):
        raise InvalidInput(
            f"The fetcher {spec.id!r} has no setting {unknown[0]!r}.",
            hint=f"Settings: {', '.join(sorted(set(known) - {'source'}))}.",
        )
    try:
        source_settings(site, spec).check()
        source_settings(site, replace(spec, settings=SiteChoices))
    except BadSetting as error:
        raise InvalidInput(str(error), hint=error.hint) from error


def fetch_site(
    site: Mapping[str, Any],
    folder: Path,
    settings: Settings,
    on_progress: OnProgress | None = None,
    *,
    client: Client | None = None,
    now: datetime | None = None,
) -> FetchReport:
    """Fetch what a site's source has into its folder and report what was found.

    Safe to kill anywhere: what is on disk is whole, and the next call ends in the same state.
    Raises SourceUnavailable when the source cannot be listed or lists nothing any more,
    StorageUnusable when the folder cannot be written to.
    """
    found = find_fetcher(site)
    if isinstance(found, OldFetcher):
        return found.fetch(site, folder)
    from .http import Client
    from .store import Storing

    now = now or utc_now()
    report = FetchReport(found.id)
    wanted = source_settings(site, found)
    vendors = {host: spec.pace for spec in registered().values() for host in spec.hosts}
    polite = {"pace_seconds": found.pace, "vendors": vendors}
    with client or Client.from_settings(settings, **polite) as reader:
        fetcher = found.factory(Context(site, wanted, reader, report))
        storing = Storing(found, fetcher, folder, settings, reader, report, now)
        storing.everything(*_windows(site, now), on_progress)
        report.pages_read = reader.pages_read
    return report


def _windows(site: Mapping[str, Any], now: datetime) -> tuple[Window, Window]:
    """Return the sliding window and the full one."""
    today = now.date()
    year = site.get("start_year")
    start = date(int(year), 1, 1) if year else EARLIEST
    end = today + LOOK_AHEAD
    return Window(today - LOOK_BACK, end), Window(start, end, full=True)


def name_at_source(site: Mapping[str, Any], folder: Path, document: storage.Document) -> str:
    """Return what a document is called where it came from: a path in the folder, or a URL."""
    from .files import path_of_url, readable_name
    from .sources import Sources, sources_path

    if not sources_path(folder).is_file():
        return document.name
    with Sources(folder) as sources:
        url = sources.source_url(document)
    if not url.startswith("file:"):
        return url or document.name
    path, root = path_of_url(url), Path(_source_of(site))
    return readable_name(path.relative_to(root) if path.is_relative_to(root) else path)


def _source_of(site: Mapping[str, Any]) -> str:
    try:
        return str(json.loads(site.get("extra") or "{}").get("source") or "")
    except (ValueError, AttributeError):
        return ""


def gone_documents(folder: Path) -> list[str]:
    """Return the documents of a site that its source does not offer any more."""
    from .sources import Sources, sources_path

    if not sources_path(folder).is_file():
        return []
    with Sources(folder) as sources:
        gone = (known.document for known in sources.documents().values() if known.gone_at)
        return sorted(document.name for document in gone if document.pdf(folder).exists())


def held_documents(folder: Path) -> list[HeldDocument]:
    """Return every PDF on disk below a site, also those that no fetcher put there.

    Hashes are remembered by size and time of change, so that an unchanged folder costs one stat
    per document.
    """
    from .sources import Sources

    if not folder.is_dir():
        return []
    with Sources(folder) as sources:
        return sources.held(storage.pdf_documents(folder))
