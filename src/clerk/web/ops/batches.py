"""Batches and uploads: what workers were given, how far it is, who has it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from clerk.db import reading_connection
from clerk.stages import Kind
from clerk.web import figures
from clerk.web.access import viewer
from clerk.web.public import whole
from clerk.web.rendering import page

PER_PAGE = 50


@viewer
def all_batches(request: Request) -> Response:
    """Show the parents under way and the batches that pass the filters."""
    asked = request.query_params
    status, site = asked.get("status") or None, asked.get("site") or None
    number = whole(request, "page", 1, most=100_000)
    with reading_connection() as conn:
        counts = figures.count_batches(conn, site)
        found = counts.get(status, 0) if status else sum(counts.values())
        return page(
            request,
            "ops/batches.html",
            stages=figures.parents(conn, kind=Kind.STAGE, limit=20),
            uploads=figures.parents(conn, kind=Kind.UPLOAD, limit=50),
            counts=counts,
            batches=figures.batches(
                conn,
                status=status,
                subdomain=site,
                limit=PER_PAGE,
                offset=(number - 1) * PER_PAGE,
            ),
            number=number,
            last=max(1, -(-found // PER_PAGE)),
        )


@viewer
def one_batch(request: Request) -> Response:
    """Show one batch with its documents."""
    with reading_connection() as conn:
        batch = figures.batch(conn, request.path_params["batch"])
        return page(request, "ops/batch.html", batch=batch)
