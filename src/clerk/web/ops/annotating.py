"""Uploads of annotations: what came in, how far it is, what to do about it, and getting it out."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from clerk.annotations import api as annotation_jobs
from clerk.annotations.formats import WRITERS
from clerk.core import db
from clerk.core.errors import InvalidInput
from clerk.pipeline import ledger
from clerk.web import figures, uploads
from clerk.web.access import operator, viewer
from clerk.web.rendering import page, settings_of

PER_PAGE = 50
#: So many issues of an upload are shown; the API gives the rest.
ISSUES = 100
BRAT = "brat"

#: What can be done with an upload; the last two only by somebody who is sure.
ACTIONS: dict[str, Callable[..., Any]] = {
    "suspend": annotation_jobs.suspend,
    "resume": annotation_jobs.resume,
    "retry": annotation_jobs.retry,
    "cancel": annotation_jobs.cancel,
    "rollback": annotation_jobs.rollback,
}
NEED_TO_BE_SURE = ("cancel", "rollback")


@viewer
def all_uploads(request: Request) -> Response:
    """Show the projects and the newest uploads, of one project if the address names it."""
    project = request.query_params.get("project") or None
    return page(
        request,
        "ops/uploads.html",
        uploads=annotation_jobs.list_uploads(project, PER_PAGE),
        projects=annotation_jobs.list_projects(),
        formats=annotation_jobs.FORMATS,
        modes=annotation_jobs.MODES,
    )


@viewer
def one_upload(request: Request) -> Response:
    """Show one upload: how far it is, what was wrong, its batches."""
    job = uploads.found(request)
    with db.reading_connection() as conn:
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
def change(request: Request) -> Response:
    """Suspend, resume, cancel or retry an upload, or take back what it stored."""
    job, who, form = uploads.found(request), request.state.person.who, request.state.form
    action = str(form.get("action", ""))
    if action not in ACTIONS:
        raise InvalidInput(f"action must be one of {', '.join(ACTIONS)}, not {action!r}.")
    here = f"/ops/uploads/{job.id}"
    if action in NEED_TO_BE_SURE and form.get("sure") != "yes":
        return RedirectResponse(f"{here}?unsure=1", 303)
    if action == "rollback":
        undo = BackgroundTask(annotation_jobs.rollback, job.id, who=who)
        return RedirectResponse(here, 303, background=undo)
    done = ACTIONS[action](job.id, who=who)
    return RedirectResponse(f"/ops/uploads/{done.id}" if action == "retry" else here, 303)


@operator
def export(request: Request) -> Response:
    """Give a project as a file, and keep who took it."""
    form, who = request.state.form, request.state.person.who
    project, kind = str(form.get("project", "")), str(form.get("format", ""))
    if kind not in annotation_jobs.FORMATS:
        known = ", ".join(annotation_jobs.FORMATS)
        raise InvalidInput(f"format must be one of {known}, not {kind!r}.")
    folder = Path(tempfile.mkdtemp(prefix="outgoing-", dir=uploads.scratch(settings_of(request))))
    try:
        path = _write_brat(project, folder) if kind == BRAT else _write(project, kind, folder)
        with db.civic_db_connection() as conn:
            ledger.audit(conn, who, "annotations exported", project, kind)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return FileResponse(path, filename=path.name, background=gone)


def _write(project: str, kind: str, folder: Path) -> Path:
    path = folder / f"{_file_name(project)}{WRITERS[kind][1]}"
    with path.open("wb") as file:
        file.writelines(annotation_jobs.export(project, kind))
    return path


def _write_brat(project: str, folder: Path) -> Path:
    """Write two files for each document, and pack them."""
    inside = folder / "brat"
    inside.mkdir()
    annotation_jobs.export_brat(project, inside)
    packed = shutil.make_archive(str(folder / f"{_file_name(project)}-brat"), "zip", inside)
    return Path(packed)


def _file_name(project: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in project)
