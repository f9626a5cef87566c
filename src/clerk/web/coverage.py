"""What is held and what is missing: honest about holes."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from clerk.core import db
from clerk.core.errors import NotFound
from clerk.core.public_text import Gate, PublicText
from clerk.core.states import OCR
from clerk.pipeline import failures, sites

from . import library
from .answers import gate_of
from .places import grid
from .public import some_places
from .rendering import page, settings_of

#: So many missing or failed documents are named; the rest is counted.
NAMED = 200


@dataclass(frozen=True)
class Unread:
    """A document that could not be read, or some that have no name, as everybody may know it."""

    document: PublicText
    documents: int
    kind: PublicText

    @classmethod
    def of(cls, failure: failures.Failure, gate: Gate) -> Unread:
        """Return a failure; an error that has no kind is cleaned before it is cut short."""
        known = failure.kind.isidentifier()
        kind = failure.kind if known else gate(failure.error).split(". ")[0][:80]
        return cls(gate(failure.document), failure.documents, gate(kind))


def all_places(request: Request) -> Response:
    """Show for every place how much is held, what failed and when it was last checked."""
    held = {place.subdomain: place for place in library.places(settings_of(request).storage_dir)}
    with db.reading_connection() as conn:
        rows = sites.overview(conn)
    followed = {row["subdomain"] for row in rows}
    rows += [_only_held(place) for name, place in held.items() if name not in followed]
    rows.sort(key=lambda row: _named(row).lower())
    return page(
        request, "public/coverage.html", listing=some_places(request, rows, _named), held=held
    )


def _named(row: dict[str, Any]) -> str:
    return str(row["name"] or row["subdomain"])


def _only_held(place: library.Place) -> dict[str, Any]:
    """Return a row for a place that is published here and no longer followed."""
    return {
        "subdomain": place.subdomain,
        "name": place.name,
        "outcome": "no longer followed",
        "documents": place.documents,
        "read": place.documents,
        "failed": 0,
        "updated_at": None,
    }


def of_place(request: Request) -> Response:
    """Show what a place lacks: years, minutes, pages, documents."""
    site = request.path_params["site"]
    followed = _followed(site)
    values: dict[str, Any] = {"grid": {"years": [], "rows": {}}, "lacking": [], "holes": []}
    name = followed.get("name") or site
    with (
        contextlib.suppress(NotFound),
        library.opened(settings_of(request).storage_dir, site) as compiled,
    ):
        name = compiled.name
        values = {
            "grid": grid(compiled.coverage()),
            "lacking": compiled.without_minutes(),
            "holes": compiled.with_holes(),
        }
    if not followed and not values["grid"]["rows"]:
        raise NotFound(f"There is no site {site!r}.")
    failed = failures.find(failures.Filter(site=site, stage=OCR)) if followed else []
    return page(
        request,
        "public/coverage_place.html",
        site=site,
        name=name,
        followed=followed,
        failed=[Unread.of(each, gate_of(request)) for each in failed],
        named=NAMED,
        **values,
    )


def _followed(site: str) -> dict[str, Any]:
    with db.reading_connection() as conn:
        return db.get_site_by_subdomain(conn, site) or {}
