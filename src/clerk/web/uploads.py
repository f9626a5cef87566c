"""Uploads of annotations by HTTP: received as a stream, then stored by a job."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.annotations import api as annotation_projects
from clerk.core.config import Settings
from clerk.core.errors import InvalidInput
from clerk.core.storage import web_folder
from clerk.ops.web_sessions import VIEWER
from clerk.pipeline import uploads as annotation_jobs

from .auth import refuse_without_role, viewer
from .parameters import LIMIT_AT_MOST, is_yes, limit_and_offset
from .project_access import (
    changed_upload,
    check_may_change,
    check_may_change_any,
    editor,
    seen_upload,
    seen_uploads,
)
from .rendering import for_operators, public_url, settings_of
from .request_bodies import allow_body

UPLOAD_BYTES = 1 << 30
#: The form of an upload has a file and at most this many other fields, of this many bytes each.
FIELDS, FIELD_BYTES = 12, 4 << 10
SUFFIXES = (
    *(".json", ".jsonl", ".tgz", ".tar.gz", ".txt"),
    *(".zip", ".tar", ".gz", ".jsonld", ".tsv", ".conll"),
)
_NOT_IN_A_NAME = re.compile(r"[^\w.+-]+")

#: All parameters of an upload; others are refused, because ignoring one would do something else
#: than was asked for.
PARAMETERS = (
    *("project", "name", "mode", "align", "create_docs", "on_lost", "dry_run"),
    *("format", "sourcedb", "batch_items", "batch_bytes"),
)


async def receive(request: Request) -> Response:
    """Receive a file of annotations and respond with the job that stores it."""
    refusal = await run_in_threadpool(refuse_without_role, request, VIEWER)
    if refusal is not None:
        return refusal
    _check_parameters(request.query_params)
    project = request.query_params.get("project", "")
    await run_in_threadpool(check_may_change, request, project)
    name = _file_name(request.query_params.get("name", "upload.jsonl"))
    with _incoming(request) as folder:
        path = folder / name
        await _receive_body(request, path)
        who = request.state.person.who
        job = await run_in_threadpool(_store, settings_of(request), request.query_params, who, path)
        if not job.id:
            found = [msgspec.to_builtins(each) for each in islice(job.issues(), LIMIT_AT_MOST)]
            answer = _as_json(job.status()) | {"dry_run": True, "found": found}
            return for_operators(request, answer)
    url = public_url(request, f"/api/v1/uploads/{job.id}")
    answer = {"upload": job.id, "url": url}
    return for_operators(request, answer, 202, headers={"Location": url})


async def validate(request: Request) -> Response:
    """Check a file of annotations and respond with what is in it and its issues."""
    refusal = await run_in_threadpool(refuse_without_role, request, VIEWER)
    if refusal is not None:
        return refusal
    with _incoming(request) as folder:
        path = folder / _file_name(request.query_params.get("name", "upload.jsonl"))
        await _receive_body(request, path)
        found = await run_in_threadpool(annotation_projects.validate, [path])
    issues = [msgspec.to_builtins(each) for each in islice(found.issues, LIMIT_AT_MOST)]
    counts = {"items": found.items, "documents": found.documents, **found.counts}
    return for_operators(request, counts | {"issues": found.issues.by_code(), "found": issues})


async def _receive_body(request: Request, path: Path) -> None:
    """Write the request body to a file while it arrives."""
    allow_body(request, UPLOAD_BYTES)
    with path.open("wb") as file:
        async for chunk in request.stream():
            await run_in_threadpool(file.write, chunk)


async def receive_form(request: Request) -> Response:
    """Receive a file from the form and redirect to its upload."""
    refusal = await run_in_threadpool(refuse_without_role, request, VIEWER)
    if refusal is not None:
        return refusal
    await run_in_threadpool(check_may_change_any, request)
    allow_body(request, UPLOAD_BYTES)
    async with request.form(max_files=1, max_fields=FIELDS, max_part_size=FIELD_BYTES) as form:
        chosen = form.get("file")
        if not isinstance(chosen, UploadFile) or not chosen.filename:
            raise InvalidInput("Choose a file.")
        asked = {name: str(value) for name, value in form.items() if name != "file"}
        _check_parameters(asked)
        await run_in_threadpool(check_may_change, request, asked.get("project", ""))
        if is_yes(asked, "dry_run"):
            raise InvalidInput("A dry run is available only in the API and on the command line.")
        with _incoming(request) as folder:
            path = folder / _file_name(chosen.filename)
            with path.open("wb") as file:
                await run_in_threadpool(shutil.copyfileobj, chosen.file, file)
            job = await run_in_threadpool(
                _store, settings_of(request), asked, request.state.person.who, path
            )
    return RedirectResponse(f"/ops/uploads/{job.id}", 303)


def _check_parameters(asked: Mapping[str, str]) -> None:
    """Refuse parameters that are not known, and values that are neither yes nor no."""
    unknown = sorted(asked.keys() - set(PARAMETERS))
    if unknown:
        raise InvalidInput(
            f"Unknown parameter {unknown[0]!r}; an upload takes {', '.join(PARAMETERS)}."
        )
    for name in ("create_docs", "dry_run"):
        is_yes(asked, name)
    for name in ("batch_items", "batch_bytes"):
        _batch_size(asked, name)


def _file_name(name: str) -> str:
    """Return the name of an uploaded file, without folders and odd characters."""
    if not name.lower().endswith(SUFFIXES):
        raise InvalidInput(f"name must end in one of {', '.join(SUFFIXES)}, not {name!r}.")
    return _NOT_IN_A_NAME.sub("-", name.replace("\\", "/").rpartition("/")[2])[-150:].lstrip(".-")


@contextlib.contextmanager
def _incoming(request: Request) -> Iterator[Path]:
    """Give a folder for a file while it is received; it is removed afterwards."""
    parent = web_folder(settings_of(request).storage_dir)
    with tempfile.TemporaryDirectory(prefix="incoming-", dir=parent) as folder:
        yield Path(folder)


def _batch_size(asked: Mapping[str, str], name: str) -> int | None:
    text = asked.get(name, "")
    if text and not (text.isascii() and text.isdigit() and len(text) < 12):
        raise InvalidInput(f"{name} must be a number, not {text!r}.")
    return int(text) if text else None


def _store(
    settings: Settings, asked: Mapping[str, str], who: str, path: Path
) -> annotation_jobs.StartedUpload:
    return annotation_jobs.upload(
        settings,
        [path],
        project=asked.get("project", ""),
        mode=asked.get("mode") or "replace",
        align=asked.get("align") or "auto",
        create_docs=is_yes(asked, "create_docs"),
        on_lost=asked.get("on_lost") or "drop",
        dry_run=is_yes(asked, "dry_run"),
        format=asked.get("format") or None,
        sourcedb=asked.get("sourcedb") or None,
        batch_items=_batch_size(asked, "batch_items"),
        batch_bytes=_batch_size(asked, "batch_bytes"),
        created_by=who,
    )


@viewer
def all_uploads(request: Request) -> Response:
    """Respond with the newest uploads and their progress."""
    project = request.query_params.get("project") or None
    limit, _ = limit_and_offset(request)
    everything = is_yes(request.query_params, "all")
    found = annotation_jobs.list_uploads(project, limit, everything=everything)
    found = seen_uploads(request, found)
    return for_operators(request, {"items": [_as_json(each) for each in found]})


@viewer
def one_upload(request: Request) -> Response:
    """Respond with the progress of one upload and what it stored."""
    return for_operators(request, _as_json(seen_upload(request).status()))


@viewer
def issues(request: Request) -> Response:
    """Respond with the issues of an upload, in the order in which they were found."""
    limit, offset = limit_and_offset(request)
    job = seen_upload(request)
    code = request.query_params.get("code") or None
    found = job.some_issues(code, limit, offset)
    counts = job.status().issues
    total = counts.get(code, 0) if code else sum(counts.values())
    items = [msgspec.to_builtins(each) for each in found]
    return for_operators(request, {"items": items, "total": total})


@viewer
@editor
def change(request: Request) -> Response:
    """Suspend, resume, cancel, retry or roll back an upload; respond with its state."""
    job, who = changed_upload(request), request.state.person.who
    action = request.url.path.rpartition("/")[2]
    if action == "rollback":
        undone = annotation_jobs.rollback(job.id, who=who)
        return for_operators(request, {"upload": job.id, **vars(undone)})
    if action == "retry":
        job = annotation_jobs.retry(settings_of(request), job.id, who=who)
        url = public_url(request, f"/api/v1/uploads/{job.id}")
        return for_operators(request, {"upload": job.id, "url": url}, headers={"Location": url})
    if action == "resume":
        done = annotation_jobs.resume(settings_of(request), job.id, who=who)
    elif action == "suspend":
        done = annotation_jobs.suspend(job.id, who=who)
    else:
        done = annotation_jobs.cancel(job.id, who=who)
    return for_operators(request, {"changed": done, **_as_json(job.status())})


def _as_json(status: annotation_jobs.Status) -> dict[str, object]:
    answer: dict[str, object] = msgspec.to_builtins(status.as_dict(), str_keys=True)
    return answer
