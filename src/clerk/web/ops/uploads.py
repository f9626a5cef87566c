"""Uploads of annotations: their progress and issues, actions on them, and exports."""

from __future__ import annotations

from itertools import islice

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.annotations import api as annotation_projects
from clerk.annotations.browsing import find_projects, visible_projects
from clerk.ops import activity
from clerk.pipeline import uploads as annotation_jobs
from clerk.web.annotation_pages import in_format
from clerk.web.auth import operator, viewer
from clerk.web.parameters import one_of
from clerk.web.project_access import changed_upload, editor, project_user, seen_upload, seen_uploads
from clerk.web.rendering import page, settings_of

PER_PAGE = 50
#: At most this many issues of an upload are shown; the API has the rest.
ISSUES = 100

#: What can be done with an upload.
ACTIONS = ("suspend", "resume", "retry", "cancel", "rollback")
NEED_CONFIRMATION = ("cancel", "rollback")


@viewer
def all_uploads(request: Request) -> Response:
    """Show the projects and the newest uploads, of one project if the address names it."""
    project, user = request.query_params.get("project") or None, project_user(request)
    projects = visible_projects(user)
    return page(
        request,
        "ops/uploads.html",
        uploads=seen_uploads(request, annotation_jobs.list_uploads(project, PER_PAGE)),
        projects=projects,
        may_upload=user.is_operator or any(map(user.may_change, projects)),
        formats=annotation_projects.FORMATS,
        modes=annotation_jobs.MODES,
    )


@viewer
def one_upload(request: Request) -> Response:
    """Show one upload: its progress, issues and batches."""
    job = seen_upload(request)
    return page(
        request,
        "ops/upload.html",
        upload=job.status(),
        issues=list(islice(job.issues(), ISSUES)),
        batches=activity.list_batches(job=job.id, limit=PER_PAGE),
        shown=ISSUES,
    )


@viewer
@editor
def change(request: Request) -> Response:
    """Suspend, resume, cancel or retry an upload, or roll it back."""
    job, who, form = changed_upload(request), request.state.person.who, request.state.form
    action = one_of("action", str(form.get("action", "")), ACTIONS)
    here = f"/ops/uploads/{job.id}"
    if action in NEED_CONFIRMATION and form.get("sure") != "yes":
        return RedirectResponse(f"{here}?unsure=1", 303)
    match action:
        case "suspend":
            annotation_jobs.suspend(job.id, who=who)
        case "resume":
            annotation_jobs.resume(settings_of(request), job.id, who=who)
        case "retry":
            again = annotation_jobs.retry(settings_of(request), job.id, who=who)
            return RedirectResponse(f"/ops/uploads/{again.id}", 303)
        case "cancel":
            annotation_jobs.cancel(job.id, who=who)
        case "rollback":
            undo = BackgroundTask(annotation_jobs.rollback, job.id, who=who)
            return RedirectResponse(here, 303, background=undo)
    return RedirectResponse(here, 303)


@operator
def export(request: Request) -> Response:
    """Respond with a project as a file, and record who exported it."""
    form = request.state.form
    name = str(form.get("project", ""))
    kind = one_of("format", str(form.get("format", "")), annotation_projects.FORMATS)
    (project,) = find_projects([name], project_user(request))
    activity.record_audit(request.state.person.who, "annotations exported", name, kind)
    return in_format(project, kind)
