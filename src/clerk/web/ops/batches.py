"""Batches and uploads: what workers were given, how far it is, who has it."""

from __future__ import annotations

from itertools import islice

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk import annotations as annotation_jobs
from clerk import batches as batch_reports
from clerk.db import reading_connection
from clerk.errors import InvalidInput
from clerk.stages import Kind
from clerk.web import figures, uploads
from clerk.web.access import operator, viewer
from clerk.web.public import whole
from clerk.web.rendering import page

PER_PAGE = 50
#: So many issues of an upload are shown; the API gives the rest.
ISSUES = 100


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
            uploads=annotation_jobs.list_uploads(limit=20),
            counts=counts,
            fared=batch_reports.health(),
            days=batch_reports.crash_rate(),
            timing=batch_reports.timing(),
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
def one_upload(request: Request) -> Response:
    """Show one upload: how far it is, what was wrong, its batches."""
    job = uploads.found(request)
    with reading_connection() as conn:
        batches = figures.batches(conn, job=job.id, limit=PER_PAGE)
    return page(
        request,
        "ops/upload.html",
        upload=job.status(),
        issues=list(islice(job.issues(), ISSUES)),
        batches=batches,
        shown=ISSUES,
    )


@operator
def change_upload(request: Request) -> Response:
    """Cancel an upload that is under way, or do again what failed in one that is over."""
    job, who, form = uploads.found(request), request.state.person.who, request.state.form
    action = form.get("action")
    if action == "cancel" and form.get("sure") == "yes":
        annotation_jobs.cancel(job.id, who=who)
    elif action == "retry":
        job = annotation_jobs.retry(job.id, who=who)
    elif action != "cancel":
        raise InvalidInput(f"An upload can be cancelled or retried, not {action!r}.")
    return RedirectResponse(f"/ops/uploads/{job.id}", 303)


@viewer
def one_batch(request: Request) -> Response:
    """Show one batch with its documents."""
    with reading_connection() as conn:
        batch = figures.batch(conn, request.path_params["batch"])
        return page(request, "ops/batch.html", batch=batch)
