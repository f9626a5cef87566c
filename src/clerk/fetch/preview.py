"""What a source offers, listed and not stored: for ``clerk site add`` and ``clerk fetch-test``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from clerk.core.errors import ClerkError, SourceUnavailable, TransientError
from clerk.core.site_extra import SiteRow

from .base import (
    Context,
    FetcherSpec,
    FetchReport,
    Gap,
    Problem,
    Window,
    canonical_url,
    plugin_failure,
)
from .discover import source_settings
from .http.responses import CircuitOpen
from .understanding import EnoughPages, PagesRead

if TYPE_CHECKING:
    from .http.client import Client


@dataclass(frozen=True)
class OfferedDocument:
    """A document with what its meeting says about it; no body if it does not say whose it is."""

    url: str
    kind: str
    day: date | None
    body: str
    title: str
    format: str = ""


@dataclass
class Preview:
    """What one listing of a source found."""

    scraper: str
    source: str
    meetings: int = 0
    documents: list[OfferedDocument] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)
    pages: int = 0
    #: Whether it read as many pages as it may; there is more.
    stopped_early: bool = False

    @property
    def days(self) -> tuple[date, date] | None:
        """The oldest and the newest day of a meeting with documents."""
        days = [each.day for each in self.documents if each.day]
        return (min(days), max(days)) if days else None


def list_source(
    spec: FetcherSpec,
    site: SiteRow,
    client: Client | None,
    window: Window,
    *,
    most_pages: int = 0,
) -> Preview:
    """List a source with a fetcher and store nothing; read at most so many pages, or all.

    An error after the first meeting ends the listing and is in the preview; one before is raised,
    as is a page that was not understood.
    """
    report = FetchReport(spec.id)
    settings = source_settings(site, spec)
    pages = PagesRead(spec, most_pages)

    def opened() -> Client:
        if client is None:
            raise SourceUnavailable(f"{settings.source} is not on this machine.")
        client.on_page = pages.read
        return client

    fetcher = spec.factory(Context(site, settings, opened, report))
    preview = Preview(spec.id, settings.source, skipped=report.skipped, errors=report.errors)
    meetings: set[str] = set()
    documents: set[str] = set()
    try:
        for meeting in fetcher.list_meetings(window):
            if isinstance(meeting, Gap):
                continue
            try:
                offered = list(fetcher.list_documents(meeting))
            except CircuitOpen:
                raise
            except TransientError as error:
                meetings.add(meeting.identity(spec.id))
                report.errors.append(Problem(meeting.title, str(error), type(error).__name__))
                continue
            is_link = meeting.day and meeting.vendor_id in (
                canonical_url(ref.url) for ref in offered
            )
            # A page that links documents lists them one by one: two may be of the same meeting.
            which = f"{meeting.body} {meeting.day}" if is_link else meeting.identity(spec.id)
            meetings.add(which)
            for ref in offered:
                identity = ref.identity(spec.id, meeting)
                if identity not in documents:
                    documents.add(identity)
                    preview.documents.append(
                        OfferedDocument(
                            ref.url,
                            ref.kind,
                            meeting.day,
                            "" if "body" in meeting.guessed else meeting.body,
                            meeting.title or ref.title,
                            ref.format,
                        )
                    )
    except EnoughPages:
        preview.stopped_early = True
    except TransientError as error:
        if not meetings:
            raise
        report.errors.append(Problem(settings.source, str(error), type(error).__name__))
    except ClerkError:
        raise
    except Exception as error:
        # A plugin may raise anything: it is named, and its traceback is in the log.
        raise plugin_failure(spec, error) from error
    preview.meetings = report.meetings = len(meetings)
    preview.pages = pages.pages
    if not preview.stopped_early:
        pages.check(len(preview.documents), len(meetings), report)
    return preview
