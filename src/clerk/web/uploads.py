"""Uploads of annotations by HTTP: taken in as a stream, answered with the job that stores them."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from clerk.annotations import api as annotation_jobs
from clerk.core.config import Settings
from clerk.core.errors import InvalidInput

from .access import refused, viewer
from .bodies import allow_body
from .public import number_of, whole
from .rendering import public_url, settings_of
from .sessions import OPERATOR

UPLOAD_BYTES = 1 << 30
#: The form of an upload has a file and at most this many other fields, of this many bytes each.
FIELDS, FIELD_BYTES = 10, 4 << 10
SUFFIXES = (".json", ".jsonl", ".tgz", ".tar.gz", ".txt")
ISSUES_AT_MOST = 500

#: What may be asked of an upload.  A parameter that is ignored would be an upload nobody asked for.
PARAMETERS = ("project", "name", "mode", "align", "create_docs")
_YES, _NO = ("1", "true", "yes"), ("", "0", "false", "no")


async def receive(request: Request) -> Response:
    """Take in a file of annotations and name the job that stores it."""
    refusal = await run_in_threadpool(refused, request, OPERATOR)
    if refusal is not None:
        return refusal
    _check_parameters(request.query_params)
    suffix = _suffix(request.query_params.get("name", "upload.jsonl"))
    allow_body(request, UPLOAD_BYTES)
    with _incoming(request) as folder:
        path = folder / f"upload{suffix}"
        with path.open("wb") as file:
            async for chunk in request.stream():
                await run_in_threadpool(file.write, chunk)
        who = request.state.person.who
        job_id = await run_in_threadpool(_take_in, request.query_params, who, path)
    url = public_url(request, f"/api/v1/uploads/{job_id}")
    return JSONResponse({"upload": job_id, "url": url}, 202, headers={"Location": url})


async def receive_form(request: Request) -> Response:
    """Take in a file that a person chose, and lead to its upload."""
    refusal = await run_in_threadpool(refused, request, OPERATOR)
    if refusal is not None:
        return refusal
    allow_body(request, UPLOAD_BYTES)
    async with request.form(max_files=1, max_fields=FIELDS, max_part_size=FIELD_BYTES) as form:
        chosen = form.get("file")
        if not isinstance(chosen, UploadFile) or not chosen.filename:
            raise InvalidInput("Choose a file.")
        asked = {name: str(value) for name, value in form.items() if name != "file"}
        _check_parameters(asked)
        with _incoming(request) as folder:
            path = folder / f"upload{_suffix(chosen.filename)}"
            with path.open("wb") as file:
                await run_in_threadpool(shutil.copyfileobj, chosen.file, file)
            job_id = await run_in_threadpool(_take_in, asked, request.state.person.who, path)
    return RedirectResponse(f"/ops/uploads/{job_id}", 303)


def _check_parameters(asked: Mapping[str, str]) -> None:
    """Refuse parameters that are not known, and values that are neither yes nor no."""
    unknown = sorted(asked.keys() - set(PARAMETERS))
    if unknown:
        raise InvalidInput(
            f"Unknown parameter {unknown[0]!r}; an upload takes {', '.join(PARAMETERS)}."
        )
    create_docs = asked.get("create_docs", "")
    if create_docs.lower() not in _YES + _NO:
        raise InvalidInput(f"create_docs must be true or false, not {create_docs!r}.")


def _suffix(name: str) -> str:
    name = name.lower()
    found = next((each for each in SUFFIXES if name.endswith(each)), None)
    if found is None:
        raise InvalidInput(f"name must end in one of {', '.join(SUFFIXES)}, not {name!r}.")
    return found


@contextlib.contextmanager
def _incoming(request: Request) -> Iterator[Path]:
    """Give a folder for a file on its way in; it is gone afterwards."""
    parent = scratch(settings_of(request))
    with tempfile.TemporaryDirectory(prefix="incoming-", dir=parent) as folder:
        yield Path(folder)


def scratch(settings: Settings) -> Path:
    """Return where files are kept while they come in or go out."""
    return settings.storage_dir / "_clerk" / "web"


def _take_in(asked: Mapping[str, str], who: str, path: Path) -> int:
    job = annotation_jobs.upload(
        [path],
        project=asked.get("project", ""),
        mode=asked.get("mode") or "replace",
        align=asked.get("align") or "auto",
        create_docs=asked.get("create_docs", "").lower() in _YES,
        created_by=who,
    )
    return job.id


@viewer
def all_uploads(request: Request) -> Response:
    """Give the newest uploads and how far they are."""
    found = annotation_jobs.list_uploads(
        request.query_params.get("project") or None, whole(request, "limit", 50, most=500)
    )
    return JSONResponse({"items": [plain(each) for each in found]})


@viewer
def one_upload(request: Request) -> Response:
    """Give one upload: how far it is and what was stored."""
    return JSONResponse(plain(found(request).status()))


@viewer
def issues(request: Request) -> Response:
    """Give what was wrong in an upload, in the order in which it was found."""
    limit = whole(request, "limit", 50, most=ISSUES_AT_MOST)
    some = islice(found(request).issues(request.query_params.get("code") or None), limit)
    return JSONResponse({"items": [msgspec.to_builtins(each) for each in some]})


def found(request: Request) -> annotation_jobs.UploadJob:
    """Return the upload an address names."""
    return annotation_jobs.find(number_of(request, "upload"))


def plain(status: annotation_jobs.Status) -> dict[str, Any]:
    """Return how far an upload is as JSON can say it."""
    answer: dict[str, Any] = msgspec.to_builtins(status.as_dict(), str_keys=True)
    return answer
