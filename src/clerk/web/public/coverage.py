"""What is held of every place and what is missing."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from clerk.core import errors
from clerk.core.clock import utc_now
from clerk.core.errors import NotFound
from clerk.core.language import Message
from clerk.core.public_text import Gate, PublicText
from clerk.core.states import OCR
from clerk.fetch.discover import registered
from clerk.ops import activity, counts
from clerk.ops.health import broken_fetchers
from clerk.pipeline import failures
from clerk.search import listing
from clerk.site_db.queries import open_site
from clerk.web.rendering import gate_of, page, settings_of

from .places import CoverageGrid, filter_places

#: At most this many missing or failed documents are named; the rest is counted.
NAMED = 200


@dataclass(frozen=True)
class PlaceCoverage:
    """How much of a place is held."""

    subdomain: str
    name: str
    outcome: str
    documents: int | None
    read: int | None
    failed: int | None
    updated_at: datetime | None
    #: The kind of source it is fetched from.
    fetcher: str | None = None


@dataclass(frozen=True)
class Unread:
    """A document that could not be read, or several without a name, as anybody may see it."""

    document: PublicText
    documents: int
    #: The name of an error that is about documents, or nothing.
    kind: str

    @classmethod
    def of(cls, failure: failures.Failure, gate: Gate) -> Unread:
        """Make one of a failure, without the words of its error, which are for operators."""
        error = getattr(errors, failure.kind, None)
        explains = isinstance(error, type) and issubclass(error, errors.DocumentError)
        name = failure.file or failure.document
        return cls(gate(name), failure.documents, failure.kind if explains else "")


def all_places(request: Request) -> Response:
    """Show for every place how much is held, what failed and when it was last checked."""
    held = {place.subdomain: place for place in listing.places(settings_of(request).storage_dir)}
    rows = []
    for site in activity.list_sites():
        counters = (site.outcome, site.documents, site.read, site.failed)
        name = site.name or site.subdomain
        rows.append(PlaceCoverage(site.subdomain, name, *counters, site.updated_at, site.scraper))
    followed = {row.subdomain for row in rows}
    for place in held.values():
        if place.subdomain not in followed:
            documents = place.documents
            outcome = "no longer followed"
            row = (place.subdomain, place.name or place.subdomain, outcome, documents, documents)
            rows.append(PlaceCoverage(*row, failed=0, updated_at=None))
    rows.sort(key=lambda row: row.name.lower())
    shown = filter_places(request, rows, lambda row: row.name)
    return page(
        request,
        "public/coverage.html",
        listing=shown,
        held=held,
        broken=broken_fetchers(counts.failing_fetches()),
    )


def of_place(request: Request) -> Response:
    """Show what is missing of a place: years, minutes, pages, documents."""
    subdomain = request.path_params["site"]
    followed = activity.find_site(subdomain)
    name = (followed or {}).get("name") or subdomain
    grid = CoverageGrid.of([])
    lacking: Sequence[object] = ()
    unread_pages: Sequence[object] = ()
    with (
        contextlib.suppress(NotFound),
        open_site(settings_of(request).storage_dir, subdomain) as site,
    ):
        name = site.name
        grid = CoverageGrid.of(site.coverage())
        # Nobody has written the minutes of a meeting that is still to come.
        lacking = site.without_minutes(utc_now().date().isoformat())
        unread_pages = site.with_unread_pages()
    if not followed and not grid.rows:
        raise NotFound(Message("There is no site %(name)s.", name=repr(subdomain)))
    failed = failures.find(failures.Filter(site=subdomain, stage=OCR)) if followed else []
    return page(
        request,
        "public/coverage_place.html",
        site=subdomain,
        name=name,
        followed=followed,
        failed=[Unread.of(each, gate_of(request)) for each in failed],
        named=NAMED,
        portal=registered().get((followed or {}).get("scraper") or ""),
        broken=[
            each
            for each in broken_fetchers(counts.failing_fetches())
            if subdomain in each.failed_sites
        ],
        grid=grid,
        lacking=lacking,
        unread_pages=unread_pages,
    )
