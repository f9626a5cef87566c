"""Fetchers of the older kind, which write into a site's folder themselves."""

from __future__ import annotations

from datetime import UTC, date, datetime

from clerk.core import storage
from clerk.core.errors import ClerkError, SourceUnavailable
from clerk.core.fetch_memory import SiteManifest
from clerk.core.files import SiteFiles
from clerk.core.manifest import FetchedDocument
from clerk.core.site_extra import SiteRow
from clerk.core.storage import Document

from .base import LISTED_KINDS, FetchReport
from .discover import LegacyFetcher


def run_legacy_fetcher(
    legacy: LegacyFetcher, site: SiteRow, files: SiteFiles, manifest: SiteManifest
) -> FetchReport:
    """Let it fetch into the folder, and record how the folder differs from the manifest."""
    try:
        legacy.fetcher_class(dict(site), **legacy.extra).fetch_events()
    except ClerkError:
        raise
    except Exception as error:
        raise SourceUnavailable(f"The fetcher {legacy.label!r} failed: {error!r}.") from error
    report = FetchReport(legacy.label, names_files=True)
    known = {row.name: row for row in manifest.known_documents() if row.pdf_sha256}
    now = datetime.now(UTC)
    with manifest:
        for document in storage.pdf_documents(files.folder):
            before = known.pop(document.name, None)
            try:
                facts = document.pdf(files.folder).stat()
            except FileNotFoundError:
                # The cache has made room for one that came before.
                continue
            looks = (facts.st_size, facts.st_mtime_ns)
            if before and looks == (before.source_bytes, before.source_mtime_ns):
                report.unchanged.append(document.name)
                manifest.record_unchanged(document.name)
                continue
            sha256 = storage.sha256_of(document.pdf(files.folder))
            files.keep_pdf(document, sha256)
            manifest.record(
                FetchedDocument(
                    name=document.name,
                    identity=before.identity if before else None,
                    kind=LISTED_KINDS[document.kind],
                    body=document.meeting,
                    date=_day_of(document),
                    pdf_sha256=sha256,
                    bytes=facts.st_size,
                    source_bytes=facts.st_size,
                    source_mtime_ns=facts.st_mtime_ns,
                    fetched_at=now,
                )
            )
            if before is None:
                report.new.append(document.name)
            elif before.pdf_sha256 != sha256:
                report.changed.append(document.name)
            else:
                report.unchanged.append(document.name)
        if files.store is None:
            # A folder that is a cache lacks most of what is known.
            report.gone = sorted(known)
            manifest.mark_gone(report.gone)
    names = (*report.new, *report.changed, *report.unchanged)
    report.meetings = len({name.partition("/")[2] for name in names})
    return report


def _day_of(document: Document) -> date | None:
    """Return the day in the name of a document, if there is one."""
    try:
        return date.fromisoformat(document.date[:10])
    except ValueError:
        return None
