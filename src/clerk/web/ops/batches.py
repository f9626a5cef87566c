"""Batches and uploads: what workers were given, how far it is, who has it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from clerk.annotations import api as annotation_jobs
from clerk.core.db import reading_connection
from clerk.core.states import Kind
from clerk.ops import counts
from clerk.pipeline import batches as batch_reports
from clerk.web import figures
from clerk.web.access import viewer
from clerk.web.public import number_of, whole
from clerk.web.rendering import page

PER_PAGE = 50


@viewer
def all_batches(request: Request) -> Response:
    """Show the parents under way and the batches that pass the filters."""
    asked = request.query_params
    status, site = asked.get("status") or None, asked.get("site") or None
    number = whole(request, "page", 1, most=100_000)
    job = whole(request, "job", 0, least=0, most=99_999_999) or None
    with reading_connection() as conn:
        by_status = counts.batches_by_status(conn, site, job)
        found = by_status.get(status, 0) if status else sum(by_status.values())
        return page(
            request,
            "ops/batches.html",
            stages=figures.parents(conn, kind=Kind.STAGE, limit=20),
            uploads=annotation_jobs.list_uploads(limit=20),
            counts=by_status,
            everywhere=counts.batches_by_status(conn),
            fared=batch_reports.health(),
            days=batch_reports.crash_rate(),
            timing=batch_reports.timing(),
            batches=figures.batches(
                conn,
                status=status,
                subdomain=site,
                job=job,
                limit=PER_PAGE,
                offset=(number - 1) * PER_PAGE,
            ),
            job=job,
            number=number,
            last=max(1, -(-found // PER_PAGE)),
        )


@viewer
def one_batch(request: Request) -> Response:
    """Show one batch with its documents."""
    with reading_connection() as conn:
        batch = figures.batch(conn, number_of(request, "batch"))
        return page(request, "ops/batch.html", batch=batch)
