"""Batches: what workers were given, their progress and who works on them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from clerk.ops import activity
from clerk.pipeline import batches as batch_reports
from clerk.pipeline import uploads as annotation_jobs
from clerk.web.auth import viewer
from clerk.web.parameters import count_pages, id_in_path, page_slice, whole_number
from clerk.web.rendering import page

PER_PAGE = 50


@viewer
def all_batches(request: Request) -> Response:
    """Show the stages of runs, the uploads, and the batches that pass the filters."""
    asked = request.query_params
    status, site = asked.get("status") or None, asked.get("site") or None
    number, offset = page_slice(request, PER_PAGE, most=100_000)
    job = whole_number(request, "job", 0, least=0, most=99_999_999) or None
    by_status = activity.batches_by_status(site, job)
    found = by_status.get(status, 0) if status else sum(by_status.values())
    return page(
        request,
        "ops/batches.html",
        stages=activity.stage_jobs(limit=20),
        uploads=annotation_jobs.list_uploads(limit=20),
        counts=by_status,
        everywhere=activity.batches_by_status(),
        last_day=batch_reports.health(),
        days=batch_reports.crash_rate(),
        timing=batch_reports.timing(),
        batches=activity.list_batches(
            status=status, subdomain=site, job=job, limit=PER_PAGE, offset=offset
        ),
        job=job,
        number=number,
        last=count_pages(found, PER_PAGE),
    )


@viewer
def one_batch(request: Request) -> Response:
    """Show one batch with its documents."""
    batch = activity.find_batch(id_in_path(request, "batch"))
    return page(request, "ops/batch.html", batch=batch)
